#include "libpool/actors/user_function.hpp"

#include "libpool/actors/caf/handles.hpp"

#include <string>

namespace libpool {

void rethrow_named(const char* function) {
  try {
    throw;
  } catch (const user_function_failed&) {
    throw;
  } catch (...) {
    throw user_function_failed{function + (" threw: " + thrown_text())};
  }
}

} // namespace libpool
