#include "libpool/policies/peak_ewma.hpp"
#include "support/placement_world.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <stdexcept>

using libpool::duration;
using libpool::peak_ewma;
using libpool::peak_ewma_options;
using test::placement_world;
using names = placement_world::names;
using namespace std::chrono_literals;

namespace {

peak_ewma_options decaying_in(duration time) {
  peak_ewma_options options;
  options.decay = time;
  return options;
}

/// Two workers, so that both are drawn for every task.
struct peaks_world : placement_world {
  explicit peaks_world(const peak_ewma_options& options = {})
    : placement_world(std::make_unique<peak_ewma>(options)) {
    join_all(2);
  }

  /// The worker runs a task for that long, and nothing else happens.
  void sample(std::size_t worker, duration cost, bool crashes = false) {
    submit_only({worker});
    auto task = last();
    pass(cost);
    crashes ? crash(task) : finish(task);
  }

  /// The worker runs a task of that processor time at this moment.
  void sample_cpu(std::size_t worker, duration cost) {
    submit_only({worker});
    tasks.back().cpu_time = cost;
    finish(last());
  }
};

} // namespace

TEST_CASE(
  "the placement peak_ewma chooses the worker with the smaller latency") {
  peaks_world w;
  w.sample(0, 3ms);
  w.sample(1, 2ms);
  CHECK(w.serve(2ms) == 1);
}

TEST_CASE("the load of a worker is its latency times one more than its tasks "
          "in flight") {
  // 5 ms and 2 ms, both fresh: 5·1 = 5 against 2, 4, 6.
  peaks_world w;
  w.sample(0, 5ms);
  w.sample(1, 2ms);
  CHECK(w.submit_all(3) == names{1, 1, 0});
  // 5·2 = 10 against 6, 8, 10.
  CHECK(w.submit_all(2) == names{1, 1});
}

TEST_CASE(
  "a single peak raises the estimated latency of a worker immediately") {
  peaks_world w;
  for (auto i = 0; i < 10; ++i) {
    w.sample(0, 1ms);
    w.sample(1, 2ms);
  }
  CHECK(w.serve(1ms) == 0);
  w.sample(0, 3ms); // one of eleven, and yet
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

TEST_CASE("latencies that are measured just after a peak hardly lower the "
          "estimated latency of a worker") {
  // After 1 ms of 10 s, 100 ms and 1 ms make 99.99 ms.
  peaks_world w;
  w.sample(0, 100ms);
  w.sample(0, 1ms);
  w.sample(1, 50ms);
  CHECK(w.submit() == 1);
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

TEST_CASE("a worker whose tasks crash quickly does not attract tasks") {
  peaks_world w; // the penalty is a second
  w.sample(0, 1ms, true);
  w.pass(10ms); // it rests no more
  w.sample(1, 900ms);
  CHECK(w.submit() == 1);
}

TEST_CASE("a crash counts as a latency of the duration of the task if the "
          "duration exceeds the penalty for crashes") {
  peak_ewma_options options;
  options.failure_penalty = 1ms;
  peaks_world w{options};
  w.sample(0, 20ms, true);
  w.pass(50ms);
  w.sample(1, 10ms);
  CHECK(w.submit() == 1);
}

TEST_CASE("a crash counts as a latency of at least the penalty that the option "
          "'failure_penalty' states") {
  peak_ewma_options options;
  options.failure_penalty = 1ms;
  peaks_world w{options};
  w.sample(0, 1us, true);
  w.pass(50ms);
  w.sample(1, 10ms);
  CHECK(w.submit() == 0);
}

TEST_CASE("a latency below the minimum in the option 'floor' is replaced by "
          "this minimum") {
  // Both are at the floor, so the tie rule decides; otherwise worker 1 would be
  // chosen again and again, with 1 ns · 2 less than 500 ns · 1.
  peak_ewma_options options;
  options.floor = 1us;
  peaks_world w{options};
  w.sample(0, 500ns);
  w.sample(1, 1ns);
  CHECK(w.submit_all(4) == names{0, 1, 0, 1});
}

TEST_CASE("a task that takes no time counts as a latency of the minimum in the "
          "option 'floor'") {
  peaks_world w;
  for (auto i = 0; i < 3; ++i) {
    w.sample(0, 0ns);
    w.sample(1, 0ns);
  }
  CHECK(w.submit_all(6) == names{0, 1, 0, 1, 0, 1});
}

TEST_CASE("the estimated latency of a worker does not decay below the minimum "
          "in the option 'floor'") {
  peak_ewma_options options = decaying_in(1s);
  options.floor = 1us;
  peaks_world w{options};
  w.sample(0, 2us);
  w.pass(1h);
  w.sample(1, 1ns); // up to the floor, and chosen last
  CHECK(w.submit_all(4) == names{0, 1, 0, 1});
}

TEST_CASE("a worker whose latency was never measured gets a task, but no "
          "second task before the first one ends") {
  peaks_world w;
  w.sample(0, 10ms);
  w.sample(1, 10ms);
  w.join();
  // Worker 2 has the least load when it is drawn, but only once.
  std::size_t tried = 0;
  for (auto i = 0; i < 50; ++i)
    if (w.submit() == 2)
      ++tried;
  CHECK(tried == 1);
}

TEST_CASE(
  "each of several workers whose latency was never measured gets a task") {
  peaks_world w;
  CHECK(w.submit_all(2) == names{0, 1});
}

TEST_CASE(
  "a new worker is chosen by its latency once its first task has ended") {
  peaks_world w;
  w.sample(0, 10ms);
  CHECK(w.submit() == 1);
  auto tried = w.last();
  w.pass(1ms);
  w.finish(tried);
  // 10 ms against 1 ms times 1, 2, ...
  CHECK(w.submit_all(3) == names{1, 1, 1});
}

TEST_CASE(
  "the error for an option of peak_ewma out of bounds names the option") {
  auto made_with = [](auto change) {
    peak_ewma_options options;
    change(options);
    return std::make_unique<peak_ewma>(options);
  };
  CHECK_THROWS_WITH_AS(made_with([](auto& o) { o.decay = 0ns; }),
                       "libpool: decay: must be above 0, got 0s",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(made_with([](auto& o) { o.floor = 0ns; }),
                       "libpool: floor: must be above 0, got 0s",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(made_with([](auto& o) { o.failure_penalty = -1ns; }),
                       "libpool: failure_penalty: must be at least 0, got -1ns",
                       std::invalid_argument);
}
