#pragma once

#include <stdexcept>

namespace test {

/// Something that cannot be copied for a while.
struct brittle {
  brittle() = default;
  explicit brittle(int i) : x(i) {
    // nop
  }

  brittle(const brittle& other) : x(other.x) {
    if (breaks)
      throw std::runtime_error{"brittle"};
  }

  brittle& operator=(const brittle&) = default;

  int x = 0;
  inline static bool breaks = false;
};

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, brittle& value) {
  return f(value.x);
}

} // namespace test
