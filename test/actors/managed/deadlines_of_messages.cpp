/// Messages with deadlines of their own.

#include "libpool/pool.hpp"
#include "support/managed_world.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

using libpool::actor_pool;
using libpool::errc;
using test::managed_world;
using test::numbers;
using test::scripted;
using namespace std::chrono_literals;

namespace {

/// A message x has a deadline of x ms, and none from 1000 on.
struct deadlines_world : managed_world {
  deadlines_world() {
    options.deadline_of = [](const libpool::message_content& content) {
      auto x = content.get_as<int>(0);
      return x < 1000 ? std::optional<libpool::duration>{1ms * x}
                      : std::nullopt;
    };
    options.busy_until = libpool::busy_until::answer;
  }

  /// Makes a pool with this policy, whose workers keep promises.
  void populate_with(const libpool::policy& how, std::size_t n) {
    pool = actor_pool::make(
      system(), n, [this] { return system().spawn<scripted>(keeping()); }, how);
    run();
  }

  /// A worker that notes each message, and promises an answer.
  scripted::script keeping() {
    return [this](scripted& self) -> caf::behavior {
      auto promise = [this, &self](int x) {
        begun.push_back(x);
        holders.push_back(&self);
        promises.push_back(self.make_response_promise());
        return promises.back();
      };
      auto keep = [this](caf::ok_atom, std::size_t i, int x) {
        auto kept = std::move(promises.at(i));
        kept.deliver(x);
      };
      return {promise, keep};
    };
  }

  numbers begun;
};

} // namespace

TEST_CASE_FIXTURE(deadlines_world, "each message has its own deadline, and the "
                                   "earlier one counts") {
  options.deadline = 50ms;
  populate_with(actor_pool::shared_queue(options), 1);
  auto running = request(1000);
  auto early = request(10);
  auto late = request(90);
  advance(10ms);
  CHECK(error_of(early) == errc::deadline_exceeded);
  CHECK(!is_answered(late));
  advance(40ms);
  CHECK(error_of(late) == errc::deadline_exceeded);
  CHECK(error_of(running) == errc::deadline_exceeded);
  deliver(0, 1);
}

TEST_CASE_FIXTURE(deadlines_world, "the earliest deadline goes first, and "
                                   "messages without one go last") {
  populate_with(actor_pool::earliest_deadline(options), 1);
  for (auto x : {1000, 1001, 30, 20, 40, 1002, 20})
    request(x);
  for (std::size_t i = 0; i < 7; ++i)
    deliver(i, 1);
  CHECK(begun == numbers{1000, 20, 20, 30, 40, 1001, 1002});
}

TEST_CASE_FIXTURE(deadlines_world,
                  "a message that is too late is cancelled for "
                  "its deadline, and does not begin") {
  populate_with(actor_pool::shared_queue(options), 1);
  CHECK(error_of(request(0)) == errc::deadline_exceeded);
  CHECK(error_of(request(-5)) == errc::deadline_exceeded);
  CHECK(begun.empty());
}

TEST_CASE_FIXTURE(deadlines_world, "a worker that has promised an answer is "
                                   "asked to stop when the deadline has "
                                   "passed") {
  libpool::running_task task;
  pool = actor_pool::make(
    system(), 1,
    [&] {
      return system().spawn<scripted>([&](scripted& self) -> caf::behavior {
        return {[&](int) {
          task = libpool::this_task(&self);
          promises.push_back(self.make_response_promise());
          return promises.back();
        }};
      });
    },
    actor_pool::shared_queue(options));
  run();
  auto asked = request(10);
  CHECK(!task.stop_requested());
  advance(10ms);
  CHECK(task.stop_requested());
  CHECK(error_of(asked) == errc::deadline_exceeded);
}
