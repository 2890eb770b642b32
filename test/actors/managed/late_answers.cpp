/// Workers that are busy until they have answered.

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
  populate(1, test::doubling(std::make_shared<std::vector<int>>()));
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

} // namespace managed_late_answers_tests
