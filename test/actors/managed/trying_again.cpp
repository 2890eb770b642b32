/// When clients of a managed pool should send refused messages again.

#include "libpool/pool.hpp"
#include "support/managed_world.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <optional>

namespace actors_managed_trying_again_tests {

using libpool::actor_pool;
using libpool::duration;
using libpool::errc;
using libpool::retry_after;
using namespace std::chrono_literals;

namespace {

/// Messages name their flow by their last digit.
struct world : test::managed_world {
  world() {
    options.busy_until = libpool::busy_until::answer;
  }

  /// Lets a worker handle a message for two seconds.
  void note_service_time() {
    request(1);
    advance(2s);
    deliver(promises.size() - 1, 0);
  }

  /// Sends requests until one is refused. Returns the error.
  caf::error fill(int flow) {
    for (;;) {
      auto number = request(flow);
      if (is_answered(number))
        return client.answer_to(number).error();
    }
  }

  std::optional<duration> time_when_full(int flow = 1) {
    auto why = fill(flow);
    CHECK(why == refused_with);
    return retry_after(why);
  }

  void answer_all() {
    for (auto i = first_open; i < promises.size(); ++i)
      deliver(i, 0);
  }

  errc refused_with = errc::queue_full;
  std::size_t first_open = 1; // of `promises`, after `note_service_time`
};

/// A pool of two workers with fair queuing and 4 waiting messages per flow.
struct fair_world : world {
  fair_world() {
    refused_with = errc::flow_full;
    flows.flow_of = libpool::flow_by<int>([](int x) { return x % 10; });
    flows.queue_limit = 4;
  }

  void begin() {
    pool = actor_pool::make(
      system(), 2,
      [this] { return system().spawn<test::scripted>(promising()); },
      actor_pool::fair_queuing(flows, options));
    run();
    note_service_time();
  }

  libpool::flow_options flows;
};

} // namespace

TEST_CASE_FIXTURE(world, "the error of a full pool tells in what time the "
                         "messages that wait have gone to workers") {
  options.capacity = 6;
  SUBCASE("by the mean service time and the number of workers") {
    populate(2, promising());
    note_service_time();
    CHECK(time_when_full() == 6s);
  }
  SUBCASE("by the limit of messages at workers") {
    options.throttles.of_all.most_running = 1;
    populate(2, promising());
    note_service_time();
    CHECK(time_when_full() == 12s);
  }
  SUBCASE("by the rate, if that takes longer") {
    options.throttles.of_all.most_begun = libpool::rate{0.5, 2};
    populate(2, promising());
    note_service_time();
    CHECK(time_when_full() == 12s);
    actor_pool::set_limits(pool, {});
    run();
  }
  answer_all();
}

TEST_CASE_FIXTURE(world,
                  "an error tells no time if the pool does not know when "
                  "messages go to workers") {
  options.capacity = 2;
  first_open = 0;
  SUBCASE("no handler has ended") {
    populate(1, promising());
    CHECK(!time_when_full());
  }
  SUBCASE("the pool is paused") {
    populate(1, promising());
    note_service_time();
    first_open = 1;
    actor_pool::pause(pool);
    CHECK(!time_when_full());
    actor_pool::resume(pool);
    run();
  }
  SUBCASE("no message may be at a worker") {
    options.throttles.of_all.most_running = 1;
    populate(1, promising());
    note_service_time();
    first_open = 1;
    libpool::throttles none;
    none.of_all.most_running = 0;
    actor_pool::set_limits(pool, none);
    CHECK(!time_when_full());
    actor_pool::set_limits(pool, {});
    run();
  }
  answer_all();
  CHECK(!retry_after({}));
  CHECK(!retry_after(libpool::make_error(errc::queue_full)));
  CHECK(!retry_after(caf::sec::runtime_error));
}

TEST_CASE_FIXTURE(fair_world, "the error of a full flow counts the messages of "
                              "the flow, and turns of other flows") {
  SUBCASE("alone") {
    begin();
    CHECK(time_when_full() == 4s);
  }
  SUBCASE("beside another flow") {
    begin();
    CHECK(fill(2) == errc::flow_full);
    CHECK(time_when_full() == 8s);
  }
  SUBCASE("beside a flow with few messages") {
    begin();
    for (auto x : {2, 2, 2})
      request(x);
    CHECK(time_when_full() == 5s);
  }
  SUBCASE("by the limits of the flow") {
    begin();
    libpool::throttles within;
    within.of_flows["1"].most_running = 1;
    actor_pool::set_limits(pool, within);
    CHECK(time_when_full() == 8s);
  }
  SUBCASE("unless the flow is paused") {
    begin();
    actor_pool::pause(pool, libpool::pause_scope::of_flow("1"));
    CHECK(!time_when_full());
    actor_pool::resume(pool, libpool::pause_scope::of_flow("1"));
    run();
  }
  SUBCASE("unless flows share queues") {
    flows.mode = libpool::fair_mode::kubernetes;
    begin();
    CHECK(!time_when_full());
  }
  answer_all();
}

} // namespace actors_managed_trying_again_tests
