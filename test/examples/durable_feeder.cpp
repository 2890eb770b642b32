/// The actor between a durable queue and a pool, with a queue that is a list.

#include "durable/feeder.hpp"

#include "port/sending.hpp"
#include "support/hand_cranked.hpp"
#include "support/listed_jobs.hpp"
#include "support/managed_world.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using namespace durable;
using namespace std::chrono_literals;

namespace {

/// What actors refer to, which has to be there until they have ended.
struct surroundings {
  test::listed_jobs jobs;
  work_options options;
  std::ostringstream log;
  std::atomic<bool> stop{false};
  std::vector<std::string> handled;
  std::vector<caf::actor> holders;
};

/// A worker does not answer for "held" until the test says so, answers "bad"
/// with an error, and crashes of "fatal".
class feeder_world : public surroundings, public test::hand_cranked {
public:
  feeder_world() {
    options.workers = 2;
    options.window = 4;
    options.retries = 2;
    options.deadline = 1h;
    options.ack_wait = 3s;
    options.until_empty = true;
  }

  feeder_world(const feeder_world&) = delete;
  feeder_world& operator=(const feeder_world&) = delete;

  ~feeder_world() {
    stop = true;
    answer_all();
  }

  void start() {
    system().spawn<feeder>(
      std::ref(jobs), options, [this] { return worker(); }, std::ref(log),
      std::ref(stop));
    run();
  }

  /// Until the feeder has taken nothing more for a while.
  void go_on() {
    for (int i = 0; i < 20; ++i)
      advance(100ms);
  }

  /// Each worker delivers what it has promised.
  void answer_all() {
    for (const auto& worker : std::exchange(holders, {}))
      port::anon_send(worker, caf::ok_atom{});
    go_on();
  }

  bool has_ended() {
    return running() == running_before;
  }

  caf::actor worker() {
    return system().spawn<test::scripted>([this](test::scripted& self) {
      auto promise = std::make_shared<caf::response_promise>();
      return caf::behavior{
        [this, &self, promise](const std::string& path) {
          return handle(self, *promise, path);
        },
        [promise](caf::ok_atom) { promise->deliver(caf::unit); },
      };
    });
  }

  caf::result<void> handle(test::scripted& self, caf::response_promise& promise,
                           const std::string& path) {
    handled.push_back(path);
    if (path == "fatal")
      test::crash();
    if (path == "bad")
      return caf::make_error(caf::sec::runtime_error, std::string{"too bad"});
    if (path != "held")
      return caf::unit;
    promise = self.make_response_promise();
    holders.emplace_back(&self);
    return promise;
  }

  std::size_t running_before = running();
};

using world = feeder_world;

} // namespace

TEST_CASE_FIXTURE(world,
                  "each job is handled and done exactly once if no job fails") {
  for (const auto* path : {"a", "b", "c", "d", "e", "f", "g", "h", "i"})
    jobs.submit(path);
  start();
  go_on();
  std::sort(jobs.finished.begin(), jobs.finished.end());
  CHECK(
    jobs.finished
    == std::vector<std::string>{"a", "b", "c", "d", "e", "f", "g", "h", "i"});
  CHECK(handled.size() == 9);
  CHECK(has_ended());
}

TEST_CASE_FIXTURE(
  world,
  "the feeder holds as many jobs as its window, and takes more when jobs end") {
  for (int i = 0; i < 9; ++i)
    jobs.submit("x");
  start();
  go_on();
  CHECK(jobs.most_held == 4);
  CHECK(jobs.finished.size() == 9);
}

TEST_CASE_FIXTURE(world, "a failing job is requeued after growing pauses, and "
                         "ends in the list of dead jobs with its error") {
  jobs.submit("bad");
  start();
  go_on();
  CHECK(handled == std::vector<std::string>{"bad", "bad", "bad"});
  CHECK(jobs.pauses == std::vector<duration>{100ms, 200ms});
  REQUIRE(jobs.dead.size() == 1);
  CHECK(jobs.dead[0].first == "bad");
  CHECK(jobs.dead[0].second.find("too bad") != std::string::npos);
  CHECK(jobs.finished.empty());
}

TEST_CASE_FIXTURE(world,
                  "a job that crashes its workers does not affect other jobs") {
  jobs.submit("fatal");
  for (int i = 0; i < 5; ++i)
    jobs.submit("x");
  start();
  go_on();
  CHECK(jobs.finished.size() == 5);
  REQUIRE(jobs.dead.size() == 1);
  CHECK(jobs.dead[0].second.find("crashed") != std::string::npos);
}

TEST_CASE_FIXTURE(world, "a job with two retries goes to the dead jobs at its "
                         "fourth delivery, without another run") {
  jobs.submit("x", 4);
  start();
  go_on();
  CHECK(handled.empty());
  REQUIRE(jobs.dead.size() == 1);
  CHECK(jobs.dead[0].second == "no attempt ended");
}

TEST_CASE_FIXTURE(world,
                  "a job that takes longer than the deadline is requeued") {
  options.deadline = 500ms;
  options.retries = 0;
  jobs.submit("held");
  start();
  go_on();
  REQUIRE(jobs.dead.size() == 1);
  CHECK(jobs.dead[0].second.find("deadline") != std::string::npos);
}

TEST_CASE_FIXTURE(world,
                  "after a stop request, the feeder takes no more jobs from "
                  "the queue, and ends when its running jobs have ended") {
  options.deadline = 1min;
  jobs.submit("held");
  start();
  go_on();
  stop = true;
  go_on();
  jobs.submit("x");
  CHECK_FALSE(has_ended());
  answer_all();
  CHECK(has_ended());
  CHECK(jobs.finished == std::vector<std::string>{"held"});
  CHECK(jobs.waiting.size() == 1);
}

TEST_CASE_FIXTURE(
  world,
  "the queue gets three signs of life of a running job within its wait") {
  jobs.submit("held");
  start();
  for (int i = 0; i < 30; ++i)
    advance(100ms);
  CHECK(jobs.signs_of_life == 3);
}

TEST_CASE_FIXTURE(world, "the log has a line for each delivery of a job, and "
                         "for each outcome of a job") {
  jobs.submit("a");
  start();
  go_on();
  CHECK(log.str() == "took 1 a\ndone 1 a\n");
}
