/// Requests that are tried again after errors, and waiting times before
/// retries.

#include "libpool/pool.hpp"
#include "support/managed_world.hpp"

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

using libpool::actor_pool;
using libpool::errc;
using libpool::retry_backoff;
using test::managed_world;
using test::scripted;
using namespace std::chrono_literals;

namespace {

/// Workers that answer the first `failures` messages with an error.
struct retrying_world : managed_world {
  retrying_world() {
    options.retry_on = [this](const caf::error& why, unsigned attempt) {
      attempts.push_back(attempt);
      return why == caf::sec::runtime_error;
    };
    options.backoff = retry_backoff{10ms, 2, 100ms, 3};
    auto note = options.on_settled;
    options.on_settled = [this, note](const libpool::settled_task& settled) {
      retried += settled.retried_errors;
      note(settled);
    };
  }

  void populate_failing(std::size_t n) {
    populate(n, [this](scripted&) -> caf::behavior {
      return {[this](int x) -> caf::result<int> {
        ++runs;
        if (failures-- > 0)
          return caf::make_error(with);
        return 2 * x;
      }};
    });
  }

  int failures = 0;
  caf::sec with = caf::sec::runtime_error;
  int runs = 0;
  unsigned retried = 0;
  std::vector<unsigned> attempts;
};

} // namespace

TEST_CASE_FIXTURE(retrying_world, "a request that failed is tried again, after "
                                  "a time, and settled once") {
  failures = 2;
  populate_failing(2);
  auto asked = request(1);
  CHECK(runs == 1);
  CHECK(!is_answered(asked));
  CHECK(books().waiting == 1);
  CHECK(stats().retrying == 1);
  advance(10ms);
  CHECK(runs == 2);
  advance(20ms);
  CHECK(runs == 3);
  CHECK(result_of(asked) == 2);
  CHECK(attempts == std::vector<unsigned>{1, 2});
  CHECK(retried == 2);
  CHECK(stats().retries == 2);
  CHECK(count(libpool::outcome::completed) == 1);
}

TEST_CASE_FIXTURE(retrying_world, "the client gets the last error") {
  failures = 100;
  SUBCASE("after the maximum number of retries") {
    populate_failing(1);
    auto asked = request(1);
    for (auto i = 0; i < 3; ++i)
      advance(40ms);
    CHECK(runs == 4);
    CHECK(error_of(asked) == caf::sec::runtime_error);
    CHECK(stats().error_answers == 1);
  }
  SUBCASE("at once, if the user does not want a retry") {
    with = caf::sec::unexpected_message;
    populate_failing(1);
    CHECK(error_of(request(1)) == caf::sec::unexpected_message);
    CHECK(runs == 1);
  }
  SUBCASE("at once, if the function throws") {
    options.retry_on = [](const caf::error&, unsigned) -> bool {
      throw std::runtime_error{"no"};
    };
    populate_failing(1);
    CHECK(error_of(request(1)) == caf::sec::runtime_error);
  }
  SUBCASE("at once, if the next attempt would be after the deadline") {
    options.deadline = 1ns;
    options.backoff = retry_backoff{10ms, 2, 10ms, 3};
    populate_failing(1);
    CHECK(error_of(request(1)) == caf::sec::runtime_error);
    CHECK(runs == 1);
  }
}

TEST_CASE_FIXTURE(retrying_world,
                  "retries wait although no times are measured") {
  options.measure_times = false;
  failures = 1;
  populate_failing(1);
  auto asked = request(1);
  CHECK(runs == 1);
  advance(10ms);
  CHECK(runs == 2);
  CHECK(result_of(asked) == 2);
}

TEST_CASE_FIXTURE(retrying_world, "few requests are tried again at the same "
                                  "time") {
  failures = 6;
  populate_failing(6);
  std::vector<std::uint64_t> asked;
  for (auto x = 1; x <= 6; ++x)
    asked.push_back(request(x));
  CHECK(stats().retrying == 3);
  auto failed = 0;
  advance(1s);
  for (auto each : asked)
    failed += client.answer_to(each).error() ? 1 : 0;
  CHECK(failed == 3);
}

TEST_CASE_FIXTURE(retrying_world, "a request that waits for its retry can be "
                                  "cancelled, and passes its deadline") {
  failures = 1;
  options.backoff = retry_backoff{10s, 1, 10s, 1};
  SUBCASE("cancelled") {
    populate_failing(1);
    auto asked = request(1);
    CHECK(actor_pool::cancel(pool, libpool::selection::of_all()).waiting == 1);
    run();
    CHECK(error_of(asked) == errc::cancelled);
  }
  SUBCASE("drained") {
    populate_failing(1);
    auto asked = request(1);
    auto drained = drain();
    run();
    CHECK(!is_answered(drained));
    advance(10s);
    CHECK(result_of(asked) == 2);
    CHECK(is_answered(drained));
  }
  SUBCASE("ended") {
    populate_failing(1);
    auto asked = request(1);
    exit(pool);
    run();
    CHECK(error_of(asked) == errc::pool_closed);
  }
  SUBCASE("without a handle") {
    populate_failing(1);
    auto asked = request(1);
    pool = nullptr;
    advance(10s);
    CHECK(result_of(asked) == 2);
  }
}

TEST_CASE_FIXTURE(retrying_world, "late answers with errors are tried again if "
                                  "the task lasts until the answer") {
  options.busy_until = libpool::busy_until::answer;
  std::vector<caf::response_promise> held;
  populate(1, [&held](scripted& self) -> caf::behavior {
    return {[&held, &self](int) {
              held.push_back(self.make_response_promise());
              return held.back();
            },
            [&held](caf::ok_atom) {
              auto promise = std::move(held.front());
              held.erase(held.begin());
              if (held.empty())
                promise.deliver(caf::make_error(caf::sec::runtime_error));
            },
            [&held](caf::ok_atom, int x) {
              auto promise = std::move(held.front());
              held.erase(held.begin());
              promise.deliver(x);
            }};
  });
  auto asked = request(1);
  auto worker = workers().front();
  caf::anon_send(worker, caf::ok_atom{});
  run();
  CHECK(!is_answered(asked));
  advance(10ms);
  CHECK(held.size() == 1);
  caf::anon_send(worker, caf::ok_atom{}, 7);
  run();
  CHECK(result_of(asked) == 7);
}

TEST_CASE_FIXTURE(retrying_world,
                  "crashed messages wait before their retry, too") {
  options.retry_on = nullptr;
  options.on_crash = libpool::retry{2};
  restart(10);
  populate(1, [this](scripted&) -> caf::behavior {
    return {[this](int x) {
      if (++runs < 3)
        test::crash();
      return 2 * x;
    }};
  });
  auto asked = request(1);
  CHECK(runs == 1);
  advance(10ms);
  CHECK(runs == 2);
  advance(20ms);
  CHECK(runs == 3);
  CHECK(result_of(asked) == 2);
}

TEST_CASE_FIXTURE(retrying_world, "a handler sees how often its message was "
                                  "tried") {
  std::vector<unsigned> seen;
  populate(1, [&](scripted& self) -> caf::behavior {
    return {[&](int x) -> caf::result<int> {
      auto task = libpool::this_task(&self);
      seen.push_back(task.attempt());
      if (seen.size() < 3)
        return caf::make_error(caf::sec::runtime_error);
      return x;
    }};
  });
  auto asked = request(1);
  advance(10ms);
  advance(20ms);
  CHECK(result_of(asked) == 1);
  CHECK(seen == std::vector<unsigned>{1, 2, 3});
}

TEST_CASE("waiting times of retries out of bounds are refused") {
  libpool::managed_options options;
  options.on_crash = libpool::retry{1};
  auto refuses = [&](const retry_backoff& how, const char* why) {
    options.backoff = how;
    CHECK_THROWS_WITH_AS(actor_pool::shared_queue(options),
                         doctest::Contains(why), std::invalid_argument);
  };
  refuses(retry_backoff{-1ns, 2, 1s, 1}, "backoff: first must be at least 0");
  refuses(retry_backoff{1s, 0.5, 1s, 1}, "backoff: factor must be at least 1");
  refuses(retry_backoff{2s, 2, 1s, 1}, "backoff: most must be at least first");
  refuses(retry_backoff{1s, 2, 1s, 0}, "backoff: times must be at least 1");
  options.on_crash = libpool::fail{};
  refuses(retry_backoff{}, "backoff must be unset if neither");
}
