/// Messages at nodes that no client waits for any more, and nodes that are
/// paused.

#include "libpool/pool.hpp"
#include "support/watched_nodes.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace actors_nodes_stopping_tests {

using libpool::actor_pool;
using libpool::errc;
using libpool::pause_scope;
using libpool::selection;
using libpool::this_task;
using test::scripted;
using world = test::watched_nodes;
using namespace std::chrono_literals;

namespace {

/// Messages name their flow by their value.
struct pausing_world : world {
  pausing_world() {
    options.throttled_by = libpool::flow_by<int>([](int x) { return x; });
  }

  std::uint64_t pause(const pause_scope& which) {
    return request(caf::sys_atom{}, libpool::pause_atom{}, which);
  }

  void resume(const pause_scope& which) {
    auto asked = request(caf::sys_atom{}, libpool::resume_atom{}, which);
    CHECK(!client.answer_to(asked).error());
  }
};

} // namespace

// -- messages that no client waits for ----------------------------------------

TEST_CASE_FIXTURE(world, "the handler of a message at a node is asked to stop "
                         "when the message is cancelled, and keeps its slot "
                         "until it ends") {
  auto answers_early = false;
  SUBCASE("the pool answers the client if it intercepts answers") {
    answers_early = true;
    options.deadline = 1h;
  }
  SUBCASE("the handler answers otherwise") {}
  SUBCASE("the handler answers otherwise, also if the local pool gathers") {
    offer.choose = test::gathering;
  }
  begin(watching());
  auto request = submit(1);
  REQUIRE(tasks.size() == 1);
  CHECK(tasks[0].number() == 1);
  CHECK_FALSE(tasks[0].stop_requested());
  CHECK(cancel(selection::of_id("2")).running == 0);
  CHECK_FALSE(tasks[0].stop_requested());
  CHECK(cancel(selection::of_id("1")).running == 1);
  CHECK(tasks[0].stop_requested());
  CHECK(in_flight() == 1);
  CHECK(state(0).running == 1);
  CHECK(is_answered(request) == answers_early);
  deliver(0, 10);
  CHECK(in_flight() == 0);
  if (answers_early) {
    CHECK(error_of(request) == errc::cancelled);
    CHECK(books().cancelled == 1);
  } else {
    CHECK(result_of(request) == 10);
    CHECK(books().completed == 1);
  }
  auto next = submit(3);
  deliver(1, 30);
  CHECK(result_of(next) == 30);
  CHECK_FALSE(tasks.at(1).stop_requested());
}

TEST_CASE_FIXTURE(world, "a message that a node gives back because no client "
                         "waits for it is no run of a handler") {
  options.drop_hopeless = true;
  options.deadline_of = [](const libpool::message_content& content) {
    return std::optional<libpool::duration>{
      content.get_as<int>(0) > 1 ? 200ms : libpool::duration{1h}};
  };
  begin(watching());
  submit(1);
  auto runs = [this] { return actor_pool::stats(pool).members.at(0); };
  auto with_deadline = false;
  SUBCASE("it is cancelled") {}
  SUBCASE("its deadline passes") {
    with_deadline = true;
  }
  for (auto x = 2; x < 5; ++x) {
    auto sent = submit(x);
    let_travel();
    REQUIRE(state(0).waiting == 1);
    wait(100ms);
    if (with_deadline)
      wait(100ms);
    else
      cancel(selection::of_id(std::to_string(x)));
    CHECK(state(0).waiting == 0);
    CHECK(error_of(sent)
          == (with_deadline ? errc::deadline_exceeded : errc::cancelled));
  }
  CHECK(tasks.size() == 1);
  CHECK(in_flight() == 1);
  CHECK(runs().completed + runs().failed == 0);
  CHECK(runs().busy == 0ns);
  CHECK(books().open() == 1);
  join(watching());
  auto last = submit(5); // not hopeless: no handler has ended
  REQUIRE(tasks.size() == 2);
  deliver(1, 50);
  CHECK(result_of(last) == 50);
  deliver(0, 10);
  CHECK(runs().completed == 1);
}

TEST_CASE_FIXTURE(world, "the handler of a message at a node is asked to stop "
                         "when the deadline or the time limit passes") {
  auto why = errc::deadline_exceeded;
  SUBCASE("the deadline") {
    options.deadline = 2s;
  }
  SUBCASE("the time limit") {
    options.time_limit = 2s;
    why = errc::time_limit;
  }
  begin(watching());
  auto request = submit(1);
  wait(1900ms);
  REQUIRE(tasks.size() == 1);
  CHECK_FALSE(tasks[0].stop_requested());
  wait(200ms);
  CHECK(tasks[0].stop_requested());
  CHECK(error_of(request) == why);
  CHECK(in_flight() == 1);
  deliver(0, 10);
  CHECK(in_flight() == 0);
  CHECK(books().open() == 0);
}

TEST_CASE_FIXTURE(world, "a cancelled message that a node has taken and not "
                         "begun comes back, and never begins") {
  SUBCASE("if the pool intercepts answers") {
    options.deadline = 1h;
  }
  SUBCASE("if the pool does not") {}
  begin(watching());
  auto sent = request_all(1, 5);
  REQUIRE(tasks.size() == 1);
  let_travel();
  REQUIRE(state(0).waiting == 1);
  cancel(selection::of_all());
  CHECK(tasks[0].stop_requested());
  CHECK(state(0).waiting == 0);
  for (auto i : {1U, 2U, 3U, 4U})
    CHECK(error_of(sent[i]) == errc::cancelled);
  deliver(0, 10);
  CHECK(tasks.size() == 1);
  CHECK(books().cancelled >= 4);
  CHECK(books().open() == 0);
  auto next = submit(6);
  deliver(1, 60);
  CHECK(result_of(next) == 60);
}

TEST_CASE_FIXTURE(world, "a cancelled message that waits in an inner pool of a "
                         "node comes back, and leaves the inner pool") {
  libpool::managed_options of_inner;
  of_inner.busy_until = libpool::busy_until::answer;
  auto inner = actor_pool::make(
    system(), 1, [&] { return system().spawn<scripted>(watching()); },
    actor_pool::shared_queue(of_inner));
  offer.slots = 1;
  make();
  join_with([inner] { return inner; });
  auto own = client.request(inner, 1); // keeps the worker busy
  run();
  auto sent = submit(2);
  REQUIRE(state(0).running == 1);
  cancel(selection::of_all());
  CHECK(error_of(sent) == errc::cancelled);
  CHECK(state(0).running == 0);
  CHECK(actor_pool::stats(inner).tasks.waiting == 0);
  deliver(0, 10);
  CHECK(result_of(own) == 10);
  CHECK(tasks.size() == 1);
}

TEST_CASE_FIXTURE(world, "a handler at a node is asked to stop after the line "
                         "was interrupted") {
  begin(watching());
  submit(1);
  cut(0);
  cancel(selection::of_all());
  CHECK_FALSE(tasks.at(0).stop_requested());
  wait(1s);
  restore(0);
  wait(1s);
  CHECK(tasks.at(0).stop_requested());
  deliver(0, 10);
  CHECK(books().open() == 0);
}

TEST_CASE_FIXTURE(world, "a message of a node that is asked to stop is not "
                         "tried again there, and messages beside it are") {
  offer.pool.retry_on = [](const caf::error&, unsigned attempt) {
    return attempt < 3 ? std::optional{0ns} : std::nullopt;
  };
  begin(watching(), 2);
  auto stopped = submit(1);
  auto other = submit(2);
  REQUIRE(tasks.size() == 2);
  cancel(selection::of_id("1"));
  CHECK(tasks[0].stop_requested());
  CHECK_FALSE(tasks[1].stop_requested());
  deliver(0, -1);
  CHECK(error_of(stopped) == caf::sec::runtime_error);
  CHECK(tasks.size() == 2);
  deliver(1, -1);
  wait(1s);
  REQUIRE(tasks.size() == 3);
  CHECK(tasks[2].attempt() == 2);
  deliver(2, 20);
  CHECK(result_of(other) == 20);
}

TEST_CASE_FIXTURE(world, "a message of a node that is asked to stop is not run "
                         "again when its worker crashes") {
  offer.pool.on_crash = libpool::retry{5};
  offer.pool.restart.pause = 0ns;
  offer.pool.restart.max = 10;
  auto crashes = true;
  begin([&](scripted& self) -> caf::behavior {
    return {[&](int x) {
      tasks.push_back(this_task(&self));
      if (crashes) {
        actor_pool::cancel(pool, selection::of_all());
        test::crash();
      }
      return x;
    }};
  });
  auto request = submit(1);
  CHECK(tasks.size() == 1);
  CHECK(is_answered(request));
  CHECK(books().open() == 0);
  crashes = false;
  CHECK(client.ask(pool, 2).get<int>() == 2);
}

// -- pauses -------------------------------------------------------------------

TEST_CASE_FIXTURE(pausing_world, "a paused node gives back messages that it "
                                 "has not begun, begins no others, and serves "
                                 "again when it is resumed") {
  begin(watching());
  auto sent = request_all(1, 4);
  REQUIRE(tasks.size() == 1);
  let_travel();
  REQUIRE(state(0).waiting == 1);
  auto paused = pause(pause_scope::of_node("node0"));
  CHECK(state(0).waiting == 0);
  CHECK(in_flight() == 1);
  CHECK(!is_answered(paused));
  CHECK_FALSE(tasks[0].stop_requested());
  SUBCASE("when its handlers have ended, the request is answered") {
    deliver(0, 10);
    CHECK(!client.answer_to(paused).error());
    CHECK(is_answered(paused));
    CHECK(result_of(sent[0]) == 10);
    wait(10s);
    CHECK(tasks.size() == 1);
    CHECK(in_flight() == 0);
    CHECK(books().waiting == 3);
    resume(pause_scope::of_node("node0"));
  }
  SUBCASE("another node handles the messages") {
    join(adding());
    CHECK(handled == std::vector<int>{2, 3, 4});
    CHECK(!is_answered(paused));
    deliver(0, 10);
    CHECK(is_answered(paused));
    return;
  }
  SUBCASE("if it is resumed before its handlers have ended") {
    resume(pause_scope::of_node("node0"));
    CHECK(error_of(paused) == errc::cancelled);
    let_travel();
    CHECK(state(0).waiting == 1);
    deliver(0, 10);
  }
  for (auto i : {1U, 2U, 3U}) {
    REQUIRE(tasks.size() > i);
    deliver(i, static_cast<int>(i));
    CHECK(result_of(sent[i]) == static_cast<int>(i));
  }
}

TEST_CASE_FIXTURE(pausing_world, "a node with more slots than workers gives "
                                 "back messages that wait for its workers") {
  offer.pool.workers = 1;
  begin(watching(), 3);
  auto sent = request_all(1, 3);
  REQUIRE(tasks.size() == 1);
  REQUIRE(state(0).running == 3);
  SUBCASE("if it is paused") {
    auto paused = pause(pause_scope::of_node("node0"));
    CHECK(in_flight() == 1);
    CHECK(state(0).running == 1);
    CHECK(books().waiting == 2);
    deliver(0, 10);
    CHECK(is_answered(paused));
    CHECK(tasks.size() == 1);
    resume(pause_scope::of_node("node0"));
    deliver(1, 20);
    deliver(2, 30);
    CHECK(result_of(sent[1]) == 20);
    CHECK(result_of(sent[2]) == 30);
    CHECK(books().completed == 3);
  }
  SUBCASE("if they are cancelled") {
    cancel(selection::of_all());
    CHECK(in_flight() == 1);
    CHECK(tasks[0].stop_requested());
    CHECK(error_of(sent[1]) == errc::cancelled);
    CHECK(error_of(sent[2]) == errc::cancelled);
    deliver(0, 10);
    CHECK(tasks.size() == 1);
    auto runs = actor_pool::stats(pool).members.at(0);
    CHECK(runs.completed + runs.failed == 1);
  }
  CHECK(books().open() == 0);
}

TEST_CASE_FIXTURE(pausing_world, "a node begins no message of a paused pool or "
                                 "flow that it has taken") {
  begin(watching());
  auto of_flow = false;
  SUBCASE("of a pool") {}
  SUBCASE("of a flow") {
    of_flow = true;
  }
  SUBCASE("with a time limit, so that the pool looks at the worker") {
    options.time_limit = 1h;
  }
  auto first = submit(1);
  auto second = submit(2);
  auto third = submit(3);
  let_travel();
  REQUIRE(state(0).waiting == 1);
  auto which = of_flow ? pause_scope::of_flow("2") : pause_scope::of_pool();
  auto paused = pause(which);
  CHECK(is_answered(paused) == of_flow);
  deliver(0, 10);
  CHECK(is_answered(paused));
  CHECK(result_of(first) == 10);
  CHECK(tasks.size() == (of_flow ? 2 : 1));
  if (of_flow) {
    deliver(1, 30);
    CHECK(result_of(third) == 30);
  }
  wait(10s);
  CHECK(!is_answered(second));
  CHECK(in_flight() == 0);
  resume(which);
  auto i = tasks.size() - 1;
  deliver(i, 20);
  CHECK(result_of(second) == 20);
  if (!of_flow)
    deliver(i + 1, 30);
  CHECK(result_of(third) == 30);
}

TEST_CASE_FIXTURE(pausing_world, "a node that is paused while its line is "
                                 "interrupted gives messages back when the "
                                 "line works again") {
  begin(watching());
  request_all(1, 3);
  let_travel();
  cut(0);
  auto paused = pause(pause_scope::of_node("node0"));
  wait(1s);
  CHECK(state(0).waiting == 1);
  restore(0);
  wait(1s);
  CHECK(state(0).waiting == 0);
  deliver(0, 10);
  CHECK(is_answered(paused));
  CHECK(tasks.size() == 1);
  resume(pause_scope::of_node("node0"));
  deliver(1, 20);
  deliver(2, 30);
}

TEST_CASE_FIXTURE(pausing_world, "no node gives messages back for a node that "
                                 "is paused") {
  begin(watching());
  join(watching());
  pause(pause_scope::of_node("node1"));
  request_all(1, 3);
  let_travel();
  REQUIRE(state(0).waiting == 1);
  auto first = link(0).said;
  auto second = link(1).said;
  wait(5s);
  CHECK(link(1).said - second == 5); // beats
  CHECK(link(0).said - first == 5);
  resume(pause_scope::of_node("node1"));
  CHECK(tasks.size() == 2);
  deliver(0, 10);
  deliver(1, 20);
  deliver(2, 30);
}

} // namespace actors_nodes_stopping_tests
