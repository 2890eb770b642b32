#pragma once

#include "libpool/export.hpp"

#include <functional>
#include <stdexcept>
#include <utility>

namespace libpool {

/// Exception that names in its text the function of the user that has thrown:
/// "flow_of threw: …".
class user_function_failed : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Rethrows the current exception as a `user_function_failed` whose text names
/// `function`. An exception that already names a function is rethrown
/// unchanged, because the named function is closer to the cause.
[[noreturn]] LIBPOOL_EXPORT void rethrow_named(const char* function);

/// Calls `f` and returns its result. If `f` throws, rethrows the exception as a
/// `user_function_failed` whose text names `function`.
template <class F, class... Ts>
decltype(auto) call_user(const char* function, F&& f, Ts&&... xs) {
  try {
    return std::invoke(std::forward<F>(f), std::forward<Ts>(xs)...);
  } catch (...) {
    rethrow_named(function);
  }
}

} // namespace libpool
