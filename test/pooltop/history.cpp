#include "pooltop/history.hpp"

#include <doctest/doctest.h>

using namespace pooltop;

namespace {

snapshot one_pool(const pool& of) {
  snapshot result;
  result.pools.push_back(of);
  return result;
}

pool waiting(double tasks) {
  pool result;
  result.name = "a";
  result.numbers["waiting"] = tasks;
  return result;
}

} // namespace

TEST_CASE("a history keeps the latest 60 samples of each pool") {
  history of;
  for (int i = 0; i < 70; ++i)
    of.add(one_pool(waiting(i)));
  const auto& samples = of.of("a").samples;
  REQUIRE(samples.size() == 60);
  CHECK(samples.front().waiting == 10);
  CHECK(samples.back().waiting == 69);
  CHECK(of.of("b").samples.empty());
}

TEST_CASE("a server that does not answer leaves a gap in the history") {
  history of;
  of.add(one_pool(waiting(1)));
  of.add_gap();
  REQUIRE(of.of("a").samples.size() == 2);
  CHECK_FALSE(of.of("a").samples.back().waiting);
}

TEST_CASE("the history of a pool that no longer exists is discarded") {
  history of;
  of.add(one_pool(waiting(1)));
  of.add({});
  of.add(one_pool(waiting(2)));
  CHECK(of.of("a").samples.size() == 1);
}

TEST_CASE("if several pools have the same name, the history under this name "
          "has the samples of the first pool") {
  history of;
  auto told = one_pool(waiting(1));
  told.pools.push_back(waiting(2));
  of.add(told);
  of.add(told);
  REQUIRE(of.of("a").samples.size() == 2);
  CHECK(of.of("a").samples.back().waiting == 1);
}
