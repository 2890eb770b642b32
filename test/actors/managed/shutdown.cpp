/// What each request gets when a pool ends: the tables of
/// docs/guide/shutdown.md.

#include "support/managed_world.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace shutdown_tests {

using namespace std::chrono_literals;

using libpool::actor_pool;
using libpool::errc;
using test::managed_world;
using test::scripted;

namespace {

/// A pool with one worker. Requests 1, 2 and 3 are sent together. While the
/// worker handles request 1, the pool is ended, and then request 4 is sent.
/// Request 5 is sent when nothing runs any more.
struct world : managed_world {
  scripted::script script() {
    return [this](scripted& self) -> caf::behavior {
      return {[this, &self](int x) {
        if (x == 1 && in_handler)
          std::exchange(in_handler, nullptr)(self);
        return 2 * x;
      }};
    };
  }

  void populate_one() {
    populate(1, script());
  }

  void populate_direct() {
    pool = actor_pool::make(
      system(), 1, [this] { return system().spawn<scripted>(script()); },
      actor_pool::round_robin());
  }

  /// Calls `ending` while request 1 is handled; returns the outcomes of
  /// requests 1 to 5.
  std::string outcomes(const std::function<void(scripted&)>& ending) {
    in_handler = [this, &ending](scripted& self) {
      auto crashes = false;
      try {
        ending(self);
      } catch (const std::runtime_error&) {
        crashes = true;
      }
      fourth = client.request(pool, 4);
      if (crashes)
        test::crash();
    };
    std::vector<std::uint64_t> numbers;
    for (auto x : {1, 2, 3})
      numbers.push_back(client.request(pool, x));
    run();
    numbers.push_back(fourth);
    numbers.push_back(client.request(pool, 5));
    run();
    std::string result;
    for (auto number : numbers)
      result += (result.empty() ? "" : ", ") + outcome_of(number);
    return result;
  }

  std::string outcome_of(std::uint64_t number) {
    auto answer = client.answer_to(number);
    if (!answer.came())
      return "none";
    auto why = answer.error();
    if (!why)
      return "result";
    for (auto code :
         {errc::pool_closed, errc::no_workers, errc::worker_crashed})
      if (why == code)
        return libpool::name_of(code);
    if (why == caf::sec::request_receiver_down)
      return "request_receiver_down";
    return why == caf::sec::runtime_error ? "runtime_error" : "other";
  }

  std::uint64_t fourth = 0;
  std::function<void(scripted&)> in_handler;
};

} // namespace

TEST_CASE_FIXTURE(world, "a managed pool that drains answers each request that "
                         "was accepted with its result") {
  populate_one();
  CHECK(outcomes([this](scripted&) { actor_pool::drain(pool); })
        == "result, result, result, pool_closed, request_receiver_down");
  CHECK(books().completed == 3);
  CHECK(books().refused == 2);
}

TEST_CASE_FIXTURE(world, "a managed pool that gets an exit message answers "
                         "requests that have not begun with pool_closed") {
  SUBCASE("requests that wait") {}
  SUBCASE("a request in the mailbox of the worker") {
    options.window = 2;
  }
  SUBCASE("intercepted answers") {
    options.deadline = 1s;
  }
  populate_one();
  CHECK(outcomes([this](scripted&) { exit(pool); })
        == "result, pool_closed, pool_closed, request_receiver_down, "
           "request_receiver_down");
  CHECK(books().completed == 1);
  CHECK(books().failed == 2);
  CHECK(books().refused == 2);
}

TEST_CASE_FIXTURE(world,
                  "when the last worker of a managed pool ends, requests "
                  "that have not begun are answered with no_workers") {
  SUBCASE("a crash") {
    populate_one();
    CHECK(outcomes([](scripted&) { test::crash(); })
          == "worker_crashed, no_workers, no_workers, no_workers, "
             "request_receiver_down");
  }
  SUBCASE("an end without a crash") {
    SUBCASE("requests that wait") {}
    SUBCASE("a request in the mailbox of the worker") {
      options.window = 2;
    }
    populate_one();
    CHECK(outcomes(
            [](scripted& self) { self.quit(caf::exit_reason::user_shutdown); })
          == "result, no_workers, no_workers, no_workers, "
             "request_receiver_down");
  }
}

TEST_CASE_FIXTURE(world, "workers of a direct pool that gets an exit message "
                         "answer the requests that they have received") {
  populate_direct();
  CHECK(outcomes([this](scripted&) { exit(pool); })
        == "result, result, result, request_receiver_down, "
           "request_receiver_down");
  pool = nullptr;
}

TEST_CASE_FIXTURE(world, "when the last worker of a direct pool ends, requests "
                         "that have not begun are answered by CAF") {
  populate_direct();
  SUBCASE("a crash") {
    CHECK(outcomes([](scripted&) { test::crash(); })
          == "runtime_error, request_receiver_down, request_receiver_down, "
             "request_receiver_down, request_receiver_down");
  }
  SUBCASE("an end without a crash") {
    CHECK(outcomes(
            [](scripted& self) { self.quit(caf::exit_reason::user_shutdown); })
          == "result, request_receiver_down, request_receiver_down, "
             "request_receiver_down, request_receiver_down");
  }
  pool = nullptr;
}

TEST_CASE_FIXTURE(world, "a pool whose last handle is released while workers "
                         "serve answers each request with its result") {
  SUBCASE("a managed pool") {
    populate_one();
  }
  SUBCASE("a direct pool") {
    populate_direct();
  }
  std::vector<std::uint64_t> numbers;
  for (auto x : {1, 2, 3})
    numbers.push_back(client.request(pool, x));
  auto address = pool.address();
  pool = nullptr;
  run();
  for (auto number : numbers)
    CHECK(outcome_of(number) == "result");
  client->inbox.clear(); // an answer refers to the pool
  CHECK(is_gone(address));
}

TEST_CASE_FIXTURE(world, "when a pool ends that intercepts answers until they "
                         "come, each promised answer is an error") {
  options.busy_until = libpool::busy_until::answer;
  populate(1, promising());
  auto number = request(1);
  exit(pool);
  run();
  promises.clear();
  run();
  CHECK(outcome_of(number) == "worker_crashed");
  CHECK(client.answer_to(number).count == 1);
}

} // namespace shutdown_tests
