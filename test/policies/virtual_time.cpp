#include "libpool/core/virtual_time.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <vector>

using libpool::later;
using libpool::virtual_time;

namespace {

constexpr auto last = std::numeric_limits<std::uint64_t>::max();
constexpr auto half = std::uint64_t{1} << 63U;

/// Moments where something might go wrong.
const std::vector<virtual_time> starts = {
  virtual_time{},         virtual_time{1},    virtual_time{half - 1},
  virtual_time{half},     virtual_time{last}, virtual_time{last - 7},
  virtual_time{half + 12}};

} // namespace

TEST_CASE("two virtual times are compared correctly even if the clock, which "
          "starts at 0, has wrapped around between them") {
  CHECK(virtual_time{} == virtual_time{0});
  CHECK(virtual_time{last} + 1 == virtual_time{0});
  for (auto start : starts) {
    CAPTURE(start - virtual_time{});
    CHECK_FALSE(start < start);
    CHECK(later(start, start) == start);
    for (std::int64_t step : {std::int64_t{1}, std::int64_t{20},
                              std::numeric_limits<std::int64_t>::max()}) {
      CAPTURE(step);
      auto end = start + step;
      CHECK(end - start == step);
      CHECK(start - end == -step);
      CHECK(start < end);
      CHECK_FALSE(end < start);
      CHECK(start != end);
      CHECK(later(start, end) == end);
      CHECK(later(end, start) == end);
      CHECK(end + -step == start);
    }
  }
}
