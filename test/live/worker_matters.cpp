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

sentences texts_of(const std::vector<libpool::live::finding>& found) {
  sentences result;
  for (const auto& each : found)
    result.push_back(each.text);
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

/// The same, of which each worker has worked for this share of ten seconds.
sentences uneven(const pool_stats& of, const std::vector<double>& busy) {
  libpool::live::history past;
  libpool::live::pool_sample now;
  now.at = libpool::instant{20s};
  now.stats.is_timed = true;
  past.add(now);
  now.at += 10s;
  now.stats = of;
  now.stats.is_timed = true;
  for (std::size_t i = 0; i < busy.size(); ++i)
    now.stats.members[i].busy = std::chrono::round<duration>(busy[i] * 10s);
  std::vector<libpool::live::finding> found;
  libpool::live::tell_uneven(found, now, past.beginning(now.at));
  return texts_of(found);
}

sentences slow(const pool_stats& of) {
  std::vector<libpool::live::finding> found;
  libpool::live::tell_slow_workers(found, of);
  return texts_of(found);
}

sentences tiny(std::uint64_t completed, duration service, duration lately) {
  pool_stats changed;
  changed.tasks.completed = completed;
  for (auto i = 0; i < 10; ++i)
    changed.total.services.record(service);
  std::vector<libpool::live::finding> found;
  libpool::live::tell_tiny(found, changed, lately);
  return texts_of(found);
}

} // namespace

TEST_CASE(
  "a finding reports a worker that takes four times as long as the others") {
  CHECK(
    slow(pool({worker(0, 5ms), worker(1, 6ms), worker(2, 100ms)}))
    == sentences{
      "worker 2 takes 100 ms per task on average, the other workers 6.0 ms"});
  CHECK(slow(pool({worker(0, 5ms), worker(1, 19ms)})).empty());
  CHECK(slow(pool({worker(0, 5ms), worker(1, 20ms)})).size() == 1);
  CHECK(slow(pool({worker(0, 5ms), worker(1, 90ms, 0, 9)})).empty());
  CHECK(slow(pool({worker(0, 5ms)})).empty());
  CHECK(slow(pool({worker(0, 0ms), worker(1, 0ms)})).empty());
}

TEST_CASE(
  "a finding reports a worker that has many tasks while others were idle") {
  auto one = pool({worker(0, 5ms, 11), worker(1, 5ms, 0), worker(2, 5ms, 1)});
  CHECK(
    uneven(one, {1, 0.2, 0.34})
    == sentences{"worker 0 has 11 tasks, while the other 2 workers were idle "
                 "for 73 % of the last 10 s"});
  CHECK(uneven(one, {1, 0.95, 0.95}).empty());
  auto two = pool({worker(0, 5ms, 11), worker(1, 5ms, 1)});
  CHECK(
    uneven(two, {1, 0.27})
    == sentences{"worker 0 has 11 tasks, while the other worker was idle for "
                 "73 % of the last 10 s"});
  CHECK(uneven(pool({worker(0, 5ms, 10), worker(1, 5ms, 0)}), {1, 0}).empty());
  CHECK(uneven(pool({worker(0, 5ms, 11)}), {1}).empty());
  CHECK(uneven(pool({}), {}).empty());
}

TEST_CASE("the live view reports tasks that take no longer than sending a "
          "message to a worker takes") {
  CHECK(tiny(200'000, 200ns, 10s).size() == 1);
  CHECK(tiny(199'999, 200ns, 10s).empty());
  CHECK(tiny(200'000, 2us, 10s).empty());
  CHECK(tiny(200'000, 200ns, 0s).empty());
}
