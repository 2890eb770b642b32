#include "libpool/core/autoscaler.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

using libpool::autoscale;
using libpool::autoscaler;
using libpool::duration;
using libpool::histogram;
using libpool::instant;
using libpool::never;
using libpool::objection_to;
using libpool::pool_load;
using namespace std::chrono_literals;

namespace {

/// A pool whose load is told to an autoscaler, interval by interval. Workers
/// are made and retired at once.
struct scaled_pool {
  explicit scaled_pool(const autoscale& rule, std::size_t first = 1)
    : scaler(rule), wanted(first) {
    load.waits = &waits;
    decide();
  }

  std::size_t decide() {
    load.workers = load.slots = wanted;
    wanted = scaler.decide(load, wanted, now);
    return wanted;
  }

  /// Lets one interval pass, in which `n` tasks of the length `service` arrive
  /// and end, and each waits for `wait`.
  std::size_t interval(std::uint64_t n, duration service, duration wait = 0ns) {
    if (n > 0) {
      ++load.arrived;
      decide();
      load.arrived += n - 1;
    }
    load.ended += n;
    load.busy_time += static_cast<duration::rep>(n) * service;
    for (std::uint64_t i = 0; i < n; ++i)
      waits.record(wait);
    now += scaler.rule().interval;
    return decide();
  }

  /// Has tasks wait, the first one for `wait`, while no worker has room.
  void fill(std::uint64_t n, duration wait) {
    load.waiting = n;
    load.oldest = now + scaler.rule().interval - wait;
    load.has_room = false;
    decide();
  }

  autoscaler scaler;
  histogram waits;
  pool_load load;
  std::size_t wanted;
  instant now{1h};
};

constexpr autoscale wide{1, 1'000, 20ms, 30s, 1s};

} // namespace

TEST_CASE("bounds of an autoscaled pool that contradict each other are named") {
  CHECK(!objection_to(wide));
  CHECK(*objection_to({0, 0}) == "most must be at least 1, got 0");
  CHECK(*objection_to({5, 4}) == "least must be at most most (4), got 5");
  CHECK(*objection_to({1, 2, 0ns}) == "target_wait must be above 0, got 0 ns");
  CHECK(*objection_to({1, 2, 1ns, 1s, 0ns})
        == "interval must be above 0, got 0 ns");
  CHECK(*objection_to({1, 2, 1ns, 1s, 2s})
        == "cooldown must be at least interval (2000000000 ns), got 1000000000 "
           "ns");
}

TEST_CASE("a pool grows to arrivals x service / 0.8, at most twofold in an "
          "interval") {
  scaled_pool pool{wide};
  CHECK(pool.interval(100, 100ms) == 2);
  CHECK(pool.interval(100, 100ms) == 4);
  CHECK(pool.interval(100, 100ms) == 8);
  CHECK(pool.interval(100, 100ms) == 13);
  CHECK(pool.interval(100, 100ms) == 13);
  CHECK(pool.scaler.why() == "100 messages/s of 100 ms each");
}

TEST_CASE("a pool has at most `most` workers, and says so") {
  scaled_pool pool{{1, 3, 20ms, 30s, 1s}};
  pool.interval(100, 100ms);
  CHECK(pool.interval(100, 100ms) == 3);
  CHECK(pool.scaler.why() == "100 messages/s of 100 ms each, but at most 3");
}

TEST_CASE("workers with several slots are needed in smaller numbers") {
  scaled_pool pool{wide, 8};
  pool.load.arrived = 100;
  pool.load.ended = 100;
  pool.load.busy_time = 100 * 160ms; // 20 slots
  pool.now += 1s;
  pool.load.workers = 8;
  pool.load.slots = 16;
  CHECK(pool.scaler.decide(pool.load, 8, pool.now) == 10);
}

TEST_CASE("waits above the target add a worker, and those that the waiting "
          "tasks need") {
  scaled_pool pool{wide, 10};
  pool.fill(1, 1ms);
  CHECK(pool.interval(50, 100ms, 80ms) == 11);
  CHECK(pool.scaler.why() == "p95 of waits 83.9 ms > 20 ms");
  pool.fill(100, 1ms);
  CHECK(pool.interval(50, 100ms, 80ms) == 17); // 5 ÷ 0.8 and 100 × 0.1
  SUBCASE("also before any task has ended") {
    pool.fill(1, 500ms);
    CHECK(pool.interval(0, 0ms) == 18);
    CHECK(pool.scaler.why() == "p95 of waits 500 ms > 20 ms");
  }
  SUBCASE("unless a worker had room, so that more would not help") {
    pool.load.has_room = true;
    pool.load.waiting = 1;
    CHECK(pool.interval(50, 100ms, 80ms) == 17);
  }
}

TEST_CASE("waits do not count before new workers had the time to start") {
  scaled_pool pool{wide, 10};
  pool.scaler.starts_in(2500ms);
  auto wait = [&] {
    pool.fill(1, 1ms);
    return pool.interval(50, 100ms, 80ms);
  };
  CHECK(wait() == 11);
  CHECK(wait() == 11);
  CHECK(wait() == 11);
  CHECK(wait() == 11);
  CHECK(wait() == 12);
}

TEST_CASE("a pool shrinks by one in an interval, after the cooldown") {
  scaled_pool pool{{2, 100, 20ms, 3s, 1s}, 5};
  CHECK(pool.interval(8, 100ms) == 5);
  CHECK(pool.interval(8, 100ms) == 5);
  CHECK(pool.scaler.why() == "8 messages/s of 100 ms each: 2 would be enough");
  CHECK(pool.interval(8, 100ms) == 5);
  CHECK(pool.interval(8, 100ms) == 4);
  CHECK(pool.interval(8, 100ms) == 3);
  CHECK(pool.interval(8, 100ms) == 2);
  CHECK(pool.interval(0, 0ms) == 2);
  SUBCASE("a busy interval begins the cooldown anew") {
    CHECK(pool.interval(100, 100ms) == 4);
    CHECK(pool.interval(8, 100ms) == 7); // 107 tasks in two seconds
  }
}

TEST_CASE("busy workers are not retired") {
  scaled_pool pool{{0, 100, 20ms, 1s, 1s}, 5};
  pool.load.busy = 4;
  for (auto i = 0; i < 5; ++i)
    pool.interval(0, 0ms);
  CHECK(pool.wanted == 4);
  pool.load.busy = 0;
  for (auto i = 0; i < 7; ++i)
    pool.interval(0, 0ms);
  CHECK(pool.wanted == 0);
}

TEST_CASE("a message in a pool without workers makes the first one") {
  scaled_pool pool{{0, 100, 20ms, 1s, 1s}, 0};
  CHECK(pool.scaler.next(pool.load, 0) == never);
  pool.load.waiting = 1;
  CHECK(pool.decide() == 1);
  CHECK(pool.scaler.why() == "a message waits");
  CHECK(pool.scaler.next(pool.load, 1) == pool.now + 1s);
}

TEST_CASE("the first message after a quiet time is not a rate") {
  scaled_pool pool{wide};
  pool.now += 1h;
  pool.load.arrived = 1'000;
  CHECK(pool.decide() == 1);
  CHECK(pool.interval(10, 10ms) == 1);
}

TEST_CASE("a paused pool keeps its workers") {
  scaled_pool pool{{1, 100, 20ms, 1s, 1s}, 5};
  pool.load.is_paused = true;
  pool.fill(1'000, 500ms);
  for (auto i = 0; i < 5; ++i)
    CHECK(pool.interval(0, 0ms) == 5);
  CHECK(pool.scaler.next(pool.load, 5) == never);
  CHECK(pool.scaler.why() == "the pool is paused");
  pool.load.is_paused = false;
  pool.load.waiting = 0;
  CHECK(pool.interval(0, 0ms) == 5);
}

TEST_CASE("a pool that drains does not shrink") {
  scaled_pool pool{{1, 100, 20ms, 1s, 1s}, 5};
  pool.load.drains = true;
  for (auto i = 0; i < 5; ++i)
    CHECK(pool.interval(0, 0ms) == 5);
  pool.fill(1'000, 500ms);
  CHECK(pool.interval(10, 100ms, 500ms) > 5);
}

TEST_CASE("a number outside the bounds is moved into them after an interval") {
  scaled_pool pool{{2, 4, 20ms, 30s, 1s}, 3};
  pool.wanted = 9;
  CHECK(pool.decide() == 9);
  CHECK(pool.interval(0, 0ms) == 4);
  pool.wanted = 0; // workers have ended, and were not replaced
  CHECK(pool.decide() == 0);
  CHECK(pool.interval(0, 0ms) == 2);
}

TEST_CASE("a first worker that ends is made again at most once in an "
          "interval") {
  scaled_pool pool{{0, 4, 20ms, 30s, 1s}, 0};
  pool.load.waiting = 1;
  CHECK(pool.decide() == 1);
  pool.wanted = 0;
  CHECK(pool.decide() == 0);
  CHECK(pool.scaler.next(pool.load, 0) == pool.now + 1s);
  pool.now += 1s;
  CHECK(pool.decide() == 1);
}

// -- any load -----------------------------------------------------------------

namespace {

autoscale any_rule() {
  auto most = *rc::gen::inRange<std::size_t>(1, 50);
  auto least = *rc::gen::inRange<std::size_t>(0, most + 1);
  auto intervals = *rc::gen::inRange(1, 6);
  return {least, most, 20ms, intervals * 1s, 1s};
}

/// Changes the load of the pool at random, and lets some time pass.
void change(scaled_pool& pool) {
  auto& load = pool.load;
  auto ended = *rc::gen::inRange<std::uint64_t>(0, 200);
  load.arrived += ended + *rc::gen::inRange<std::uint64_t>(0, 20);
  load.ended += ended;
  load.busy_time += static_cast<duration::rep>(ended)
                    * std::chrono::milliseconds(*rc::gen::inRange(0, 400));
  for (std::uint64_t i = 0; i < ended; ++i)
    pool.waits.record(std::chrono::milliseconds(*rc::gen::inRange(0, 60)));
  load.waiting = *rc::gen::element<std::uint64_t>(0, 0, 1, 30, 10'000);
  load.oldest = load.waiting > 0 ? pool.now - 10ms : never;
  load.busy = *rc::gen::inRange<std::size_t>(0, pool.wanted + 1);
  load.has_room = *rc::gen::arbitrary<bool>();
  load.is_paused = *rc::gen::inRange(0, 8) == 0;
  load.drains = *rc::gen::inRange(0, 8) == 0;
  pool.now += *rc::gen::element<duration>(0ms, 300ms, 1s, 1s, 1s, 5s);
}

} // namespace

TEST_CASE(
  "the wanted number of workers stays in its bounds under any load, at "
  "most doubles, and falls by one after a cooldown, to no less than the "
  "busy workers") {
  auto holds = rc::check([] {
    const auto rule = any_rule();
    scaled_pool pool{rule, *rc::gen::inRange(rule.least, rule.most + 1)};
    auto enough = pool.now; // the last time at which the number was not lower
    auto last_step = instant::min();
    for (auto i = 0; i < 40; ++i) {
      change(pool);
      auto before = pool.wanted;
      auto after = pool.decide();
      RC_ASSERT(after >= rule.least && after <= rule.most);
      RC_ASSERT(after <= std::max<std::size_t>(1, 2 * before));
      RC_ASSERT(after + 1 >= before);
      RC_ASSERT(after >= before
                || (after >= pool.load.busy && !pool.load.is_paused
                    && !pool.load.drains && pool.now - enough >= rule.cooldown
                    && pool.now >= last_step + rule.interval));
      RC_ASSERT(after > 0 || pool.load.waiting == 0);
      if (after > before)
        enough = pool.now;
      if (after != before)
        last_step = pool.now;
      if (auto again = pool.scaler.next(pool.load, after); again == never)
        RC_ASSERT(pool.load.is_paused || after == rule.least);
      else
        RC_ASSERT(again > pool.now);
    }
  });
  CHECK(holds);
}
