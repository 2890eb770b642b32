/// Pools, flows and workers that users pause.

#include "leasing_world.hpp"
#include "libpool/pool.hpp"

#include <chrono>
#include <cstdint>
#include <string>

using libpool::actor_pool;
using libpool::errc;
using libpool::pause_scope;
using test::from_to;
using test::leasing_world;
using test::managed_world;
using test::scripted;
using namespace std::chrono_literals;

namespace {

/// Messages name their flow by their last digit.
struct pausing_world : managed_world {
  pausing_world() {
    options.throttled_by = libpool::flow_by<int>([](int x) { return x % 10; });
  }

  std::uint64_t pause(const pause_scope& which = {}) {
    auto result = client.request(pool, caf::sys_atom{}, libpool::pause_atom{},
                                 which);
    run();
    return result;
  }

  std::uint64_t resume(const pause_scope& which = {}) {
    auto result = client.request(pool, caf::sys_atom{}, libpool::resume_atom{},
                                 which);
    run();
    return result;
  }
};

} // namespace

TEST_CASE_FIXTURE(leasing_world, "a paused pool begins no message, takes back "
                                 "leases, and loses nothing") {
  populate_each(2);
  send(0, 0);
  run();
  during = [this](scripted&, int) {
    if (seen.size() == 20)
      actor_pool::pause(pool);
  };
  auto sent = request(1, 100);
  run_leased();
  auto begun = seen.size();
  CHECK(begun < 100);
  CHECK(stats().tasks.running + stats().tasks.sent == 0);
  CHECK(stats().tasks.open() == 101 - begun);
  send(101, 110);
  run();
  CHECK(seen.size() == begun);
  during = nullptr;
  actor_pool::resume(pool);
  run_leased();
  CHECK(seen.size() == 111);
  for (auto each : sent)
    CHECK(client.answer_to(each).count == 1);
}

TEST_CASE_FIXTURE(pausing_world, "a pause has taken back what no handler has "
                                 "begun when the call returns") {
  options.window = 3;
  pause_scope which;
  SUBCASE("of the pool") {}
  SUBCASE("of a flow") {
    which = pause_scope::of_flow("1");
  }
  std::uint64_t sent = 0;
  on_settled = [&](const libpool::settled_task& task) {
    if (task.number != 1)
      return;
    actor_pool::pause(pool, which);
    auto now = books();
    sent = now.sent + now.running;
    CHECK(now.waiting == 2);
  };
  populate(1, doubling());
  for (auto x : {1, 11, 21})
    client.send(pool, x);
  run();
  CHECK(sent == 0);
  CHECK(doubled == std::vector<int>{1});
  actor_pool::resume(pool, which);
  run();
  CHECK(doubled == std::vector<int>{1, 11, 21});
}

TEST_CASE_FIXTURE(pausing_world, "a request to pause is answered when no "
                                 "handler runs any more") {
  options.busy_until = libpool::busy_until::answer;
  populate(2, promising());
  request(1);
  request(2);
  auto asked = request(3);
  auto paused = pause();
  CHECK(!is_answered(paused));
  deliver(0, 1);
  CHECK(!is_answered(paused));
  deliver(1, 2);
  CHECK(is_answered(paused));
  CHECK(!client.answer_to(paused).error());
  CHECK(promises.size() == 2); // message 3 was not begun
  CHECK(books().waiting == 1);
  CHECK(!client.answer_to(resume()).error());
  CHECK(promises.size() == 3);
  deliver(2, 3);
  CHECK(result_of(asked) == 3);
}

TEST_CASE_FIXTURE(pausing_world,
                  "a request to pause a flow is answered when no "
                  "handler of the flow runs any more") {
  options.busy_until = libpool::busy_until::answer;
  populate(2, promising());
  request(1);
  request(2);
  auto paused = pause(pause_scope::of_flow("1"));
  CHECK(!is_answered(paused));
  deliver(0, 1);
  CHECK(is_answered(paused)); // although message 2 runs
  deliver(1, 2);
}

TEST_CASE_FIXTURE(pausing_world,
                  "a request to pause fails if the pool is resumed first") {
  options.busy_until = libpool::busy_until::answer;
  populate(1, promising());
  request(1);
  auto paused = pause();
  resume();
  CHECK(error_of(paused) == errc::cancelled);
  deliver(0, 1);
}

TEST_CASE_FIXTURE(pausing_world, "a paused flow holds up no other flow, with "
                                 "any policy") {
  using libpool::policy;
  policy how;
  SUBCASE("shared queue") {
    how = actor_pool::shared_queue(options);
  }
  SUBCASE("priority") {
    how = actor_pool::priority({}, options);
  }
  SUBCASE("fair queuing") {
    libpool::flow_options flows;
    flows.flow_of = options.throttled_by;
    options.throttled_by = nullptr;
    how = actor_pool::fair_queuing(flows, options);
  }
  SUBCASE("round robin on arrival") {
    how = actor_pool::managed(libpool::recipe{}, options);
  }
  SUBCASE("stealing") {
    how = actor_pool::work_stealing({}, options);
  }
  pool = actor_pool::make(
    system(), 2, [this] { return system().spawn<scripted>(doubling()); }, how);
  run();
  CHECK(is_answered(pause(pause_scope::of_flow("1"))));
  auto held = request(1);
  auto other = request(2);
  CHECK(!is_answered(held));
  CHECK(result_of(other) == 4);
  CHECK(books().waiting == 1);
  resume(pause_scope::of_flow("1"));
  CHECK(result_of(held) == 2);
}

TEST_CASE_FIXTURE(pausing_world, "a paused worker gets nothing, and others get "
                                 "what it has not begun") {
  options.busy_until = libpool::busy_until::answer;
  options.window = 2;
  populate(1, promising());
  auto first = request(1);
  auto second = request(2);
  auto worker = workers().front();
  pause(pause_scope::of_worker(worker));
  CHECK(books().waiting == 0); // both had begun
  auto third = request(3);
  CHECK(promises.size() == 2);
  put_doubling();
  run();
  CHECK(result_of(third) == 6);
  deliver(0, 1);
  deliver(1, 2);
  CHECK(result_of(first) == 1);
  CHECK(result_of(second) == 2);
  request(4);
  request(5);
  CHECK(doubled == test::numbers{3, 4, 5});
  CHECK(workers().size() == 2); // a paused worker does not leave
  resume(pause_scope::of_worker(worker));
  kill(workers().back());
  run();
  auto last = request(6);
  deliver(2, 7);
  CHECK(result_of(last) == 7);
}

TEST_CASE_FIXTURE(pausing_world, "deadlines and the capacity apply while a "
                                 "pool is paused") {
  options.deadline = 10ms;
  options.capacity = 1;
  populate(1, doubling());
  pause();
  auto first = request(1);
  auto second = request(2);
  CHECK(error_of(second) == errc::queue_full);
  advance(10ms);
  CHECK(error_of(first) == errc::deadline_exceeded);
  resume();
  CHECK(result_of(request(3)) == 6);
}

TEST_CASE_FIXTURE(pausing_world, "drain resumes a pool, its flows and its "
                                 "workers") {
  populate(1, doubling());
  pause();
  pause(pause_scope::of_flow("1"));
  pause(pause_scope::of_worker(workers().front()));
  options.throttles.of_flows["2"] = libpool::throttle{0, {}};
  actor_pool::set_limits(pool, options.throttles);
  auto first = request(1);
  auto second = request(2);
  auto drained = drain();
  run();
  CHECK(result_of(first) == 2);
  CHECK(result_of(second) == 4);
  CHECK(is_answered(drained));
}

TEST_CASE_FIXTURE(pausing_world, "a request to pause is answered when the pool "
                                 "ends") {
  options.busy_until = libpool::busy_until::answer;
  populate(1, promising());
  request(1);
  auto paused = pause();
  exit(pool);
  run();
  CHECK(error_of(paused) == errc::pool_closed);
}

TEST_CASE_FIXTURE(pausing_world, "a paused pool that nobody can resume ends, "
                                 "and fails its messages") {
  populate(1, doubling());
  SUBCASE("pool") {
    pause();
  }
  SUBCASE("flow") {
    pause(pause_scope::of_flow("1"));
  }
  SUBCASE("worker") {
    pause(pause_scope::of_worker(workers().front()));
  }
  client->inbox.clear(); // it has the worker and the pool
  auto asked = request(1);
  pool = nullptr;
  run();
  CHECK(error_of(asked) == errc::no_workers);
}

TEST_CASE_FIXTURE(pausing_world, "a paused pool that chose workers on arrival, "
                                 "and that nobody can resume, fails its "
                                 "messages") {
  pool = actor_pool::make(
    system(), 2, [this] { return system().spawn<scripted>(doubling()); },
    actor_pool::managed(libpool::recipe{}, options));
  run();
  pause();
  client->inbox.clear();
  auto asked = request(1);
  CHECK(books().assigned == 1);
  pool = nullptr;
  run();
  CHECK(error_of(asked) == errc::no_workers);
}

TEST_CASE_FIXTURE(pausing_world, "a request to pause a worker is answered when "
                                 "its handler has ended, also if it leaves") {
  options.busy_until = libpool::busy_until::answer;
  populate(2, promising());
  request(1);
  auto worker = caf::actor{holders.front()};
  auto paused = pause(pause_scope::of_worker(worker));
  client.request(pool, caf::sys_atom{}, caf::delete_atom{}, worker);
  run();
  CHECK(!is_answered(paused));
  deliver(0, 1);
  CHECK(is_answered(paused));
}

TEST_CASE_FIXTURE(pausing_world, "gathers ask workers that are not paused") {
  pool = actor_pool::make(
    system(), 2, [this] { return system().spawn<scripted>(doubling()); },
    actor_pool::first_success(1, actor_pool::shared_queue(options)));
  run();
  pause(pause_scope::of_worker(workers().front()));
  for (auto x : from_to(1, 5))
    CHECK(result_of(request(x)) == 2 * x);
}

TEST_CASE_FIXTURE(pausing_world, "a gather asks paused workers if it needs "
                                 "them, and waits for them") {
  pool = actor_pool::make(
    system(), 3, [this] { return system().spawn<scripted>(doubling()); },
    actor_pool::quorum(3, 2, actor_pool::shared_queue(options)));
  run();
  const auto all = workers();
  pause(pause_scope::of_worker(all[0]));
  auto two_serve = request(1);
  CHECK(is_answered(two_serve));
  CHECK(doubled.size() == 2);
  pause(pause_scope::of_worker(all[1]));
  auto one_serves = request(2);
  CHECK(!is_answered(one_serves));
  resume(pause_scope::of_worker(all[0]));
  CHECK(is_answered(one_serves));
  CHECK(!client.answer_to(one_serves).error());
}

TEST_CASE_FIXTURE(pausing_world, "messages of a flow that wait are cancelled "
                                 "with their flow") {
  options.busy_until = libpool::busy_until::answer;
  populate(1, promising());
  for (auto x : {1, 2, 12, 22})
    request(x);
  auto counts = actor_pool::cancel(pool, libpool::selection::of_flow("2"));
  CHECK(counts.waiting == 3);
  deliver(0, 1);
}

TEST_CASE_FIXTURE(pausing_world, "the flow without a name is paused, limited "
                                 "and cancelled like other flows") {
  options.throttled_by = libpool::flow_by<int>(
    [](int x) { return x < 10 ? std::string{} : std::to_string(x / 10); });
  options.busy_until = libpool::busy_until::answer;
  populate(2, promising());
  const auto unnamed = pause_scope::of_flow("");
  SUBCASE("paused") {
    CHECK(is_answered(pause(unnamed)));
    auto held = request(1);
    auto other = request(10);
    deliver(0, 100);
    CHECK(result_of(other) == 100);
    CHECK(!is_answered(held));
    CHECK(books().waiting == 1);
    CHECK(!actor_pool::stats(pool).is_paused);
    resume(unnamed);
    deliver(1, 11);
    CHECK(result_of(held) == 11);
  }
  SUBCASE("paused while its handler runs") {
    request(1);
    request(10);
    auto paused = pause(unnamed);
    CHECK(!is_answered(paused));
    deliver(0, 1);
    CHECK(is_answered(paused));
    deliver(1, 10);
  }
  SUBCASE("limited") {
    libpool::throttles within;
    within.of_flows[""].most_running = 1;
    actor_pool::set_limits(pool, within);
    for (auto x : {1, 2, 10})
      request(x);
    CHECK(books().running == 2);
    CHECK(books().waiting == 1);
    for (std::size_t i = 0; i < 3; ++i)
      deliver(i, 0);
  }
  SUBCASE("cancelled") {
    for (auto x : {10, 20, 1, 11, 2})
      request(x);
    auto counts = actor_pool::cancel(pool, libpool::selection::of_flow(""));
    CHECK(counts.waiting == 2);
    CHECK(counts.running == 0);
    for (std::size_t i = 0; i < 3; ++i)
      deliver(i, 0);
  }
  CHECK(books().open() == 0);
}

TEST_CASE_FIXTURE(pausing_world, "messages without a sender are the flow "
                                 "without a name if each sender is a flow") {
  options.throttled_by = nullptr;
  auto how = actor_pool::fair_queuing({}, options);
  SUBCASE("fair queuing") {}
  SUBCASE("with limits") {
    options.throttles.of_all.most_running = 10;
    how = actor_pool::shared_queue(options);
  }
  pool = actor_pool::make(
    system(), 1, [this] { return system().spawn<scripted>(doubling()); }, how);
  run();
  pause(pause_scope::of_flow(""));
  caf::anon_send(pool, 1);
  auto other = request(2);
  CHECK(result_of(other) == 4);
  CHECK(books().waiting == 1);
  CHECK(actor_pool::cancel(pool, libpool::selection::of_flow("")).waiting == 1);
  CHECK(books().open() == 0);
}

TEST_CASE_FIXTURE(pausing_world,
                  "no message is cancelled by its flow in a pool "
                  "that does not know flows") {
  options.throttled_by = nullptr;
  options.busy_until = libpool::busy_until::answer;
  populate(1, promising());
  request(1);
  request(2);
  CHECK_THROWS_AS(actor_pool::cancel(pool, libpool::selection::of_flow("")),
                  std::invalid_argument);
  deliver(0, 1);
  deliver(1, 2);
}

TEST_CASE("a scope without a name is refused") {
  CHECK_THROWS_AS(pause_scope::of_node(""), std::invalid_argument);
  CHECK_THROWS_AS(pause_scope::of_worker({}), std::invalid_argument);
}

TEST_CASE_FIXTURE(pausing_world, "a paused inner pool gets no more messages") {
  populate(1, doubling());
  auto inner = pool;
  pool = nullptr;
  make_empty();
  put(inner);
  put(inner);
  put_doubling();
  actor_pool::pause(inner);
  run();
  for (auto x : from_to(1, 4))
    CHECK(result_of(request(x)) == 2 * x);
  CHECK(actor_pool::stats(inner).tasks.accepted == 0);
  actor_pool::resume(inner);
  run();
  exit(inner);
  run();
}

TEST_CASE_FIXTURE(pausing_world, "only what a pool has can be paused") {
  options.throttled_by = nullptr;
  populate(1, doubling());
  CHECK(says(client.answer_to(pause(pause_scope::of_flow("1"))),
             "set managed_options::throttles or throttled_by"));
  CHECK(says(client.answer_to(pause(pause_scope::of_node("a"))),
             "the pool has no node 'a'"));
  CHECK(says(client.answer_to(pause(pause_scope::of_worker(pool))),
             "the actor is not a worker of the pool"));
  auto both = pause_scope::of_flow("1");
  both.node = "a";
  CHECK(
    says(client.answer_to(pause(both)), "set one of flow, worker and node"));
  CHECK_THROWS_WITH_AS(
    actor_pool::resume(pool, pause_scope::of_flow("1")),
    "libpool: pause_scope: the pool does not know the flows of its messages: "
    "set managed_options::throttles or throttled_by, or use fair_queuing",
    std::invalid_argument);
  CHECK_THROWS_AS(actor_pool::set_limits(pool, {}), std::invalid_argument);
}
