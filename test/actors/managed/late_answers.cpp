/// Workers that answer after their handlers have returned.

#include "support/managed_world.hpp"

#include <chrono>

namespace managed_late_answers_tests {

using namespace std::chrono_literals;

using libpool::errc;
using libpool::outcome;
using test::crash;
using test::managed_world;
using test::scripted;

namespace {

struct world : managed_world {
  explicit world(std::uint64_t seed = 0) : managed_world(seed) {
    options.busy_until = libpool::busy_until::answer;
  }
};

} // namespace

TEST_CASE_FIXTURE(world, "a worker gets the next request only after it has "
                         "fulfilled its response promise") {
  populate(1, promising());
  auto first = client.request(pool, 1);
  auto second = request(2);
  CHECK(promises.size() == 1);
  CHECK(books().running == 1);
  CHECK(books().waiting == 1);
  CHECK(fates.empty());
  deliver(0, 10);
  CHECK(result_of(first) == 10);
  CHECK(promises.size() == 2);
  deliver(1, 20);
  CHECK(result_of(second) == 20);
  CHECK(books().completed == 2);
}

TEST_CASE_FIXTURE(world, "an asynchronous message and a request that is "
                         "answered at once complete when the handler returns") {
  populate(1, doubling());
  client.send(pool, 1);
  client.send(pool, 2);
  run();
  CHECK(books().completed == 2);
  CHECK(client.ask(pool, 2).get<int>() == 4);
  CHECK(books().completed == 3);
}

TEST_CASE_FIXTURE(
  world, "a client gets an error if the promise of its request is not kept") {
  options.when_empty = libpool::when_empty::wait;
  auto error = make_error(errc::worker_crashed);
  auto script = promising();
  SUBCASE("because the worker is killed") {}
  SUBCASE("because it is dropped") {
    error = libpool::dropped_request();
  }
  SUBCASE("because it is dropped in the handler") {
    error = libpool::dropped_request();
    script = [](scripted& self) -> caf::behavior {
      return {[&self](int) -> caf::result<int> {
        self.make_response_promise();
        return caf::delegated<int>{};
      }};
    };
  }
  SUBCASE("because the handler quits") {
    script = [this](scripted& self) -> caf::behavior {
      return {[this, &self](int) {
        promises.push_back(self.make_response_promise());
        self.quit();
        return promises.back();
      }};
    };
  }
  SUBCASE("because the handler throws") {
    script = [this](scripted& self) -> caf::behavior {
      return {[this, &self](int) -> caf::result<int> {
        promises.push_back(self.make_response_promise());
        crash();
      }};
    };
  }
  populate(1, script);
  auto worker = workers().at(0);
  auto has_crashed = error == errc::worker_crashed;
  auto number = request(1);
  if (has_crashed)
    kill(worker);
  else
    promises.clear();
  run();
  CHECK(error_of(number) == error);
  CHECK(books().open() == 0);
  CHECK(books().failed == (has_crashed ? 1 : 0));
  CHECK(stats().workers == (has_crashed ? 0 : 1));
}

TEST_CASE_FIXTURE(world, "a worker that delegates a request to another "
                         "actor gets no further one before the answer") {
  test::probe backend{*this};
  populate(1, [to = backend.handle()](scripted& self) -> caf::behavior {
    return {[&self, to](int x) { return self.delegate(to, x); }};
  });
  auto first = client.request(pool, 1);
  auto second = request(2);
  CHECK(backend.received() == 1);
  backend.answer(0, 100);
  run();
  CHECK(result_of(first) == 100);
  CHECK_FALSE(is_answered(second));
  CHECK(backend.received() == 2);
  backend.answer(1, 200);
  run();
  CHECK(result_of(second) == 200);
}

TEST_CASE_FIXTURE(
  world, "a task without an answer runs from the start of its handler") {
  populate(1, promising());
  client.request(pool, 1);
  auto sent = stats().taken;
  run();
  pass(5s);
  CHECK(stats().is_timed);
  CHECK(stats().longest_running == sent);
  CHECK(stats().members.at(0).running_since == sent);
  deliver(0, 1);
  CHECK(stats().longest_running == libpool::never);
  CHECK(stats().members.at(0).running_since == libpool::never);
}

TEST_CASE_FIXTURE(world, "the member is_timed of the stats is false if the "
                         "option measure_times is false") {
  options.busy_until = libpool::busy_until::handler;
  options.measure_times = false;
  populate(1, promising());
  CHECK(!stats().is_timed);
}

// -- deadlines of handlers that answer later ----------------------------------

namespace {

/// A pool whose workers are free while they owe answers.
struct owing_world : managed_world {
  owing_world() {
    options.deadline = 500ms;
  }

  /// Whether the request was answered once, because of its deadline.
  bool is_late(std::uint64_t number) const {
    return error_of(number) == errc::deadline_exceeded;
  }
};

} // namespace

TEST_CASE_FIXTURE(owing_world, "a client whose worker has promised an answer "
                               "gets an error at the deadline, and its task "
                               "is completed") {
  populate(1, promising());
  auto number = request(1);
  CHECK(books().completed == 1);
  advance(499ms);
  CHECK_FALSE(is_answered(number));
  advance(1ms);
  CHECK(is_late(number));
  CHECK(stats().error_answers == 1);
  deliver(0, 10);
  CHECK(is_late(number)); // the late answer is dropped
  CHECK(books().completed == 1);
  CHECK(stats().error_answers == 1);
}

TEST_CASE_FIXTURE(owing_world, "an answer after the end of the handler and "
                               "before the deadline reaches the client") {
  populate(1, promising());
  auto kept = request(1);
  auto dropped = request(2);
  auto late = request(3);
  advance(400ms);
  deliver(0, 10);
  CHECK(result_of(kept) == 10);
  promises.at(1) = {};
  run();
  CHECK(error_of(dropped) == libpool::dropped_request());
  advance(100ms);
  CHECK(result_of(kept) == 10);
  CHECK(is_late(late));
  CHECK(stats().error_answers == 2);
}

TEST_CASE_FIXTURE(owing_world, "requests that are owed answers are answered "
                               "at deadlines of their own") {
  options.deadline = 1h;
  options.deadline_of = [](const libpool::message_content& content) {
    return std::chrono::milliseconds{content.get_as<int>(0)};
  };
  populate(2, promising());
  auto last = request(300);
  auto first = request(100);
  auto second = request(200);
  advance(100ms);
  CHECK(is_late(first));
  CHECK_FALSE(is_answered(second));
  advance(100ms);
  CHECK(is_late(second));
  CHECK_FALSE(is_answered(last));
  advance(100ms);
  CHECK(is_late(last));
}

TEST_CASE_FIXTURE(owing_world, "a request that a worker has delegated is "
                               "answered at the deadline") {
  test::probe backend{*this};
  populate(1, [to = backend.handle()](scripted& self) -> caf::behavior {
    return {[&self, to](int x) { return self.delegate(to, x); }};
  });
  auto number = request(1);
  CHECK(books().completed == 1);
  advance(500ms);
  CHECK(is_late(number));
  backend.answer(0, 100);
  run();
  CHECK(is_late(number));
}

TEST_CASE_FIXTURE(owing_world, "a pool answers a request at its deadline after "
                               "it was drained, or has ended") {
  populate(1, promising());
  auto number = request(1);
  SUBCASE("it was drained") {
    drain();
    run();
  }
  SUBCASE("it was stopped") {
    exit(pool);
    run();
  }
  CHECK_FALSE(is_answered(number)); // the test has copies of the promises
  advance(500ms);
  CHECK(is_late(number));
}

TEST_CASE_FIXTURE(owing_world, "a pool to which nothing refers ends when the "
                               "last request that it owes an answer has one") {
  populate(1, promising());
  auto number = request(1);
  caf::actor_addr address = pool.address();
  auto is_there = [&] {
    return caf::actor_cast<caf::strong_actor_ptr>(address) != nullptr;
  };
  fates.clear();
  pool = nullptr;
  run();
  CHECK(is_there());
  SUBCASE("at the deadline") {
    advance(500ms);
    CHECK(is_late(number));
  }
  SUBCASE("by the worker") {
    deliver(0, 10);
    CHECK(result_of(number) == 10);
  }
  promises.clear();
  client->inbox.clear();
  run();
  CHECK_FALSE(is_there());
}

TEST_CASE_FIXTURE(owing_world, "cancel does not concern a request whose "
                               "handler has returned") {
  populate(1, promising());
  auto number = request(1);
  auto counts = libpool::actor_pool::cancel(pool, libpool::selection::of_all());
  CHECK(counts.waiting + counts.running == 0);
  CHECK_FALSE(is_answered(number));
  advance(500ms);
  CHECK(is_late(number));
}

TEST_CASE_FIXTURE(owing_world, "a request that a worker of an inner pool owes "
                               "an answer is answered at the deadline of the "
                               "outer pool") {
  libpool::managed_options inner_options;
  inner_options.workers = 1;
  SUBCASE("the inner pool has no deadline") {}
  SUBCASE("the inner pool has a later deadline") {
    inner_options.deadline = 1h;
  }
  auto inner = libpool::spawn_pool(system(), inner_options, [this] {
    return system().spawn<scripted>(promising());
  });
  populate_by(1, [inner] { return inner; });
  auto number = request(1);
  REQUIRE(promises.size() == 1);
  CHECK(books().completed == 1);
  advance(500ms);
  CHECK(is_late(number));
  deliver(0, 10);
  CHECK(is_late(number));
  exit(inner);
}

TEST_CASE_FIXTURE(owing_world, "an item of a pipeline fails at the deadline of "
                               "a stage whose worker owes the answer") {
  populate(1, promising());
  auto line = libpool::spawn_pipeline(
    system(), libpool::pool_stage<int, int>("promising", pool));
  auto number = client.request(line, 1);
  run();
  REQUIRE(promises.size() == 1);
  advance(500ms);
  CHECK(client.answer_to(number).count == 1);
  CHECK(says(client.answer_to(number), "the deadline has passed"));
  exit(line);
  run();
}

TEST_CASE_FIXTURE(owing_world, "a gathered message is answered when workers "
                               "owe answers at its deadline") {
  options.workers = 2;
  pool = libpool::actor_pool::make(
    system(), 2, [this] { return system().spawn<scripted>(promising()); },
    libpool::actor_pool::broadcast_all<int>(
      [](int& sum, const int& x) { sum += x; }, 0, {},
      libpool::actor_pool::shared_queue(options)));
  run();
  auto number = request(1);
  REQUIRE(promises.size() == 2);
  advance(500ms);
  CHECK(client.answer_to(number).count == 1);
  CHECK(client.answer_to(number).error());
}

} // namespace managed_late_answers_tests
