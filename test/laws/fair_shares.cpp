/// The shares of flows under fair queuing, on the virtual clock, through the
/// dispatcher.

#include "libpool/core/splitmix64.hpp"
#include "support/policy_world.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

using libpool::duration;
using libpool::fair_mode;
using libpool::fair_queuing_options;
using libpool::splitmix64;
using test::policy_world;
using namespace std::chrono_literals;

namespace {

/// A client that keeps so many tasks in the pool.
struct client {
  std::string name;
  std::size_t outstanding = 1;
  std::size_t width = 1;
  duration shortest = 1ms;
  duration longest = 1ms;
};

class closed_loop {
public:
  closed_loop(const fair_queuing_options& how, std::size_t workers,
              std::size_t seats, std::vector<client> clients)
    : world(how), clients_(std::move(clients)) {
    for (std::size_t i = 0; i < workers; ++i)
      world.seat(seats);
    world.ends = [this](std::size_t task) { go_on(task); };
    for (const auto& each : clients_)
      for (std::size_t i = 0; i < each.outstanding; ++i)
        submit(each);
  }

  void submit(const client& from) {
    auto range =
      static_cast<std::uint64_t>((from.longest - from.shortest).count());
    world.submit(from.name, from.width,
                 from.shortest + duration{draws_.below(range + 1)});
  }

  /// The part of each flow in the seat time that all have got.
  std::map<std::string, double> parts() const {
    std::map<std::string, double> result;
    auto sum = 0.0;
    for (const auto& each : clients_)
      sum += seat_time(each);
    for (const auto& each : clients_)
      result[each.name] = seat_time(each) / sum;
    return result;
  }

  /// The longest wait of a task of the flow that has begun.
  duration longest_wait(const std::string& flow) const {
    duration result{0};
    for (auto task : world.sent)
      if (world.tasks[task].flow.key().name() == flow)
        result = std::max(result, world.tasks[task].started
                                    - world.tasks[task].accepted);
    return result;
  }

  policy_world world;

private:
  /// Before the task ends, so that its flow is not idle.
  void go_on(std::size_t task) {
    for (const auto& each : clients_)
      if (each.name == world.tasks[task].flow.key().name())
        submit(each);
  }

  double seat_time(const client& of) const {
    return static_cast<double>(world.row(of.name)->seat_time.count());
  }

  std::vector<client> clients_;
  splitmix64 draws_{7};
};

/// Whether the next task could begin, but has not.
bool dawdles(const policy_world& w) {
  std::size_t all = 0;
  std::size_t taken = 0;
  for (const auto& worker : w.workers)
    if (worker.seated) {
      all += worker.seats;
      taken += worker.seats_charged;
    }
  const auto* next = w.policies.order->choose(w.now);
  if (next == nullptr || std::min(next->notes().width, all) + taken > all)
    return false;
  return std::any_of(w.workers.begin(), w.workers.end(), [&](auto& worker) {
    auto needs = std::min(next->notes().width, worker.seats);
    return worker.seated && worker.seats_taken + needs <= worker.seats;
  });
}

struct machine {
  std::size_t workers;
  std::size_t seats;
};

constexpr auto third = 1.0 / 3;

} // namespace

// Whatever is outstanding, the services of two flows differ by no more than
// 2 W G + 2 C max(S - G, G) = 6 + 24 ms; of 4 · 2 s that is 0.4 %.
TEST_CASE("three clients with 8, 32 and 128 outstanding tasks each get a third "
          "of the service time") {
  for (auto how : {machine{1, 4}, machine{4, 1}, machine{2, 2}}) {
    CAPTURE(how.workers);
    closed_loop loop{
      {}, how.workers, how.seats, {{"few", 8}, {"more", 32}, {"many", 128}}};
    loop.world.pass(2s);
    for (const auto& each : loop.parts()) {
      CAPTURE(each.first);
      CHECK(each.second > third * 0.99);
      CHECK(each.second < third * 1.01);
    }
  }
}

// The pool counts the full width also where each worker has one seat. The bound
// is 2·4·3 + 24 ms: 0.6 % of 8 s if all seats are used; but a wide task
// collects its seats, and of these at least one is in use.
TEST_CASE("three clients whose tasks take 1, 2 and 4 seats of the workers each "
          "get a third of the time of all seats") {
  for (auto how : {machine{1, 4}, machine{4, 1}, machine{2, 2}}) {
    CAPTURE(how.workers);
    closed_loop loop{{},
                     how.workers,
                     how.seats,
                     {{"narrow", 8, 1}, {"wide", 32, 2}, {"widest", 128, 4}}};
    loop.world.pass(2s);
    for (const auto& each : loop.parts()) {
      CAPTURE(each.first);
      CHECK(each.second > third * 0.95);
      CHECK(each.second < third * 1.05);
    }
  }
}

TEST_CASE(
  "clients with shares of 1, 2 and 5 get 1/8, 2/8 and 5/8 of the seat time") {
  fair_queuing_options options;
  options.shares = {{"one", 1}, {"two", 2}, {"five", 5}};
  closed_loop loop{options, 2, 2, {{"one", 30}, {"two", 20}, {"five", 10}}};
  loop.world.pass(2s);
  // 2 W G / s + 2 C max(S - G, G) / s = 30 ms at most, of the 1 s of the first.
  auto parts = loop.parts();
  CHECK(parts["one"] == doctest::Approx(1.0 / 8).epsilon(0.03));
  CHECK(parts["two"] == doctest::Approx(2.0 / 8).epsilon(0.03));
  CHECK(parts["five"] == doctest::Approx(5.0 / 8).epsilon(0.03));
}

// Tasks of 1 and of 20 ms: by time, not by number. The bound is 6 + 2·4·17 ms =
// 142 ms: 1.8 % of 8 s between the two, half of that for each.
TEST_CASE("two clients with tasks of 1 ms and of 20 ms each get half of the "
          "service time") {
  closed_loop loop{{}, 4, 1, {{"short", 16}, {"long", 16, 1, 20ms, 20ms}}};
  loop.world.pass(2s);
  CHECK(loop.parts()["short"] == doctest::Approx(0.5).epsilon(0.03));
}

TEST_CASE(
  "mode kubernetes serves clients equally if their flows share no queue") {
  fair_queuing_options options;
  options.mode = fair_mode::kubernetes;
  options.queues = 4096;
  options.hand_size = 1;
  options.queue_limit = 200;
  closed_loop loop{options, 4, 1, {{"few", 8}, {"more", 32}, {"many", 128}}};
  loop.world.pass(2s);
  std::map<std::string, std::size_t> sent;
  for (auto task : loop.world.sent)
    ++sent[loop.world.tasks[task].flow.key().name()];
  for (const auto& each : sent) {
    CAPTURE(each.first);
    CHECK(each.second == doctest::Approx(8000.0 / 3).epsilon(0.05));
  }
}

// The flow comes at V, owing nothing. Flows that go before it are behind V, in
// all by (C - 1) G at most, since each was level with V when V was set, and has
// fallen back by G for each seat at most that it had then. What they get until
// they have passed V is that, and one more task on each seat. All seats are
// busy all the time, first with running tasks, S at most. So the wait is at
// most 2 S + (C - 1) G / C; where no task is shorter than the guess no flow
// falls back, and it is S.
TEST_CASE("a task of a flow that uses less than its share starts soon after a "
          "worker becomes free") {
  struct pace {
    duration shortest;
    duration longest;
    duration bound;
  };
  for (auto how : {pace{3ms, 5ms, 5ms}, pace{0ms, 2ms, 4ms + 2250us}})
    for (std::size_t hogs : {1U, 5U}) {
      CAPTURE(how.longest.count());
      CAPTURE(hogs);
      std::vector<client> clients;
      for (std::size_t i = 0; i < hogs; ++i)
        clients.push_back(
          {"hog " + std::to_string(i), 40, 1, how.shortest, how.longest});
      closed_loop loop{{}, 4, 1, clients};
      for (auto i = 0; i < 200; ++i) { // 1 ms of 20 · 4 ms; a sixth is 13 ms
        loop.world.pass(20ms + duration{i * 1000});
        loop.world.submit("light", 1, 1ms);
      }
      loop.world.pass(20ms);
      CHECK(loop.world.row("light")->served == 200);
      CHECK(loop.longest_wait("light") <= how.bound);
    }
}

// The wide head comes at V. Until it is the first, each of the n narrow flows
// passes V by (W - 1) G, and they may be behind V by (C - 1) G in all; one more
// task on each seat, and the tasks that run at first. Then no flow goes, and
// the seats are free after S. The bound is ((W - 1) n + C - 1) G / C + 3 S.
TEST_CASE("the waiting time of a task that takes all seats is bounded, and "
          "grows with the number of other flows") {
  for (std::size_t flows : {1U, 3U, 6U}) {
    CAPTURE(flows);
    std::vector<client> clients;
    for (std::size_t i = 0; i < flows; ++i)
      clients.push_back({"narrow " + std::to_string(i), 40, 1, 1ms, 2ms});
    closed_loop loop{{}, 1, 4, clients};
    for (auto i = 0; i < 50; ++i) {
      loop.world.pass(200ms + duration{i * 1000});
      loop.world.submit("wide", 4, 1ms);
    }
    loop.world.pass(100ms);
    CHECK(loop.world.row("wide")->served == 50);
    auto bound = static_cast<std::int64_t>(3 * flows + 3) * 3ms / 4 + 6ms;
    CHECK(loop.longest_wait("wide") <= bound);
  }
}

TEST_CASE("the next task starts as soon as enough seats are free, even while "
          "tasks and workers come and go") {
  for (auto mode : {fair_mode::exact, fair_mode::kubernetes})
    for (std::uint64_t seed : {1U, 2U, 3U}) {
      CAPTURE(seed);
      splitmix64 draws{seed};
      policy_world w{test::guessing(2ms, mode)};
      w.seat(1);
      w.seat(2);
      w.seat(4);
      auto idle = 0;
      for (auto i = 0; i < 3000; ++i) {
        w.pass(duration{1ms} * draws.below(3));
        w.submit(static_cast<int>(draws.below(5)), 1 + draws.below(5),
                 duration{1ms} * (1 + draws.below(4)));
        if (draws.below(200) == 0 && w.workers.size() < 9) {
          w.leave(w.workers.size() - 3);
          w.seat(1 + draws.below(4));
        }
        idle += dawdles(w) ? 1 : 0;
      }
      CHECK(idle == 0);
      w.pass(60s);
      CHECK(w.pool.books().open() == 0);
    }
}
