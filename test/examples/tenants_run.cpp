/// Clients of the example with the noisy tenant that are told no.

#include "tenants/run.hpp"

#include "libpool/pool.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>

using libpool::actor_pool;
using namespace std::chrono_literals;

namespace {

live_page::wanted nowhere;

tenants::scenario short_one(std::size_t workers) {
  tenants::scenario out;
  out.workers = workers;
  out.length = 100ms;
  out.demands = {{"alice", 0, 5ms, 1ms, 1ms}, {"mallory", 8, 0ms, 1ms, 2ms}};
  return out;
}

} // namespace

TEST_CASE("clients count the requests that a full pool refuses, and continue "
          "to send requests") {
  libpool::managed_options options;
  options.capacity = 1;
  auto result = tenants::run("full", actor_pool::shared_queue(options),
                             short_one(1), nowhere);
  REQUIRE(result.tenants.size() == 2);
  auto& mallory = result.tenants[1];
  CHECK(mallory.answered > 0);
  CHECK(mallory.refused > 0);
  CHECK(mallory.times.count() == mallory.answered + mallory.gave_up);
}

TEST_CASE("clients end even if the pool has no workers") {
  for (auto& each :
       tenants::run("nobody", actor_pool::round_robin(), short_one(0), nowhere)
         .tenants) {
    CHECK(each.answered == 0);
    CHECK(each.refused > 0);
  }
}
