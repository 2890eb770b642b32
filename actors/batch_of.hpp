#pragma once

#include "libpool/actors/batching.hpp"
#include "libpool/actors/caf/port/item_types.hpp"
#include "libpool/actors/caf/port/make_message.hpp"
#include "libpool/actors/caf/port/message_type.hpp"
#include "libpool/actors/spawn_pool.hpp"
#include "libpool/actors/typed_functions.hpp"
#include "libpool/export.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace libpool {

namespace detail {

/// Throws `user_function_failed` because a worker has answered a batch of
/// `messages` messages with another number of results. The text names both.
[[noreturn]] LIBPOOL_EXPORT void throw_wrong_number(std::size_t results,
                                                    std::size_t messages);

/// Type of the answer to a batch whose messages are answered with an `R`.
template <class R>
struct results_of {
  using type = std::vector<R>;
};

template <>
struct results_of<void> {
  using type = void;
};

/// Type of messages with one element of type `M`, which are answered with an
/// `R`; void: with an empty message.
template <class M, class R>
class batch_type_of final : public batch_type {
public:
  using size_function = std::function<std::size_t(const M&)>;

  explicit batch_type_of(size_function size) : size_(std::move(size)) {
    // nop
  }

  bool takes(const message_content& message) const noexcept override {
    return message.match_elements<M>();
  }

  bool has_sizes() const noexcept override {
    return size_ != nullptr;
  }

  std::size_t size_of(const message_content& message) const override {
    return has_sizes() ? size_(message.get_as<M>(0)) : 0;
  }

  caf::message
  compose(const std::vector<const message_content*>& messages) const override {
    std::vector<M> contents;
    contents.reserve(messages.size());
    for (const auto* each : messages)
      contents.push_back(each->get_as<M>(0));
    return caf::make_message(std::move(contents));
  }

  std::vector<caf::message> divide(caf::message& answer,
                                   std::size_t n) const override {
    std::vector<caf::message> result;
    if constexpr (std::is_void_v<R>) {
      if (!answer.empty())
        throw_mismatch("batch_of", "no results", noun, answer);
      result.resize(n);
    } else {
      auto& results = content_as<std::vector<R>&>(answer, "batch_of", noun);
      if (results.size() != n)
        throw_wrong_number(results.size(), n);
      result.reserve(n);
      for (auto&& each : results)
        result.push_back(as_message<R>(std::move(each)));
    }
    return result;
  }

private:
  static constexpr auto noun = "the answer of the worker";

  const size_function size_;
};

template <class Signature, class... Signatures>
constexpr bool is_among(type_list<Signatures...>) {
  return (std::is_same_v<Signature, Signatures> || ...);
}

/// Whether a worker with the signatures `Served` handles what a pool with the
/// signatures `Signatures` takes, except for messages of the signature `Alone`.
template <class Alone, class Served, class... Signatures>
constexpr bool serves_rest(type_list<Signatures...>) {
  return ((std::is_same_v<Signatures, Alone> || is_among<Signatures>(Served{}))
          && ...);
}

} // namespace detail

/// Rule by which a pool sends messages to workers in batches: messages `M`,
/// which are answered with an `R`.
template <class M, class R>
struct batching_of : batching {};

/// Returns a rule for `managed_options::batch`: messages with one element of
/// type `M` go to workers as a `std::vector<M>`, which workers answer with a
/// `std::vector<R>`: one result for each element, in the same order. The sender
/// of each message gets its result as an `R`. `R` is void if workers answer
/// with an empty message: each sender gets an empty answer. CAF must know the
/// types of all these messages.
///
/// `size`: returns the size of a message in bytes, for `batch_bounds::bytes`.
/// The function is called in one thread at a time; if it throws, the message is
/// refused with `errc::policy_failed`.
template <class M, class R = void>
batching_of<M, R>
batch_of(const batch_bounds& bounds = {},
         std::function<std::size_t(const M&)> size = nullptr) {
  batching_of<M, R> result;
  static_cast<batch_bounds&>(result) = bounds;
  result.type = std::make_shared<detail::batch_type_of<M, R>>(std::move(size));
  return result;
}

/// Makes a typed pool with the shared queue, whose workers get messages `M` in
/// batches. The pool answers an `M` with an `R`; workers answer a
/// `std::vector<M>` with a `std::vector<R>` (void: with an empty message), and
/// take all other messages of the pool. `factory` returns a handle of typed
/// workers. `options`: those of the pool; `batch` is replaced by `rule`.
///
/// Errors: those of `actor_pool::make`.
template <class Handle, class M, class R, class Factory>
Handle spawn_typed_pool(caf::actor_system& system, managed_options options,
                        const batching_of<M, R>& rule, Factory factory) {
  using made = detail::made_by<Factory>;
  using one = detail::typed_signature<M, R>;
  using many = detail::typed_signature<std::vector<M>,
                                       typename detail::results_of<R>::type>;
  constexpr auto is_pool = detail::is_among<one>(typename Handle::signatures{});
  static_assert(is_pool,
                "libpool: a typed pool with batch_of<M, R> must answer "
                "an M with an R");
  if constexpr (is_pool && detail::is_typed_handle<made>) {
    using served = typename made::signatures;
    constexpr auto fits =
      detail::is_among<many>(served{})
      && detail::serves_rest<one, served>(typename Handle::signatures{});
    static_assert(
      fits, "libpool: the workers of a typed pool with batch_of<M, R> "
            "must answer a std::vector<M> with a std::vector<R>, and take "
            "all other messages of the pool");
    options.batch = rule;
    const auto n = workers_of(system, options);
    return caf::actor_cast<Handle>(
      actor_pool::make(system, n, detail::factory_of(std::move(factory)),
                       actor_pool::shared_queue(std::move(options))));
  } else {
    static_assert(!is_pool,
                  "libpool: the factory of a typed pool takes no "
                  "arguments and returns the handle of typed workers");
    return {};
  }
}

} // namespace libpool
