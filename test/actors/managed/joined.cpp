/// Messages that ask for the same result are handled together.

#include "support/managed_world.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace managed_joined_tests {

using namespace std::chrono_literals;

using libpool::actor_pool;
using libpool::errc;
using libpool::join_mode;
using libpool::outcome;
using test::crash;
using test::managed_world;
using test::scripted;

namespace {

/// Messages with the same last digit ask for the same result; those with the
/// digit 0 are handled by themselves.
libpool::same_result by_last_digit(join_mode mode) {
  return {libpool::same_by<int>([](int x) -> std::optional<std::string> {
            if (x % 10 == 0)
              return std::nullopt;
            return std::to_string(x % 10);
          }),
          mode};
}

/// State of a run.
enum class stage : std::uint8_t { waiting, sent, running };

/// A pool whose workers promise to answer.
struct world : managed_world {
  explicit world(std::uint64_t seed = 0) : managed_world(seed) {
    options.when_empty = libpool::when_empty::wait;
    join(join_mode::join_running);
    on_settled = [this](const libpool::settled_task& settled) {
      joined.resize(std::max<std::size_t>(joined.size(), settled.number + 1));
      joined[settled.number] = settled.joined;
    };
  }

  void join(join_mode mode) {
    options.same_as = by_last_digit(mode);
  }

  /// A worker that notes each message before it promises to answer.
  scripted::script noting() {
    return [this](scripted& self) -> caf::behavior {
      return {
        [this, &self](int x) {
          handled.push_back(x);
          seen.push_back(libpool::this_task(&self));
          holders.push_back(&self);
          promises.push_back(self.make_response_promise());
          return promises.back();
        },
        [this](caf::ok_atom, std::size_t i, int x) {
          auto promise = std::move(promises.at(i));
          if (x < 0)
            promise.deliver(caf::make_error(caf::sec::runtime_error));
          else
            promise.deliver(x);
        },
      };
    };
  }

  libpool::cancel_counts cancel(int message) {
    auto result = actor_pool::cancel(
      pool, libpool::selection::of_id(std::to_string(message)));
    run();
    return result;
  }

  /// Brings the messages 1, 11 and 21, which share a run, to that state.
  void bring_to(stage state) {
    options.id_of = libpool::flow_by<int>();
    options.deadline_of = [this](const auto& content) {
      return test::first_of(content) == hurried ? std::optional{1s}
                                                : std::nullopt;
    };
    populate(1, noting());
    if (state == stage::waiting)
      request(10);
    for (auto message : {1, 11, 21})
      sent.push_back(client.request(pool, message));
    if (state == stage::running)
      run();
    REQUIRE(books().waiting == (state == stage::waiting ? 3 : 0));
    REQUIRE(books().sent == (state == stage::sent ? 3 : 0));
  }

  /// Answers what is handled, until all is answered, with the number of the
  /// handler.
  void answer_all() {
    for (; answered < promises.size(); ++answered)
      deliver(answered, static_cast<int>(answered));
  }

  int hurried = 0;          // message with a deadline
  std::size_t answered = 0; // handlers
  std::vector<std::uint64_t> sent;
  std::vector<int> handled;
  std::vector<libpool::running_task> seen; // by handlers
  std::vector<std::uint64_t> joined;       // of the task with that number
};

} // namespace

TEST_CASE_FIXTURE(world, "a message that asks for the same result as a running "
                         "message gets the answer of that message") {
  populate(2, noting());
  auto first = request(1);
  auto second = request(11);
  auto other = request(2);
  CHECK(handled == std::vector{1, 2});
  CHECK(books().running == 3);
  deliver(0, 5);
  CHECK(result_of(first) == 5);
  CHECK(result_of(second) == 5);
  CHECK_FALSE(is_answered(other));
  for (const auto& each : client->inbox)
    CHECK(each->sender->id() == fates[0].worker);
  deliver(1, 6);
  CHECK(result_of(other) == 6);
  CHECK(joined == std::vector<std::uint64_t>{0, 0, 1, 0});
  CHECK(fates[1].worker == fates[0].worker);
  CHECK(stats().joined == 1);
  CHECK(stats().total.completed == 2);
}

TEST_CASE_FIXTURE(world, "by default, a message joins a message that waits or "
                         "runs") {
  options.same_as = {libpool::same_by<int>([](int) { return "all"; })};
  populate(2, noting());
  auto first = request(1);
  auto second = request(2);
  CHECK(handled == std::vector{1});
  deliver(0, 7);
  CHECK(result_of(first) == 7);
  CHECK(result_of(second) == 7);
}

TEST_CASE_FIXTURE(world, "messages without a key are handled by themselves") {
  populate(2, noting());
  request(10);
  request(10);
  client.request(pool, std::string{"no element of the type"});
  run();
  CHECK(handled == std::vector{10, 10});
  CHECK(stats().joined == 0);
}

TEST_CASE_FIXTURE(world, "in mode join_waiting, a message does not join a "
                         "message that runs") {
  join(join_mode::join_waiting);
  populate(1, noting());
  auto running = request(1);
  auto waiting = request(11);
  auto joiner = request(21);
  CHECK(books().waiting == 2);
  deliver(0, 5);
  CHECK(result_of(running) == 5);
  CHECK_FALSE(is_answered(waiting));
  CHECK(handled == std::vector{1, 11});
  deliver(1, 6);
  CHECK(result_of(waiting) == 6);
  CHECK(result_of(joiner) == 6);
  CHECK(joined == std::vector<std::uint64_t>{0, 0, 0, 2});
}

TEST_CASE_FIXTURE(world, "in mode latest, one message of a key runs at a time, "
                         "and the next run has the latest content") {
  join(join_mode::latest);
  populate(3, noting());
  auto first = request(1);
  auto second = request(11);
  auto third = request(21);
  auto other = request(2);
  CHECK(handled == std::vector{1, 2});
  deliver(0, 5);
  CHECK(result_of(first) == 5);
  CHECK(handled == std::vector{1, 2, 21});
  auto fourth = request(31);
  deliver(2, 6);
  CHECK(result_of(second) == 6);
  CHECK(result_of(third) == 6);
  CHECK(handled == std::vector{1, 2, 21, 31});
  deliver(3, 7);
  CHECK(result_of(fourth) == 7);
  deliver(1, 8);
  CHECK(result_of(other) == 8);
}

TEST_CASE_FIXTURE(world,
                  "in mode latest, the content of a cancelled message is "
                  "not handled") {
  join(join_mode::latest);
  options.id_of = libpool::flow_by<int>();
  populate(2, noting());
  request(1);
  for (auto message : {11, 21, 31})
    sent.push_back(request(message));
  SUBCASE("as long as others wait") {
    cancel(31);
    cancel(11);
    deliver(0, 5);
    CHECK(handled == std::vector{1, 21});
    deliver(1, 6);
    CHECK(result_of(sent[1]) == 6);
  }
  SUBCASE("if all are cancelled") {
    for (auto message : {11, 21, 31})
      cancel(message);
    CHECK(books().waiting == 0);
    request(41);
    deliver(0, 5);
    CHECK(handled == std::vector{1, 41});
  }
  answer_all();
}

TEST_CASE_FIXTURE(world,
                  "in mode latest, the first message of a run has its own "
                  "content again if the latest one is cancelled") {
  join(join_mode::latest);
  options.id_of = libpool::flow_by<int>();
  options.on_crash = libpool::retry{1};
  populate(1, noting());
  request(1);
  request(11);
  request(21);
  deliver(0, 5);
  REQUIRE(handled == std::vector{1, 21});
  kill(workers().front());
  run();
  cancel(21);
  put(system().spawn<scripted>(noting()));
  CHECK(handled == std::vector{1, 21, 11});
  answered = 2;
  answer_all();
}

TEST_CASE_FIXTURE(world, "in mode latest, a run that has overrun its deadline "
                         "holds up the next one") {
  join(join_mode::latest);
  options.deadline_of = [](const auto& content) {
    return test::first_of(content) == 1 ? std::optional{1s} : std::nullopt;
  };
  populate(2, noting());
  auto late = request(1);
  auto next = request(11);
  advance(1s);
  CHECK(error_of(late) == errc::deadline_exceeded);
  CHECK(handled == std::vector{1});
  deliver(0, 5);
  CHECK(handled == std::vector{1, 11});
  deliver(1, 6);
  CHECK(result_of(next) == 6);
}

TEST_CASE_FIXTURE(world, "a run is shared by at most `most` messages") {
  options.same_as.most = 2;
  populate(2, noting());
  for (auto message : {1, 11, 21, 31})
    sent.push_back(request(message));
  CHECK(handled == std::vector{1, 21});
  deliver(0, 5);
  deliver(1, 6);
  for (std::size_t i = 0; i < 4; ++i)
    CHECK(result_of(sent[i]) == (i < 2 ? 5 : 6));
}

TEST_CASE_FIXTURE(world,
                  "an asynchronous message shares its run with requests, "
                  "and gets no answer") {
  populate(1, noting());
  SUBCASE("as the one that runs") {
    client.send(pool, 1);
    run();
    auto second = request(11);
    deliver(0, 5);
    CHECK(result_of(second) == 5);
  }
  SUBCASE("as one that joins") {
    auto first = request(1);
    client.send(pool, 11);
    run();
    deliver(0, 5);
    CHECK(result_of(first) == 5);
  }
  CHECK(client.received() == 1);
  CHECK(handled == std::vector{1});
  CHECK(books().completed == 2);
}

// -- messages that leave a run
// -------------------------------------------------

TEST_CASE(
  "a deadline or a cancellation of one message leaves the others of its "
  "run alone") {
  for (auto state : {stage::waiting, stage::sent, stage::running})
    for (auto message : {1, 11, 21})
      for (auto cancels : {true, false}) {
        CAPTURE(static_cast<int>(state));
        CAPTURE(message);
        CAPTURE(cancels);
        world w;
        w.hurried = cancels ? 0 : message;
        w.bring_to(state);
        if (cancels) {
          auto counts = w.cancel(message);
          CHECK(counts.waiting + counts.running == 1);
        } else {
          w.pass(1s);
          w.run();
        }
        auto why = cancels ? errc::cancelled : errc::deadline_exceeded;
        CHECK(w.books().cancelled == 1);
        w.answer_all();
        const std::vector<int> of_run{1, 11, 21};
        for (std::size_t i = 0; i < of_run.size(); ++i)
          if (of_run[i] == message)
            CHECK(w.error_of(w.sent[i]) == why);
          else
            CHECK(w.result_of(w.sent[i])
                  == static_cast<int>(w.promises.size()) - 1);
        auto runs = std::count_if(w.handled.begin(), w.handled.end(),
                                  [](int x) { return x % 10 == 1; });
        CHECK(runs == 1);
      }
}

TEST_CASE_FIXTURE(world, "a handler is asked to stop when no message waits for "
                         "its end any more") {
  options.id_of = libpool::flow_by<int>();
  populate(1, noting());
  for (auto message : {1, 11, 21})
    request(message);
  REQUIRE(seen.size() == 1);
  cancel(1);
  cancel(21);
  CHECK_FALSE(seen[0].stop_requested());
  cancel(11);
  CHECK(seen[0].stop_requested());
  auto next = request(31);
  CHECK_FALSE(is_answered(next));
  deliver(0, 5);
  REQUIRE(seen.size() == 2);
  deliver(1, 6);
  CHECK(result_of(next) == 6);
}

TEST_CASE_FIXTURE(world, "a handler learns the latest deadline of the messages "
                         "that share its run") {
  options.deadline_of = [](const auto& content) {
    return std::optional{test::first_of(content) * 1s};
  };
  populate(1, noting());
  for (auto message : {11, 21, 1})
    client.request(pool, message);
  run();
  REQUIRE(seen.size() == 1);
  deliver(0, 5);
  CHECK(seen[0].deadline() == fates.at(0).accepted + 21s);
}

TEST_CASE_FIXTURE(world, "a time limit ends a run for all of its messages") {
  options.time_limit = 1s;
  populate(1, noting());
  for (auto message : {1, 11})
    sent.push_back(request(message));
  advance(1s);
  for (auto each : sent)
    CHECK(error_of(each) == errc::time_limit);
  deliver(0, 5);
}

// -- failures
// ------------------------------------------------------------------

TEST_CASE_FIXTURE(world, "a crash fails all messages of a run with the same "
                         "error") {
  populate(1, noting());
  for (auto message : {1, 11})
    sent.push_back(request(message));
  kill(workers().at(0));
  run();
  for (auto each : sent)
    CHECK(error_of(each) == errc::worker_crashed);
  CHECK(error_of(sent[0]) == error_of(sent[1]));
  CHECK(to_string(error_of(sent[0])) == to_string(error_of(sent[1])));
  CHECK(books().failed == 2);
  CHECK(joined == std::vector<std::uint64_t>{0, 0, 1});
}

TEST_CASE_FIXTURE(world, "a run that has crashed its worker runs again") {
  options.on_crash = libpool::retry{1};
  options.id_of = libpool::flow_by<int>();
  populate(2, noting());
  for (auto message : {1, 11, 21})
    sent.push_back(request(message));
  auto leader = 1;
  SUBCASE("with the same message") {}
  SUBCASE("with another message, if the first one was cancelled") {
    cancel(1);
    leader = 11;
  }
  kill(caf::actor{holders.at(0)});
  run();
  CHECK(handled == std::vector{1, leader});
  auto late = request(31);
  deliver(1, 6);
  CHECK(result_of(sent[1]) == 6);
  CHECK(result_of(sent[2]) == 6);
  CHECK(result_of(late) == 6);
  if (leader == 1)
    CHECK(result_of(sent[0]) == 6);
}

TEST_CASE_FIXTURE(world,
                  "an error answer reaches and counts for all requests of "
                  "a run") {
  populate(1, noting());
  for (auto message : {1, 11})
    sent.push_back(request(message));
  client.send(pool, 21);
  deliver(0, -1);
  for (auto each : sent)
    CHECK(error_of(each) == caf::sec::runtime_error);
  CHECK(books().completed == 3);
  CHECK(stats().error_answers == 3);
}

TEST_CASE_FIXTURE(world, "a run that was answered with an error is tried again "
                         "for all of its messages") {
  options.retry_on = [](const caf::error&, unsigned) {
    return std::optional{1s};
  };
  options.id_of = libpool::flow_by<int>();
  populate(1, noting());
  for (auto message : {1, 11, 21})
    sent.push_back(request(message));
  auto leader = 1;
  SUBCASE("with the same message") {}
  SUBCASE("with another message, if the first one was cancelled") {
    cancel(1);
    leader = 11;
  }
  deliver(0, -1);
  CHECK_FALSE(is_answered(sent[1]));
  advance(1s);
  CHECK(handled == std::vector{1, leader});
  deliver(1, 6);
  CHECK(result_of(sent[1]) == 6);
  CHECK(result_of(sent[2]) == 6);
  CHECK(stats().error_answers == 0);
}

// -- the pool
// ------------------------------------------------------------------

TEST_CASE_FIXTURE(world, "a request that a worker sends to its own pool, and "
                         "waits for, is handled by itself") {
  auto inside = 0;
  populate(2, [&](scripted& self) -> caf::behavior {
    return {[&](int x) -> caf::result<int> {
      if (x == 11)
        return x;
      auto promise = self.make_response_promise();
      self.request(pool, caf::infinite, 11)
        .then([&inside, x, promise](int y) mutable {
          inside = y;
          promise.deliver(x + y);
        });
      return promise;
    }};
  });
  CHECK(result_of(request(1)) == 12);
  CHECK(inside == 11);
  CHECK(stats().joined == 0);
}

TEST_CASE_FIXTURE(world, "a paused pool lets messages join, and runs them once "
                         "it is resumed") {
  populate(1, noting());
  actor_pool::pause(pool);
  for (auto message : {1, 11})
    sent.push_back(request(message));
  CHECK(handled.empty());
  CHECK(books().waiting == 2);
  actor_pool::resume(pool);
  run();
  CHECK(handled == std::vector{1});
  actor_pool::pause(pool);
  sent.push_back(request(21));
  deliver(0, 5);
  for (auto each : sent)
    CHECK(result_of(each) == 5);
  actor_pool::resume(pool);
}

TEST_CASE("a pool that drains ends runs, and refuses messages "
          "that could join") {
  for (auto mode : {join_mode::join_running, join_mode::latest}) {
    world w;
    w.join(mode);
    w.populate(1, w.noting());
    for (auto message : {1, 11, 21})
      w.sent.push_back(w.request(message));
    auto drained = w.client.request(w.pool, caf::sys_atom{},
                                    libpool::drain_atom{});
    w.run();
    CHECK(w.error_of(w.request(31)) == errc::pool_closed);
    w.answer_all();
    for (auto each : w.sent)
      CHECK(w.client.answer_to(each).get<int>() >= 0);
    CHECK(w.books().completed == 3);
    CHECK(w.client.answer_to(drained).is_empty());
  }
}

TEST_CASE("the end of a pool fails the messages that wait to join or to run") {
  for (auto mode : {join_mode::join_waiting, join_mode::latest}) {
    world w;
    w.join(mode);
    w.populate(1, w.noting());
    for (auto message : {1, 11, 21, 2, 12})
      w.sent.push_back(w.request(message));
    w.exit(w.pool);
    w.run();
    CHECK(w.error_of(w.sent[0]) == errc::worker_crashed); // it owed an answer
    for (std::size_t i = 1; i < w.sent.size(); ++i)
      CHECK(w.error_of(w.sent[i]) == errc::pool_closed);
    CHECK(w.handled == std::vector{1});
    for (const auto& each : w.fates)
      CHECK(w.joined[each.number] == 0);
  }
}

TEST_CASE_FIXTURE(world, "a recording has one run of messages that share it") {
  populate(1, noting());
  actor_pool::record(pool, {1h});
  for (auto message : {1, 11})
    request(message);
  CHECK(actor_pool::recorded(pool).open.size() == 2);
  deliver(0, 5);
  CHECK(actor_pool::recorded(pool).runs.size() == 1);
}

// -- pools as workers
// ----------------------------------------------------------

namespace {

/// An outer pool with the pool of the world, the inner one, as its worker.
struct nested_world : world {
  libpool::managed_options outer_options;
  caf::actor outer;
  std::vector<libpool::outcome> outside;

  nested_world() {
    outer_options.id_of = libpool::flow_by<int>();
    outer_options.when_empty = libpool::when_empty::wait;
    outer_options.on_settled = [this](const libpool::settled_task& task) {
      outside.push_back(task.how);
    };
  }

  ~nested_world() {
    finish();
    exit(outer);
    outer = nullptr;
    run();
  }

  void make_pools(std::size_t n) {
    populate(n, noting());
    outer = actor_pool::make(system(), actor_pool::shared_queue(outer_options));
    client.put(outer, pool);
  }

  std::uint64_t ask_outer(int message) {
    auto result = client.request(outer, message);
    run();
    return result;
  }

  libpool::ledger outer_books() const {
    return actor_pool::stats(outer).tasks;
  }
};

} // namespace

TEST_CASE_FIXTURE(nested_world, "messages of an outer pool share runs in an "
                                "inner pool") {
  make_pools(3);
  auto asynchronous = false;
  SUBCASE("as requests") {}
  SUBCASE("with an asynchronous one as the first") {
    asynchronous = true;
  }
  if (asynchronous) {
    client.send(outer, 1);
    run();
  } else {
    sent.push_back(ask_outer(1));
  }
  sent.push_back(ask_outer(11));
  sent.push_back(request(21));
  CHECK(handled == std::vector{1});
  CHECK(outer_books().running == 2);
  deliver(0, 5);
  for (auto each : sent)
    CHECK(result_of(each) == 5);
  CHECK(outer_books().completed == 2);
  CHECK(books().completed == 3);
}

TEST_CASE_FIXTURE(nested_world, "an outer pool cancels one message of a run in "
                                "an inner pool") {
  make_pools(3);
  SUBCASE("the first one") {
    sent = {ask_outer(1), ask_outer(11), request(21)};
  }
  SUBCASE("another one") {
    sent = {ask_outer(11), ask_outer(1), request(21)};
    std::swap(sent[0], sent[1]);
  }
  actor_pool::cancel(outer, libpool::selection::of_id("1"));
  run();
  CHECK(error_of(sent[0]) == errc::cancelled);
  CHECK(books().cancelled == 1);
  CHECK_FALSE(is_answered(sent[1]));
  deliver(0, 5);
  CHECK(result_of(sent[1]) == 5);
  CHECK(result_of(sent[2]) == 5);
  CHECK(outside == std::vector{outcome::cancelled, outcome::completed});
}

TEST_CASE_FIXTURE(nested_world,
                  "an outer pool learns of the start of a message "
                  "that joins, and keeps its time limit") {
  outer_options.time_limit = 1s;
  make_pools(3);
  auto first = request(1);
  advance(500ms);
  auto joiner = ask_outer(11);
  CHECK(outer_books().running == 1);
  advance(1s);
  CHECK(error_of(joiner) == errc::time_limit);
  CHECK_FALSE(is_answered(first));
  deliver(0, 5);
  CHECK(result_of(first) == 5);
}

TEST_CASE_FIXTURE(nested_world,
                  "a crash in an inner pool is a crash of all "
                  "messages of an outer pool that share the run") {
  outer_options.on_crash = libpool::retry{1};
  make_pools(4);
  sent = {ask_outer(1), ask_outer(11)};
  kill(caf::actor{holders.at(0)});
  run();
  REQUIRE(handled.size() == 2);
  deliver(1, 6);
  for (auto each : sent)
    CHECK(result_of(each) == 6);
  CHECK(outer_books().completed == 2);
  CHECK(books().failed == 2);
}

TEST_CASE_FIXTURE(nested_world,
                  "messages that share a run go back to the outer "
                  "pool if the inner pool ends before the run") {
  make_pools(2);
  const auto members = actor_pool::stats(pool).members;
  sent = {client.request(outer, 1), client.request(outer, 11)};
  REQUIRE(books().sent == 2);
  for (const auto& each : members)
    kill(each.worker);
  run();
  CHECK(handled.empty());
  exit(pool);
  run();
  CHECK(outer_books().waiting == 2);
  client.put(outer, system().spawn<scripted>(doubling()));
  CHECK(result_of(sent[0]) == 2);
  CHECK(result_of(sent[1]) == 22);
}

// -- misuse
// --------------------------------------------------------------------

TEST_CASE_FIXTURE(world, "options that do not fit messages that share runs are "
                         "refused") {
  SUBCASE("no message may run") {
    options.same_as.most = 0;
    CHECK_THROWS_WITH_AS(actor_pool::shared_queue(options),
                         "libpool: managed_options: same_as: most must be at "
                         "least 1, got 0",
                         std::invalid_argument);
  }
  SUBCASE("several workers handle each message") {
    CHECK_THROWS_WITH_AS(
      actor_pool::first_success(1, actor_pool::shared_queue(options)),
      "libpool: first_success: same_as has no effect, since several workers "
      "handle each message: use a pool of pools",
      std::invalid_argument);
  }
}

TEST_CASE_FIXTURE(world, "a message whose key cannot be found is refused") {
  options.same_as.key_of = [](const auto&) -> std::optional<std::string> {
    throw std::runtime_error{"no key"};
  };
  populate(1, doubling());
  auto answer = client.ask(pool, 1);
  CHECK(answer.error() == errc::policy_failed);
  CHECK(says(answer, "same_as threw: no key"));
}

} // namespace managed_joined_tests
