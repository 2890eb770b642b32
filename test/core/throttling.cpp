/// Limits on the tasks at workers, and the tokens of rates.

#include "libpool/core/token_bucket.hpp"
#include "support/dispatcher_world.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <string>

using libpool::rate;
using libpool::throttle;
using libpool::token_bucket;
using test::dispatcher_world;
using namespace std::chrono_literals;

namespace {

constexpr auto zero = libpool::instant{};

libpool::limits with(const libpool::throttles& within) {
  libpool::limits result;
  result.throttles = within;
  return result;
}

/// A pool in which flow a may have one task at workers.
struct one_of_a : dispatcher_world {
  one_of_a() : dispatcher_world(with({{}, {}, {{"a", throttle{1, {}}}}})) {
    does("join, join");
  }

  std::string submit_urgent_of(const libpool::flow_key& flow) {
    add().urgent = true;
    tasks.back().flow = libpool::flow_ref{flow};
    return submit(tasks.back());
  }
};

} // namespace

TEST_CASE("a bucket has as many tokens as its burst, and gets them at its "
          "rate") {
  token_bucket tokens;
  CHECK(tokens.opens_at() == libpool::instant::min()); // unlimited
  tokens.change(rate{100, 3}, zero);
  for (auto i = 0; i < 3; ++i) {
    CHECK(tokens.opens_at() <= zero);
    tokens.take(zero);
  }
  CHECK(tokens.opens_at() == zero + 10ms);
  CHECK(!tokens.is_full(zero + 29ms));
  CHECK(tokens.is_full(zero + 30ms));
  tokens.take(zero + 10ms);
  CHECK(tokens.opens_at() == zero + 20ms);
}

TEST_CASE("a token that is given back can be taken again, unless another one "
          "was taken since") {
  token_bucket tokens;
  tokens.change(rate{100, 1}, zero);
  tokens.take(zero);
  tokens.give_back(zero);
  CHECK(tokens.opens_at() <= zero);
  tokens.take(zero + 1ms);
  tokens.take(zero + 11ms);
  tokens.give_back(zero + 1ms);
  CHECK(tokens.opens_at() == zero + 21ms);
}

TEST_CASE("a bucket lacks as many tokens as before if its rate changes") {
  token_bucket tokens;
  tokens.change(rate{1, 1}, zero);
  tokens.take(zero);
  tokens.change(rate{100, 1}, zero + 500ms);
  CHECK(tokens.opens_at() == zero + 505ms);
  tokens.change({}, zero);
  CHECK(tokens.opens_at() == libpool::instant::min());
}

TEST_CASE("a task that comes back before it has begun gives its token back") {
  libpool::throttles within;
  within.of_all.most_begun = rate{1, 1};
  dispatcher_world w{with(within)};
  CHECK(w.does("join, join, submit 2") == "send 0 to 0");
  CHECK(w.come_back(0) == "dismiss 0; send 0 to 1");
  CHECK(w.does("finish 0") == "end 0: completed");
  CHECK(w.pool.next_tick() == w.moment(1000));
  CHECK(w.at(1000) == "send 1 to 1");
}

TEST_CASE("a task that waits for a token is not forgotten behind a retry that "
          "needs none and goes later") {
  libpool::task next;
  libpool::task urgent;
  libpool::task retry;
  next.number = 1;
  urgent.number = 2;
  urgent.rank = 1;
  retry.number = 3;
  retry.own_notes().crashes = 1;
  libpool::flow_gate gate;
  gate.within.most_begun = rate{100, 1};
  gate.tokens.change(*gate.within.most_begun, zero);
  gate.tokens.take(zero);
  gate.next = &next;
  gate.parked_retries.add(retry);
  CHECK(gate.next_token() == libpool::never); // it goes behind `next`
  gate.parked.add(urgent);
  CHECK(gate.first_parked(zero) == &retry);
  CHECK(gate.next_token() == zero + 10ms);
}

TEST_CASE_FIXTURE(one_of_a, "the first task of a flow goes next when its gate "
                            "opens, also if another one is in the order") {
  CHECK(submit_of("a") == "send 0 to 0");
  CHECK(submit_of("a") == ""); // task 1 is parked
  CHECK(pool.gates().held_back(now) == 1);
  CHECK(pool.gates().held_back(libpool::flow_key{"a"}, now) == 1);
  CHECK(pool.gates().held_back(libpool::flow_key{"b"}, now) == 0);
  CHECK(submit_of("b") == "send 2 to 1");
  CHECK(submit_urgent_of("b") == "");
  CHECK(finish(0) == "end 0: completed; send 3 to 0"); // task 1 is free
  CHECK(submit_urgent_of("b") == "");
  CHECK(submit_urgent_of("a") == "");
  CHECK(finish(2) == "end 2: completed; send 4 to 1");
  CHECK(finish(3) == "end 3: completed; send 5 to 0");
  CHECK(submit_urgent_of("a") == "");
  CHECK(submit_urgent_of("b") == "");
  CHECK(finish(4) == "end 4: completed; send 7 to 1"); // task 6 is parked
  CHECK(finish(5) == "end 5: completed; send 6 to 0");
  CHECK(finish(6) == "end 6: completed; send 1 to 0");
  CHECK(finish(1) == "end 1: completed");
  CHECK(pool.gates().held_back(now) == 0);
}

TEST_CASE_FIXTURE(one_of_a, "limits that are lifted let all tasks go, and the "
                            "pauses of flows, workers and the pool are apart") {
  does("join, join");
  for (std::size_t i = 0; i < 3; ++i)
    submit_of("a");
  CHECK(pool.gates().held_back(now) == 2);
  pool.suspended("a", now);
  pool.suspended(workers[1], now);
  pool.suspended(now);
  CHECK(decided() == "recall 0 from 0");
  pool.limited({}, now);
  CHECK(decided() == "");
  pool.reinstated(now);
  CHECK(decided() == "");
  CHECK(pool.waits_for_user());
  pool.reinstated("a", now);
  CHECK(decided() == "send 1 to 2; send 2 to 3");
  CHECK(submit_of("b") == "");
  pool.reinstated(workers[1], now);
  CHECK(decided() == "send 3 to 1");
  CHECK(!pool.waits_for_user());
}

TEST_CASE(
  "a pause takes tasks back from the last one to the first: their order "
  "holds if a worker begins one meanwhile") {
  dispatcher_world w{with({{}, {}, {{"a", throttle{3, {}}}}})};
  w.does("join 3");
  for (auto i = 0; i < 3; ++i)
    w.submit_of("a");
  SUBCASE("the pool is paused") {
    w.pool.suspended(w.now);
  }
  SUBCASE("the worker is paused") {
    w.pool.suspended(w.workers[0], w.now);
  }
  SUBCASE("the flow is paused") {
    w.pool.suspended("a", w.now);
  }
  CHECK(w.decided() == "recall 2 from 0; recall 1 from 0; recall 0 from 0");
}
