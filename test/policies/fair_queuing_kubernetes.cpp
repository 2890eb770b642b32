/// The rules of mode kubernetes, worked out by hand. R is the virtual clock;
/// `lag` is R - next. The guess is 10 ns unless it is said otherwise.

#include "libpool/core/errc.hpp"
#include "libpool/policies/order/shuffle_sharding.hpp"
#include "support/policy_world.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

using libpool::errc;
using libpool::fair_mode;
using libpool::fair_queuing_options;
using libpool::flow_key;
using test::guessing;
using test::policy_world;
using names = policy_world::names;
using namespace std::chrono_literals;

namespace {

fair_queuing_options dealing(std::size_t queues, std::size_t hand) {
  auto result = guessing(10ns, fair_mode::kubernetes);
  result.queues = queues;
  result.hand_size = hand;
  return result;
}

constexpr std::size_t queues = 8;

/// A flow of that queue.
flow_key in(std::size_t queue) {
  auto number = 0;
  while (flow_key{number}.hash() % queues != queue)
    ++number;
  return number;
}

/// Each flow has one of eight queues.
struct kubernetes_world : policy_world {
  explicit kubernetes_world(std::size_t seats)
    : policy_world(dealing(queues, 1)) {
    seat(seats);
  }

  std::int64_t lag(std::size_t queue) const {
    return policy_world::lag("queue " + std::to_string(queue));
  }
};

} // namespace

TEST_CASE("the virtual clock of mode 'kubernetes' advances at the rate of "
          "wanted seats divided by queues with tasks, if there are any") {
  kubernetes_world w{2};
  w.submit(in(0)); // 1 seat of 1 queue: at R = 0, and charged 10
  w.now += 4ns;
  w.submit(in(1)); // R = 4; from now on 2 seats of 2 queues
  CHECK(w.lag(0) == -6);
  CHECK(w.lag(1) == -10);
  w.now += 6ns;
  w.submit(in(2)); // R = 10; from now on 2 seats of 3 queues
  CHECK(w.lag(0) == 0);
  CHECK(w.lag(1) == -4);
  CHECK(w.lag(2) == 0);
  w.now += 9ns;
  w.submit(in(2)); // R = 16
  CHECK(w.lag(1) == 2);
  CHECK(w.lag(2) == 6);
  kubernetes_world v{3};
  v.submit(in(0), 8); // charged 3 · 10
  v.now += 4ns;
  v.submit(in(1)); // R = 12
  CHECK(v.lag(0) == -18);
  kubernetes_world u{1};
  u.submit(in(0));
  u.end_after(0, 10ns); // R = 10
  u.now += 1000ns;
  u.submit(in(0)); // at R = 10
  CHECK(u.lag(0) == -10);
  kubernetes_world t{3};
  t.submit(in(0));
  t.submit(in(0));
  t.end_after(0, 10ns); // R = 20, as is next
  t.now += 10ns;
  t.submit(in(1)); // R = 30: one of the seats was free
  CHECK(t.lag(0) == 10);
}

// next = 10 after the turn of the first one, which still runs at R = 30.
TEST_CASE("in mode 'kubernetes', a queue gets no credit for the time before "
          "its waiting task arrived") {
  kubernetes_world w{1};
  w.submit(in(0));
  w.now += 30ns;
  w.submit(in(0));
  CHECK(w.lag(0) == 0);
}

TEST_CASE("in mode 'kubernetes', queues with equal tags have turns in cyclic "
          "order, from the queue after the last turn on, at first from 0 on") {
  for (std::size_t last = 0; last < queues; ++last) {
    CAPTURE(last);
    kubernetes_world w{1};
    w.submit(in(last));
    names expected{0};
    for (std::size_t i = 1; i < queues; ++i) {
      expected.push_back(i);
      w.submit(in((last + 3 * i) % queues)); // 3, 6, 1, 4, 7, 2, 5
    }
    std::sort(expected.begin() + 1, expected.end(),
              [](auto x, auto y) { return 3 * x % queues < 3 * y % queues; });
    CHECK(w.served(10ns) == expected);
  }
  policy_world w{dealing(queues, 1)};
  for (std::size_t queue : {2U, 1U, 0U})
    w.submit(in(queue));
  w.seat();
  CHECK(w.sent == names{2});
}

// Without a worker all wait. The first one looks at the first card first, and
// each one that follows a card further.
TEST_CASE("in mode 'kubernetes', a task goes to that queue of its flow that "
          "has the least waiting work") {
  policy_world w{dealing(64, 3)};
  std::vector<std::size_t> hand;
  libpool::shuffle_sharding{64, 3}.deal(flow_key{"a"}.hash(), hand);
  auto length = [&](std::size_t card) {
    auto row = w.row("queue " + std::to_string(hand[card]));
    return row ? row->waiting : 0;
  };
  struct step {
    std::size_t width;
    std::size_t card;
    std::size_t length; // of the queue of the card then
  };
  for (const auto& each :
       {step{1, 0, 1}, // 1 0 0
        step{5, 1, 1}, // 1 5 0, as it begins with the second card
        step{1, 2, 1}, // 1 5 1, from the third
        step{2, 0, 2}, // 3 5 1, from the first
        step{1, 2, 2}, // 3 5 2, though the second comes first, and is as short
        step{9, 2, 3}, // 3 5 11
        step{1, 0, 3}}) { // 4 5 11
    w.submit("a", each.width);
    CHECK(length(each.card) == each.length);
  }
  CHECK(length(1) == 1);
}

TEST_CASE(
  "the default limit of a queue is 50 waiting tasks, as in Kubernetes") {
  kubernetes_world w{1};
  for (auto i = 0; i < 51; ++i)
    CHECK(w.refusal(w.submit(in(3))) == errc{});
  CHECK(w.refusal(w.submit(in(3))) == errc::flow_full);
  CHECK(w.refusal(w.submit(in(4))) == errc{});
  CHECK(w.row("queue 3")->refused == 1);
  CHECK(w.row("queue 3")->waiting == 50);
}

TEST_CASE("the statistics list a queue once it has had a task") {
  kubernetes_world w{1};
  CHECK(w.pool.flows(9).empty());
  w.submit(in(3));
  w.end_after(0, 10ns);
  CHECK(w.pool.flows(9).size() == 1);
  CHECK(w.row("queue 3")->served == 1);
  w.submit(in(5));
  CHECK(w.pool.flows(9).size() == 2);
  CHECK(w.pool.flows(1).front().name == "queue 5");
}

// -- known differences from mode exact ----------------------------------------

namespace {

/// How many of 11 tasks of b, of 10 ns each, go before a task of a, which has
/// had 100 ns and was idle for an instant.
std::size_t gone_before(const fair_queuing_options& how) {
  policy_world w{how};
  w.seat();
  w.submit("a");
  w.end_after(0, 100ns);
  w.submit("holder");
  auto late = w.submit("a");
  for (auto i = 0; i < 11; ++i)
    w.submit("b");
  std::size_t result = 0;
  w.finish(1);
  for (; !w.runs(late); ++result)
    w.end_after(w.running().front(), 10ns);
  return result;
}

} // namespace

// In mode exact as many as make up for what a has had: see there.
TEST_CASE("a flow that is idle for a moment loses its debt in mode "
          "'kubernetes', but not in mode 'exact'") {
  auto published = dealing(4096, 1);
  REQUIRE(flow_key{"a"}.hash() % 4096 != flow_key{"b"}.hash() % 4096);
  CHECK(gone_before(published) <= 1);
  CHECK(gone_before(guessing(10ns)) == 10);
}
