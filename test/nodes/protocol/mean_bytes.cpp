#include "libpool/nodes/protocol/mean_bytes.hpp"

#include <doctest/doctest.h>

namespace nodes_mean_bytes_tests {

TEST_CASE(
  "a mean of no contents is zero, and the mean of one content is its size") {
  libpool::mean_bytes mean;
  CHECK(mean.value() == 0);
  mean.add(0, 7);
  CHECK(mean.value() == 0);
  mean.add(1, 1000);
  CHECK(mean.value() == 1000);
}

TEST_CASE("the latest content has a weight of one twentieth in the mean") {
  libpool::mean_bytes mean;
  mean.add(1, 1000);
  mean.add(1, 0);
  CHECK(mean.value() == doctest::Approx(950));
}

TEST_CASE("contents that arrive together count as if they arrived one by one") {
  libpool::mean_bytes together;
  libpool::mean_bytes apart;
  for (auto* each : {&together, &apart})
    each->add(1, 100'000);
  together.add(40, 40 * 8);
  for (auto i = 0; i < 40; ++i)
    apart.add(1, 8);
  CHECK(together.value() == doctest::Approx(apart.value()));
  CHECK(together.value() < 15'000);
}

} // namespace nodes_mean_bytes_tests
