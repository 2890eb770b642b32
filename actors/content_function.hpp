#pragma once

#include "libpool/actors/caf/port/types.hpp"

#include <cstddef>
#include <functional>
#include <type_traits>
#include <utility>

namespace libpool {

/// Function of the user that reads the content of a message, and returns a
/// `Result`: the type of options such as `managed_options::id_of`. A
/// `std::function` that states its requirements: a function of another type,
/// such as one that takes the element of a message, does not compile, and the
/// error names `flow_by` and `first_of`, which read elements.
template <class Result>
class content_function : public std::function<Result(const message_content&)> {
  using base = std::function<Result(const message_content&)>;

public:
  /// Makes an unset option.
  content_function() noexcept = default;

  /// Makes an unset option.
  content_function(std::nullptr_t) noexcept { // NOLINT(*-explicit-*)
    // nop
  }

  /// Makes an option that calls `f`.
  template <class F, class = std::enable_if_t<
                       !std::is_base_of_v<content_function, std::decay_t<F>>>>
  content_function(F f) // NOLINT(google-explicit-constructor)
    : base(checked(std::move(f))) {
    // nop
  }

private:
  template <class F>
  static base checked(F f) {
    constexpr auto reads = std::is_invocable_v<F&, const message_content&>;
    constexpr auto fits =
      std::is_invocable_r_v<Result, F&, const message_content&>;
    static_assert(
      reads,
      "libpool: a function of messages must take a const "
      "libpool::message_content&. To read an element of type T, make the "
      "function by libpool::flow_by<T>(f), which calls f with the element, or "
      "call libpool::first_of<T>(content)");
    static_assert(!reads || fits,
                  "libpool: the function of messages returns another type than "
                  "the option: see its comment. A time is a std::chrono "
                  "duration, such as std::chrono::milliseconds{5}");
    if constexpr (fits)
      return base(std::move(f));
    else
      return nullptr;
  }
};

} // namespace libpool
