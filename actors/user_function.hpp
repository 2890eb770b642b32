#pragma once

#include <functional>
#include <stdexcept>
#include <utility>

namespace libpool {

/// Exception whose text names the function of the user that has failed:
/// "flow_of threw: …".
class user_function_failed : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Rethrows the exception that is being handled as a `user_function_failed`
/// whose text names `function`. An exception that already names a function is
/// rethrown unchanged, because that function is closer to the cause.
[[noreturn]] void rethrow_named(const char* function);

/// Calls `f`. If `f` throws, the exception names `function`, see
/// `rethrow_named`.
template <class F, class... Ts>
decltype(auto) call_user(const char* function, F&& f, Ts&&... xs) {
  try {
    return std::invoke(std::forward<F>(f), std::forward<Ts>(xs)...);
  } catch (...) {
    rethrow_named(function);
  }
}

} // namespace libpool
