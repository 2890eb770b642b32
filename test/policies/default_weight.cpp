#include "libpool/policies/default_weight.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <vector>

using libpool::default_weight;
using speeds = std::vector<unsigned>;
using namespace std::chrono_literals;

TEST_CASE(
  "the weight of a core of f MHz is 10^(2d) / f ms if f has d + 1 digits") {
  CHECK(default_weight({2400}) == 417ms); // 10^6 / 2400 = 416.7
  CHECK(default_weight({3000}) == 333ms);
  CHECK(default_weight({800}) == 13ms); // 10^4 / 800 = 12.5, away from zero
  CHECK(default_weight({4}) == 0ms);    // 1/4
  CHECK(default_weight({1}) == 1ms);
}

TEST_CASE("the default weight is exact for core speeds next to powers of ten, "
          "where the number of digits changes") {
  // 10^(2d) / 10^d = 10^d; one less has one digit less.
  CHECK(default_weight({10}) == 10ms);
  CHECK(default_weight({100}) == 100ms);
  CHECK(default_weight({1000}) == 1000ms);
  CHECK(default_weight({10000}) == 10000ms);
  CHECK(default_weight({100000}) == 100000ms);
  CHECK(default_weight({1000000000}) == 1000000000ms);
  CHECK(default_weight({9}) == 0ms);    // 1/9
  CHECK(default_weight({99}) == 1ms);   // 100/99
  CHECK(default_weight({999}) == 10ms); // 10^4/999
  CHECK(default_weight({9999}) == 100ms);
  CHECK(default_weight({1001}) == 999ms);
}

TEST_CASE(
  "the weight of several cores is the mean of their weights, rounded once") {
  // (1000 + 500) / 2
  CHECK(default_weight({1000, 2000}) == 750ms);
  // (416.67 + 416.67 + 333.33) / 3 = 388.9
  CHECK(default_weight({2400, 2400, 3000}) == 389ms);
  // (12.5 + 12.5) / 2, which is not (13 + 13) / 2 rounded
  CHECK(default_weight({4, 4}) == 0ms);
  CHECK(default_weight({4, 4, 1}) == 1ms); // 1.5 / 3 = 0.5
}

TEST_CASE("the default weight takes a core speed of 0, or a missing core "
          "speed, to be 1000 MHz") {
  CHECK(default_weight({0}) == 1000ms);
  CHECK(default_weight({}) == 1000ms);
  CHECK(default_weight({0, 2000}) == 750ms);
}
