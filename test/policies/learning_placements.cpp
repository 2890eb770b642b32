/// The placements peak_ewma and join_shortest_estimated_queue, which learn from
/// the tasks that have ended.

#include "libpool/policies/placement/join_shortest_estimated_queue.hpp"
#include "libpool/policies/placement/peak_ewma.hpp"
#include "support/policy_world.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>

using libpool::duration;
using libpool::peak_ewma_options;
using names = test::policy_world::names;
using namespace std::chrono_literals;

namespace {

/// Two workers, so that both are drawn for every task.
struct peaks_world : test::policy_world {
  explicit peaks_world(const peak_ewma_options& options = {})
    : policy_world(std::make_unique<libpool::peak_ewma>(options)) {
    join_all(2);
  }

  /// The worker runs a task of that processor time at this moment.
  void sample_cpu(std::size_t worker, duration cost) {
    submit_only({worker});
    tasks.back().own_attempt().cpu_time = cost;
    finish(last());
  }
};

peak_ewma_options decaying_in(duration time) {
  peak_ewma_options options;
  options.decay = time;
  return options;
}

} // namespace

TEST_CASE("the placement peak_ewma chooses the worker with the smaller product "
          "of its latency and one more than its tasks in flight") {
  // 5 ms and 2 ms, both fresh: 5·1 = 5 against 2, 4, 6; then 5·2 = 10 against
  // 6, 8, 10.
  peaks_world w;
  w.sample(0, 5ms);
  w.sample(1, 2ms);
  CHECK(w.submit_all(5) == names{1, 1, 0, 1, 1});
}

TEST_CASE("a single peak raises the estimated latency of a worker at once, and "
          "latencies just after the peak hardly lower it") {
  peaks_world w;
  for (auto i = 0; i < 10; ++i) {
    w.sample(0, 1ms);
    w.sample(1, 2ms);
  }
  CHECK(w.serve(1ms) == 0);
  w.sample(0, 3ms); // one of eleven, and yet
  CHECK(w.serve(2ms) == 1);
  w.sample(0, 100ms);
  w.sample(0, 1ms); // after 1 ms of 10 s, 99.99 ms
  w.sample(1, 50ms);
  CHECK(w.submit() == 1);
}

TEST_CASE(
  "one decay time after a peak, the peak has the weight 1/e in the latency") {
  // Worker 0: a peak of 100 ms, and after one decay a sample of 1 ms: 100/e + 1
  // · (1 - 1/e) = 37.4 ms. Worker 1: one sample of x at that moment.
  for (auto x : {36, 39}) {
    CAPTURE(x);
    auto options = decaying_in(1s);
    options.measure = libpool::measure::cpu_time;
    peaks_world w{options};
    w.sample_cpu(0, 100ms);
    w.pass(1s);
    w.sample_cpu(0, 1ms);
    w.sample_cpu(1, std::chrono::milliseconds{x});
    CHECK(w.submit() == (x < 37 ? 1 : 0));
  }
}

TEST_CASE(
  "a latency without new samples decays, so that its worker is tried again") {
  // Worker 0: 100 ms at 100 ms. Worker 1: 10 ms at 110 ms, and again at t - 10
  // ms. 100 ms · e^(-t/1 s) is less than 10 ms once t is 2.303 s.
  for (auto t : {2200ms, 2450ms}) {
    CAPTURE(t.count());
    peaks_world w{decaying_in(1s)};
    w.sample(0, 100ms);
    w.pass(t - 10ms);
    w.sample(1, 10ms);
    CHECK(w.submit() == (t < 2303ms ? 1 : 0));
  }
}

TEST_CASE("a crash counts as a latency of the duration of the task, and of at "
          "least the penalty that the option 'failure_penalty' states") {
  struct row {
    duration penalty;
    duration took;
    duration other; // latency of worker 1
    std::size_t chosen;
  };
  for (const auto& each :
       {row{peak_ewma_options{}.failure_penalty, 1ms, 900ms, 1},
        row{1ms, 20ms, 10ms, 1}, row{1ms, 1us, 10ms, 0}}) {
    peak_ewma_options options;
    options.failure_penalty = each.penalty;
    peaks_world w{options};
    w.sample(0, each.took, true);
    w.pass(50ms); // it rests no more
    w.sample(1, each.other);
    CHECK(w.submit() == each.chosen);
  }
}

TEST_CASE("a latency below the minimum in the option 'floor' is replaced by "
          "this minimum, and does not decay below this minimum") {
  // Both are at the floor, so the tie rule decides; otherwise worker 1 would be
  // chosen again and again, with 1 ns · 2 less than 500 ns · 1.
  struct row {
    duration first;
    duration pause;
    duration second;
  };
  for (const auto& each :
       {row{500ns, 0ns, 1ns}, row{0ns, 0ns, 0ns}, row{2us, 1h, 1ns}}) {
    auto options = decaying_in(1s);
    options.floor = 1us;
    peaks_world w{options};
    w.sample(0, each.first);
    w.pass(each.pause);
    w.sample(1, each.second);
    CHECK(w.submit_all(4) == names{0, 1, 0, 1});
  }
}

TEST_CASE("a worker whose latency was never measured gets a task, but no "
          "second task before the first one ends") {
  peaks_world w;
  CHECK(w.submit_all(2) == names{0, 1});
  for (auto i : {0U, 1U}) {
    w.pass(10ms);
    w.finish(i);
  }
  w.join();
  // Worker 2 has the least load when it is drawn, but only once.
  auto chosen = w.submit_all(50);
  CHECK(std::count(chosen.begin(), chosen.end(), 2) == 1);
}

TEST_CASE(
  "a new worker is chosen by its latency once its first task has ended") {
  peaks_world w;
  w.sample(0, 10ms);
  CHECK(w.serve(1ms) == 1);
  // 10 ms against 1 ms times 1, 2, ...
  CHECK(w.submit_all(3) == names{1, 1, 1});
}

namespace join_shortest_estimated_queue_tests {

using libpool::join_shortest_estimated_queue;
using names = test::policy_world::names;
using namespace std::chrono_literals;

namespace {

struct queues_world : test::policy_world {
  explicit queues_world(std::size_t size = 2, double alpha = 0.25)
    : policy_world(std::make_unique<join_shortest_estimated_queue>(
      libpool::shortest_queue_options{alpha})) {
    join_all(size);
  }

  libpool::task& of_kind(std::uint64_t kind) {
    auto& added = add();
    added.set_kind(kind);
    return added;
  }

  std::size_t submit_of(std::uint64_t kind) {
    return submit(of_kind(kind));
  }

  std::size_t submit_known(libpool::duration estimate) {
    auto& added = add();
    added.own_notes().estimate = estimate;
    return submit(added);
  }
};

} // namespace

TEST_CASE("the worker with the fewest tasks in flight is chosen while no task "
          "has ended") {
  CHECK(queues_world{3}.submit_all(5) == names{0, 1, 2, 0, 1});
}

TEST_CASE("a worker with one long task gets the next task if the short tasks "
          "of the other worker take longer in total") {
  queues_world w;
  w.serve(w.of_kind(1), 10ns);
  w.serve(w.of_kind(2), 3ns);
  CHECK(w.submit_of(1) == 0); // 10 and 0
  names chosen;
  for (auto i = 0; i < 6; ++i) // 10 and 3, 6, 9, 12; 13 and 12
    chosen.push_back(w.submit_of(2));
  CHECK(chosen == names{1, 1, 1, 1, 0, 1});
}

TEST_CASE(
  "a task that has ended does not count in the load of its worker any more") {
  queues_world w;
  w.serve(w.of_kind(1), 10ns);
  CHECK(w.submit_of(1) == 1); // it was chosen longest ago
  CHECK(w.submit_of(1) == 0);
  w.finish(1);
  CHECK(w.submit_of(1) == 1);
}

TEST_CASE("the estimate for a kind of tasks is a moving average in which a new "
          "sample has the weight alpha, and crashes do not count") {
  queues_world w{2, 0.5};
  w.serve(w.of_kind(1), 10ns);
  w.serve(w.of_kind(1), 20ns); // 15
  w.submit_of(1);
  w.pass(1000ns);
  w.crash(w.last());
  CHECK(w.submit_known(14ns) == 1); // 0 and 14
  CHECK(w.submit_of(1) == 0);       // 15 and 14
  CHECK(w.submit_known(2ns) == 1);  // 15 and 16
  CHECK(w.submit_known(1ns) == 0);
}

TEST_CASE(
  "the estimate of a task of an unknown kind is the mean of the known kinds") {
  queues_world w;
  w.serve(w.of_kind(1), 10ns);
  w.serve(w.of_kind(2), 30ns);
  CHECK(w.submit_of(3) == 0);       // 20 and 0
  CHECK(w.submit_known(19ns) == 1); // 20 and 19
  CHECK(w.submit_known(2ns) == 1);  // 20 and 21
  CHECK(w.submit_known(2ns) == 0);
}

TEST_CASE("a restricted task goes to the permitted worker with the least "
          "work") {
  queues_world w{3};
  CHECK(w.submit_known(5ns) == 0);
  CHECK(w.submit_known(3ns) == 1);
  CHECK(w.submit_only({0, 1}) == 1);
}

} // namespace join_shortest_estimated_queue_tests
