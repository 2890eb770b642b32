#include "libpool/nodes/protocol/travelling.hpp"

#include <doctest/doctest.h>

#include <chrono>

namespace nodes_travelling_tests {

using namespace std::chrono_literals;
using libpool::are_tiny;

TEST_CASE("tasks are tiny if they are known to take at most 100 us and have at "
          "most 4 KiB") {
  CHECK(are_tiny(1ns, 0));
  CHECK(are_tiny(100us, 4096));
  CHECK(!are_tiny(0ns, 0)); // not known
  CHECK(!are_tiny(100us + 1ns, 4096));
  CHECK(!are_tiny(100us, 4097));
}

TEST_CASE("the time of a batch is the round trip, from 50 us to 1 ms") {
  CHECK(libpool::time_of_batch(0us) == 50us);
  CHECK(libpool::time_of_batch(400us) == 400us);
  CHECK(libpool::time_of_batch(2ms) == 1ms);
}

} // namespace nodes_travelling_tests
