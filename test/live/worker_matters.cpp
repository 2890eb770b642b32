#include "libpool/live/worker_matters.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <vector>

using namespace std::chrono_literals;

using libpool::duration;
using libpool::member_stats;
using libpool::pool_stats;
using sentences = std::vector<std::string>;

namespace {

member_stats worker(std::uint64_t number, duration mean,
                    std::size_t in_flight = 0, std::uint64_t completed = 100) {
  member_stats result;
  result.number = number;
  result.mean_service = mean;
  result.in_flight = in_flight;
  result.completed = completed;
  return result;
}

pool_stats pool(std::vector<member_stats> members) {
  pool_stats result;
  result.workers = members.size();
  for (const auto& each : members)
    result.busy += each.in_flight > 0 ? 1 : 0;
  result.members = std::move(members);
  return result;
}

sentences slow(const pool_stats& of) {
  sentences result;
  libpool::live::tell_slow_workers(result, of);
  return result;
}

sentences uneven(const pool_stats& of) {
  sentences result;
  libpool::live::tell_uneven(result, of);
  return result;
}

sentences tiny(std::uint64_t completed, duration service, duration lately) {
  pool_stats changed;
  changed.tasks.completed = completed;
  for (auto i = 0; i < 10; ++i)
    changed.total.services.record(service);
  sentences result;
  libpool::live::tell_tiny(result, changed, lately);
  return result;
}

} // namespace

TEST_CASE("a worker that takes four times as long as the others is told") {
  CHECK(slow(pool({worker(0, 5ms), worker(1, 6ms), worker(2, 100ms)}))
        == sentences{"worker 2 takes 100 ms for a task, the others 6.0 ms"});
  CHECK(slow(pool({worker(0, 5ms), worker(1, 19ms)})).empty());
  CHECK(slow(pool({worker(0, 5ms), worker(1, 20ms)})).size() == 1);
  CHECK(slow(pool({worker(0, 5ms), worker(1, 90ms, 0, 9)})).empty());
  CHECK(slow(pool({worker(0, 5ms)})).empty());
  CHECK(slow(pool({worker(0, 0ms), worker(1, 0ms)})).empty());
}

TEST_CASE("a worker that has many tasks while others are idle is told") {
  CHECK(uneven(pool({worker(0, 5ms, 11), worker(1, 5ms, 0), worker(2, 5ms, 0)}))
        == sentences{"worker 0 has 11 tasks, while 2 others are idle"});
  CHECK(uneven(pool({worker(0, 5ms, 11), worker(1, 5ms, 1)})).empty());
  CHECK(uneven(pool({worker(0, 5ms, 10), worker(1, 5ms, 0)})).empty());
  CHECK(uneven(pool({})).empty());
}

TEST_CASE("tasks that take no longer than their messages are told") {
  CHECK(tiny(200'000, 200ns, 10s).size() == 1);
  CHECK(tiny(199'999, 200ns, 10s).empty());
  CHECK(tiny(200'000, 2us, 10s).empty());
  CHECK(tiny(200'000, 200ns, 0s).empty());
}
