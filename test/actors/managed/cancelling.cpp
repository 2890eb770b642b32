/// Messages that users cancel, and what their handlers can see of it.

#include "leasing_world.hpp"
#include "libpool/pool.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

using libpool::actor_pool;
using libpool::cancel_counts;
using libpool::errc;
using libpool::running_task;
using libpool::selection;
using libpool::this_task;
using test::from_to;
using test::leasing_world;
using test::managed_world;
using test::scripted;
using namespace std::chrono_literals;

namespace {

struct cancel_world : leasing_world {
  cancel_world() {
    options.id_of = libpool::flow_by<int>([](int x) { return x % 10; });
  }

  /// Has the worker of the message that is handled as the twentieth cancel
  /// messages meanwhile.
  void cancel_midway(const selection& which) {
    during = [=](scripted&, int) {
      if (seen.size() != 20)
        return;
      counts = actor_pool::cancel(pool, which);
      begun = seen;
    };
  }

  errc error_of(std::uint64_t request) const {
    auto answer = client.answer_to(request);
    CHECK(answer.count == 1);
    return answer.error() == errc::cancelled ? errc::cancelled : errc{};
  }

  /// Checks that those of the requests 1, 2 and so on for which `is_meant`
  /// returns true were cancelled unless they had begun, and no other ones.
  template <class F>
  void check_cancelled(const std::vector<std::uint64_t>& sent, F is_meant) {
    auto cancelled = std::uint64_t{0};
    for (auto x = 1; x <= static_cast<int>(sent.size()); ++x) {
      auto had_begun = std::count(begun.begin(), begun.end(), x) > 0;
      auto is_cancelled = error_of(sent[static_cast<std::size_t>(x) - 1])
                          == errc::cancelled;
      CAPTURE(x);
      CHECK(is_cancelled == (!had_begun && is_meant(x)));
      CHECK(std::count(seen.begin(), seen.end(), x) == (is_cancelled ? 0 : 1));
      cancelled += is_cancelled ? 1 : 0;
    }
    CHECK(counts.waiting == cancelled);
    CHECK(stats().tasks.cancelled == cancelled);
  }

  cancel_counts counts;
  test::numbers begun; // before messages were cancelled
};

/// A pool of one worker whose handler does what `handle` says.
struct handler_world : managed_world {
  handler_world() {
    options.on_settled = nullptr;
    notes_fates = false;
  }

  void populate(const std::function<caf::result<int>(scripted&, int)>& handle) {
    options.id_of = libpool::flow_by<int>([](int x) { return x; });
    options.trace_of = [](const libpool::message_content& content) {
      return "trace " + std::to_string(content.get_as<int>(0));
    };
    managed_world::populate(1, [handle](scripted& self) -> caf::behavior {
      return {[&self, handle](int x) { return handle(self, x); }};
    });
  }
};

} // namespace

TEST_CASE_FIXTURE(cancel_world, "messages that no worker has begun can be "
                                "cancelled by their id, in lines and leases") {
  populate_each(2);
  send(0, 0);
  run();
  cancel_midway(selection::of_id("7"));
  auto sent = request(1, 100);
  run_leased();
  check_cancelled(sent, [](int x) { return x % 10 == 7; });
  CHECK(counts.waiting > 1);
  CHECK(counts.running <= 1);
}

TEST_CASE_FIXTURE(handler_world, "a pool that does not know ids or flows "
                                 "refuses to cancel messages by them") {
  pool = actor_pool::make(system(), actor_pool::shared_queue());
  CHECK_THROWS_WITH_AS(actor_pool::cancel(pool, selection::of_id("1")),
                       "libpool: cancel: the pool does not know the ids of its "
                       "messages: set managed_options::id_of",
                       std::invalid_argument);
  auto told = client.ask(pool, caf::sys_atom{}, libpool::cancel_atom{},
                         selection::of_flow("1"));
  CHECK(told.error() == caf::sec::invalid_argument);
  CHECK(actor_pool::cancel(pool, selection::of_all()).waiting == 0);
}

TEST_CASE_FIXTURE(cancel_world,
                  "messages that no worker has begun can be cancelled by their "
                  "flow, and all together") {
  waits_in = line::of_flows;
  flows.flow_of = libpool::flow_by<int>([](int x) { return x % 3; });
  populate(2);
  send(0, 0);
  run();
  SUBCASE("of a flow") {
    cancel_midway(selection::of_flow("2"));
    auto sent = request(1, 100);
    run();
    check_cancelled(sent, [](int x) { return x % 3 == 2; });
    CHECK(counts.waiting > 10);
  }
  SUBCASE("all") {
    cancel_midway(selection::of_all());
    auto sent = request(1, 100);
    run();
    check_cancelled(sent, [](int) { return true; });
    CHECK(counts.waiting > 10);
    CHECK(counts.running == 1);
  }
}

TEST_CASE_FIXTURE(cancel_world, "messages that no worker has begun can be "
                                "cancelled by their client") {
  options.deadline = 1h;
  populate_each(2);
  send(0, 0);
  run();
  test::probe other{*this};
  cancel_midway(selection::of_client(other.pointer()));
  auto sent = request(1, 40);
  std::vector<std::uint64_t> others;
  for (auto x = 41; x <= 60; ++x)
    others.push_back(other.request(pool, x));
  auto later = request(61, 80);
  run_leased();
  CHECK(counts.waiting > 0);
  CHECK(stats().tasks.cancelled == counts.waiting);
  for (auto x = 41; x <= 60; ++x) {
    auto answer = other.answer_to(others[static_cast<std::size_t>(x) - 41]);
    auto had_begun = std::count(begun.begin(), begun.end(), x) > 0;
    CHECK(answer.count == 1);
    CHECK((had_begun ? answer.get<int>() == 2 * x
                     : answer.error() == errc::cancelled));
  }
  CHECK(seen.size() == 81 - counts.waiting);
  other->inbox.clear();
}

TEST_CASE_FIXTURE(cancel_world, "an empty selection and a pool that has ended "
                                "cancel nothing, and other actors are errors") {
  populate(1);
  auto number = client.request(pool, 1);
  CHECK(actor_pool::cancel(pool, {}).waiting == 0);
  run();
  CHECK(client.answer_to(number).get<int>() == 2);
  CHECK_THROWS_WITH(
    actor_pool::cancel(client.handle(), selection::of_all()),
    "libpool: actor_pool::cancel: the handle is not a managed pool");
  auto ended = actor_pool::make(
    system(), 1, [this] { return make_worker(); }, actor_pool::shared_queue());
  caf::anon_send_exit(ended, caf::exit_reason::user_shutdown);
  run();
  CHECK(actor_pool::cancel(ended, selection::of_all()).waiting == 0);
}

TEST_CASE_FIXTURE(handler_world,
                  "a handler sees the number, the attempt, the deadline, the "
                  "id and the trace of its message") {
  options.deadline = 1s;
  options.on_crash = libpool::retry{1};
  options.restart.pause = 0ns;
  options.restart.max = 10;
  std::vector<running_task> tasks;
  populate([&](scripted& self, int x) -> caf::result<int> {
    tasks.push_back(this_task(&self));
    if (tasks.size() == 2)
      test::crash();
    return x;
  });
  auto now = system().clock().now();
  client.request(pool, 5);
  client.request(pool, 6);
  run();
  REQUIRE(tasks.size() == 3);
  CHECK(tasks[0].number() == 1);
  CHECK(tasks[0].attempt() == 1);
  CHECK(tasks[0].deadline() == libpool::instant{now} + 1s);
  CHECK(tasks[0].id() == "5");
  CHECK(tasks[0].trace() == "trace 5");
  CHECK(tasks[1].number() == 2);
  CHECK(tasks[1].attempt() == 1);
  CHECK(tasks[2].number() == 2);
  CHECK(tasks[2].attempt() == 2);
  CHECK(tasks[2].id() == "6");
  for (const auto& each : tasks) {
    CHECK(each);
    CHECK_FALSE(each.stop_requested());
  }
}

TEST_CASE_FIXTURE(handler_world, "a message that has not come from a pool has "
                                 "an empty task") {
  auto was_empty = false;
  populate([&](scripted& self, int x) -> caf::result<int> {
    auto task = this_task(&self);
    was_empty = !task && !task.stop_requested() && task.number() == 0
                && task.id().empty();
    return x;
  });
  client.send(actor_pool::stats(pool).members.at(0).worker, 1);
  run();
  CHECK(was_empty);
}

TEST_CASE_FIXTURE(handler_world, "a handler whose message is cancelled is "
                                 "asked to stop") {
  auto answered_at_once = false;
  std::optional<cancel_counts> counts;
  auto early = false;
  SUBCASE("the pool answers the client if it intercepts the answer") {
    answered_at_once = true;
    options.deadline = 1h;
  }
  SUBCASE("the handler answers otherwise") {}
  SUBCASE("the handler need not have asked before") {
    early = true;
  }
  running_task kept;
  populate([&](scripted& self, int x) -> caf::result<int> {
    if (x != 1)
      return x;
    if (!early)
      kept = this_task(&self);
    CHECK_FALSE(kept.stop_requested());
    counts = actor_pool::cancel(pool, selection::of_id("1"));
    CHECK(client->inbox.size() == (answered_at_once ? 1 : 0));
    if (early)
      kept = this_task(&self);
    CHECK(kept.stop_requested());
    return 10 * x;
  });
  auto number = client.request(pool, 1);
  run();
  REQUIRE(counts);
  CHECK(counts->running == 1);
  CHECK(counts->waiting == 0);
  CHECK(kept.stop_requested());
  auto answer = client.answer_to(number);
  CHECK(answer.count == 1);
  if (answered_at_once) {
    CHECK(answer.error() == errc::cancelled);
    CHECK(books().cancelled == 1);
  } else {
    CHECK(answer.get<int>() == 10);
    CHECK(books().completed == 1);
  }
  client->inbox.clear();
  number = client.request(pool, 2); // the worker serves on
  CHECK(books().open() == 1);
  run();
  CHECK(books().open() == 0);
}

TEST_CASE_FIXTURE(handler_world, "a handler whose deadline passes is asked to "
                                 "stop") {
  options.deadline = 1s;
  auto stops = false;
  populate([&](scripted& self, int x) -> caf::result<int> {
    auto task = this_task(&self);
    advance(2s);
    stops = task.stop_requested() && this_task(&self).stop_requested();
    return x;
  });
  client.request(pool, 1);
  run();
  CHECK(stops);
  CHECK(books().cancelled == 1);
}

TEST_CASE_FIXTURE(handler_world, "a handler that has returned and promised to "
                                 "answer is asked to stop") {
  options.busy_until = libpool::busy_until::answer;
  options.deadline = 1s;
  running_task kept;
  caf::response_promise promise;
  populate([&](scripted& self, int) -> caf::result<int> {
    kept = this_task(&self);
    promise = self.make_response_promise();
    return promise;
  });
  auto number = client.request(pool, 1);
  run();
  CHECK_FALSE(kept.stop_requested());
  auto why = errc::cancelled;
  SUBCASE("when its message is cancelled") {
    actor_pool::cancel(pool, selection::of_id("1"));
  }
  SUBCASE("when its deadline passes") {
    advance(2s);
    why = errc::deadline_exceeded;
  }
  CHECK(kept.stop_requested());
  CHECK(client.answer_to(number).error() == why);
  promise = {};
  run();
  CHECK(books().open() == 0);
}

TEST_CASE_FIXTURE(cancel_world, "each message of a lease has a task of its "
                                "own for its handler") {
  std::vector<running_task> tasks;
  during = [&](scripted& self, int) { tasks.push_back(this_task(&self)); };
  populate_each(1);
  send(1, 1);
  run();
  send(2, 60);
  run_leased();
  REQUIRE(tasks.size() == 60);
  std::set<std::uint64_t> numbers;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    numbers.insert(tasks[i].number());
    CHECK(tasks[i].id() == std::to_string((i + 1) % 10));
  }
  CHECK(numbers.size() == 60);
  CHECK(*numbers.begin() == 1);
  CHECK(*numbers.rbegin() == 60);
}

TEST_CASE_FIXTURE(cancel_world, "a leased message that a worker handles is "
                                "asked to stop, and no other one") {
  std::vector<running_task> tasks;
  during = [&](scripted& self, int x) {
    tasks.push_back(this_task(&self));
    if (x == 20)
      counts = actor_pool::cancel(pool, selection::of_id("0"));
  };
  populate_each(1);
  send(1, 1);
  run();
  send(2, 60);
  run_leased();
  CHECK(counts.running == 1);
  CHECK(counts.waiting == 4);
  CHECK(tasks.size() == 56);
  for (std::size_t i = 0; i < tasks.size(); ++i)
    CHECK(tasks[i].stop_requested() == (i == 19));
}

TEST_CASE_FIXTURE(cancel_world, "messages are cancelled by a message, which is "
                                "answered with their numbers") {
  populate(1);
  send(1, 30);
  auto answer = client.ask(pool, caf::sys_atom{}, libpool::cancel_atom{},
                           selection::of_id("5"));
  auto told = answer.get<cancel_counts>();
  CHECK(told.waiting + told.running == 3);
  run();
  CHECK(stats().tasks.cancelled == told.waiting);
}

TEST_CASE_FIXTURE(cancel_world,
                  "a client cancels its own messages through a handle that "
                  "only submits, and those of no other client") {
  populate(1);
  auto gate = actor_pool::submit_only(pool);
  test::probe other{*this};
  std::vector<std::uint64_t> mine;
  for (auto x = 1; x <= 10; ++x) {
    mine.push_back(client.request(gate, x));
    other.request(gate, 100 + x);
  }
  SUBCASE("all of them") {
    auto told = client.ask(gate, caf::sys_atom{}, libpool::cancel_atom{},
                           selection::of_all());
    CHECK(told.get<cancel_counts>().waiting >= 8);
    CHECK(told.get<cancel_counts>().waiting <= 10);
  }
  SUBCASE("those with an id") {
    auto told = client.ask(gate, caf::sys_atom{}, libpool::cancel_atom{},
                           selection::of_id("7"));
    CHECK(told.get<cancel_counts>().waiting == 1);
  }
  SUBCASE("not those of another client") {
    auto told = client.ask(gate, caf::sys_atom{}, libpool::cancel_atom{},
                           selection::of_client(other.pointer()));
    CHECK(told.get<cancel_counts>().waiting == 0);
  }
  run();
  for (auto x = 101; x <= 110; ++x)
    CHECK(std::count(seen.begin(), seen.end(), x) == 1);
  for (auto each : mine)
    CHECK(client.answer_to(each).count == 1);
  other->inbox.clear();
}

TEST_CASE_FIXTURE(cancel_world, "messages that an inner pool has are cancelled "
                                "with those of the outer pool") {
  options.deadline = 1h;
  populate(1);
  libpool::managed_options outer_options;
  outer_options.id_of = options.id_of;
  SUBCASE("the outer pool intercepts answers") {
    outer_options.deadline = 1h;
  }
  SUBCASE("only the inner pool does") {}
  auto outer = actor_pool::make(
    system(), 1, [this] { return pool; },
    actor_pool::shared_queue(outer_options));
  run();
  std::vector<running_task> tasks;
  during = [&](scripted& self, int) {
    tasks.push_back(this_task(&self));
    counts = actor_pool::cancel(outer, selection::of_all());
    run(); // the inner pool may hear of it later
  };
  std::vector<std::uint64_t> sent;
  for (auto x = 1; x <= 10; ++x)
    sent.push_back(client.request(outer, x));
  run();
  CHECK(seen.size() == 1);
  REQUIRE(tasks.size() == 1);
  CHECK(tasks[0].stop_requested());
  CHECK(counts.running == 1);
  CHECK(counts.waiting == 9);
  for (auto each : sent)
    CHECK(error_of(each) == errc::cancelled);
  caf::anon_send_exit(outer, caf::exit_reason::user_shutdown);
  run();
  pool = nullptr; // has ended with the outer one
}

TEST_CASE_FIXTURE(cancel_world, "the client of a gathered message whose tasks "
                                "are cancelled is answered once") {
  pool = actor_pool::make(
    system(), 1, [this] { return make_worker(); },
    actor_pool::first_success(1, actor_pool::shared_queue(options)));
  run();
  std::vector<std::uint64_t> sent;
  for (auto x = 1; x <= 10; ++x)
    sent.push_back(client.request(pool, x));
  counts = actor_pool::cancel(pool, selection::of_client(client.pointer()));
  CHECK(counts.waiting == 10);
  run();
  CHECK(seen.empty());
  for (auto each : sent) {
    CHECK(client.answer_to(each).count == 1);
    CHECK(client.answer_to(each).error() == errc::cancelled);
  }
}

TEST_CASE_FIXTURE(cancel_world, "messages can be cancelled by on_settled, and "
                                "their clients are answered at once") {
  auto ends = 0;
  options.on_settled = [&](const libpool::settled_task&) {
    if (++ends == 10)
      counts = actor_pool::cancel(pool, selection::of_all());
  };
  std::size_t answered = 0;
  at(20, [&](scripted&) {
    auto before = client->inbox.size();
    CHECK(stats().leases > 0); // so on_settled is called
    answered = client->inbox.size() - before;
  });
  populate(1);
  send(0, 0);
  run();
  auto sent = request(1, 100);
  run();
  CHECK(counts.waiting > 10);
  CHECK(answered == counts.waiting);
  CHECK(seen.size() + counts.waiting == 101);
  CHECK(ends == 101);
}

TEST_CASE_FIXTURE(handler_world,
                  "a cancelled message without a client is not retried") {
  options.on_crash = libpool::retry{3};
  options.restart.pause = 0ns;
  options.restart.max = 10;
  auto runs = 0;
  populate([&](scripted& self, int x) -> caf::result<int> {
    ++runs;
    auto task = this_task(&self);
    actor_pool::cancel(pool, selection::of_all());
    CHECK(task.stop_requested());
    test::crash();
    return x;
  });
  client.send(pool, 1);
  run();
  CHECK(runs == 1);
  CHECK(books().cancelled == 1);
  CHECK(books().balances());
}

TEST_CASE_FIXTURE(cancel_world, "a handle that only submits to a direct pool "
                                "refuses to cancel") {
  auto direct = actor_pool::make(
    system(), 1, [this] { return make_worker(); }, actor_pool::round_robin());
  auto gate = actor_pool::submit_only(direct);
  auto answer = client.ask(gate, caf::sys_atom{}, libpool::cancel_atom{},
                           selection::of_all());
  CHECK(answer.error() == errc::not_work);
  caf::anon_send_exit(direct, caf::exit_reason::user_shutdown);
  run();
}
