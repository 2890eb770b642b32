#pragma once

#include "libpool/actors/caf/port/inspection.hpp"
#include "support/port/message_types.hpp"

#include <stdexcept>
#include <vector>

namespace test {

/// Something that cannot be copied for a while.
struct brittle {
  brittle() = default;
  explicit brittle(int i) : x(i) {
    // nop
  }

  brittle(const brittle& other) : x(other.x) {
    if (breaks && x >= least)
      throw std::runtime_error{"brittle"};
  }

  brittle& operator=(const brittle&) = default;

  int x = 0;
  inline static bool breaks = false;
  inline static int least = 0; // of the ones that break
};

template <class Inspector>
libpool::inspection<Inspector> inspect(Inspector& f, brittle& value) {
  return libpool::inspect_fields(f, value, "brittle",
                                 libpool::field{"x", value.x});
}

} // namespace test

LIBPOOL_TEST_MESSAGE_TYPE(0, test::brittle)
LIBPOOL_TEST_MESSAGE_TYPE(8, std::vector<test::brittle>)
