/// Texts that are times; more of them are in the vectors and in refused.txt.

#include "poolsim/times.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>

using namespace std::chrono_literals;
using poolsim::readable;
using poolsim::time_of;

TEST_CASE("times may be negative, and decimal fractions of a unit are exact") {
  CHECK(time_of("-1ns") == -1ns);
  CHECK(time_of("-0.5us") == -500ns);
  CHECK(time_of("0.000000001s") == 1ns);
  CHECK(time_of("2.50h") == 150min);
  CHECK(time_of("1.00000000000000000000ns") == 1ns);
  // 2^-13 h, the finest fraction of two of an hour that is whole.
  CHECK(time_of("0.0001220703125h") == 439453125ns);
  CHECK_THROWS_WITH(time_of("0.00000000000001h"),
                    "must be a whole number of nanoseconds");
}

TEST_CASE("a text that is not a time is rejected") {
  for (const std::string text :
       {"",      "5",     "ms",   "5m",     "5 ms",  " 5ms", "5ms ",
        "5m5",   "5.ms",  ".5ms", "1.2.3s", "--1ns", "+1ns", "-",
        "1e3ns", "0x5ms", "5MS",  "5min",   "nan",   "1,5ms"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(time_of(text), std::invalid_argument);
  }
}

TEST_CASE("the longest time is 2^60 nanoseconds in any unit") {
  CHECK(time_of("1152921504.606846976s") == poolsim::longest_time);
  CHECK(time_of("-1152921504606846976ns") == -poolsim::longest_time);
  for (const std::string text :
       {"1152921504606846977ns", "1152921504.606846977s", "320256h",
        "9223372036854775808ns",
        "99999999999999999999999999999999999999999h"}) {
    CAPTURE(text);
    CHECK_THROWS_WITH(time_of(text), "must be at most 2^60 ns");
  }
}

TEST_CASE("a time that people read has three digits and a unit") {
  CHECK(readable(0ns) == "0 s");
  CHECK(readable(1ns) == "1 ns");
  CHECK(readable(-1500ns) == "-1.5 us");
  CHECK(readable(999'499ns) == "999 us");
  CHECK(readable(999'500ns) == "1 ms");
  CHECK(readable(12'345'678ns) == "12.3 ms");
  CHECK(readable(1234ms) == "1.23 s");
  CHECK(readable(1h) == "3600 s");
}
