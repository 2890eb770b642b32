#pragma once

#include "libpool/actors/typed_functions.hpp"
#include "libpool/core/instant.hpp"

#include <caf/message.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

namespace libpool {

/// How a message that is handled in parts ends when not all goes well.
struct gather_options {
  /// How long the workers may take to answer, more than 0; by default for ever.
  std::optional<std::chrono::nanoseconds> timeout = std::nullopt;

  /// Answer with what has been joined, leaving out workers that failed, died or
  /// took too long, rather than with an error at the first of them.
  bool join_what_came = false;

  /// Join the results in the order of the parts, rather than as they come.
  bool ordered = false;
};

/// A share of all that was seen so far, such as the 95th: in percent.
struct percentile {
  double percent = 95;
};

/// When a second worker is asked: after a time, or when as many of those asked
/// before have been answered by then as the percentile says.
using hedge_delay = std::variant<duration, percentile>;

/// Makes one answer of several, one at a time.
class joiner {
public:
  joiner() = default;
  joiner& operator=(const joiner&) = delete;
  virtual ~joiner() = default;

  /// Another one, as this one was in the beginning.
  virtual std::unique_ptr<joiner> clone() const = 0;

  /// A result has come; empty if it was answered with nothing.
  virtual void join(caf::message& result) = 0;

  /// The answer. Called once, at the end.
  virtual caf::message joined() = 0;

protected:
  joiner(const joiner&) = default;
};

/// The first result.
std::unique_ptr<joiner> make_first_joiner();

namespace detail {

/// Folds results into a value.
template <class T, class Join>
class functor_joiner final : public joiner {
public:
  functor_joiner(Join f, T init)
    : join_(std::move(f)), value_(std::move(init)) {
    // nop
  }

  std::unique_ptr<joiner> clone() const override {
    return std::make_unique<functor_joiner>(*this);
  }

  void join(caf::message& result) override {
    if (!result.empty())
      join_with(join_, value_, result);
  }

  caf::message joined() override {
    return caf::make_message(std::move(value_));
  }

private:
  Join join_;
  T value_;
};

/// Gives every worker the whole message.
struct split_to_all {
  void operator()(worker_tasks& tasks, const caf::message& what) const {
    for (auto& task : tasks)
      task.second = what;
  }
};

/// A joiner that folds results into a copy of `init`.
template <class T, class Join>
std::unique_ptr<joiner> make_joiner(Join join, T init) {
  if constexpr (check_join<T, Join>())
    return std::make_unique<functor_joiner<T, Join>>(std::move(join),
                                                     std::move(init));
  else
    return nullptr;
}

} // namespace detail

/// How a managed pool handles each message by several tasks, and makes one
/// answer of theirs.
struct gathering {
  /// What the tasks are: parts of the message, or the message as it is, for
  /// each worker or for some of them.
  enum class scatter { parts, everybody, some };

  scatter how = scatter::everybody;
  /// How many workers are asked, if some are: as many as there are, if fewer.
  std::size_t asked = 1;
  /// How many have to succeed; 0: all.
  std::size_t needed = 0;
  /// Whether what has not begun is cancelled when it is decided.
  bool stops_rest = true;
  gather_options options;
  /// Cloned for each message.
  std::shared_ptr<const joiner> join;
  /// Called one at a time.
  std::function<message_parts(caf::message&)> split = nullptr;
  /// When to ask one more, if at all, and how many may be asked so, in percent
  /// of all messages.
  std::optional<hedge_delay> hedge_after = std::nullopt;
  double hedge_budget = 0;
};

/// Throws std::invalid_argument naming the option that is out of bounds.
void check(const gather_options& options);

} // namespace libpool
