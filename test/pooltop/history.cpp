#include "pooltop/history.hpp"

#include <doctest/doctest.h>

using namespace pooltop;

namespace {

snapshot waiting(double tasks) {
  snapshot result;
  auto& pool = result.pools.emplace_back();
  pool.name = "a";
  pool.numbers["waiting"] = tasks;
  return result;
}

} // namespace

TEST_CASE("a history keeps the latest 60 samples of each pool, with gaps where "
          "the server did not answer") {
  history of;
  for (int i = 0; i < 70; ++i)
    of.add(waiting(i));
  const auto& samples = of.of("a").samples;
  REQUIRE(samples.size() == 60);
  CHECK(samples.front().waiting == 10);
  CHECK(samples.back().waiting == 69);
  CHECK(of.of("b").samples.empty());
  of.add_gap();
  CHECK_FALSE(of.of("a").samples.back().waiting);
}

TEST_CASE("the history of a pool that no longer exists is discarded") {
  history of;
  of.add(waiting(1));
  of.add({});
  of.add(waiting(2));
  CHECK(of.of("a").samples.size() == 1);
}

TEST_CASE("if several pools have the same name, the history under this name "
          "has the samples of the first pool") {
  history of;
  auto told = waiting(1);
  told.pools.push_back(waiting(2).pools.front());
  of.add(told);
  of.add(told);
  REQUIRE(of.of("a").samples.size() == 2);
  CHECK(of.of("a").samples.back().waiting == 1);
}
