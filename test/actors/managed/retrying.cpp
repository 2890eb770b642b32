/// Requests that are tried again after errors, and waiting times before
/// retries.

#include "libpool/pool.hpp"
#include "support/managed_world.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace actors_managed_retrying_tests {

using libpool::actor_pool;
using libpool::errc;
using libpool::retry_backoff;
using test::managed_world;
using test::scripted;
using namespace std::chrono_literals;

namespace {

/// Tries each request again, after the time that the back-off gives.
std::optional<libpool::duration> always(const caf::error&, unsigned) {
  return 0ns;
}

/// Workers that answer the first `failures` messages with an error.
struct retrying_world : managed_world {
  retrying_world() {
    options.retry_on = [this](const caf::error& why, unsigned attempt) {
      attempts.push_back(attempt);
      return why == caf::sec::runtime_error ? std::optional{0ns} : std::nullopt;
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
    options.retry_on = [](const caf::error&, unsigned) -> libpool::duration {
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

TEST_CASE_FIXTURE(managed_world, "all requests to a worker that is down for "
                                 "less time than their retries succeed") {
  auto is_up = false;
  options.retry_on = always;
  options.backoff = retry_backoff{10ms, 2, 1s, 10};
  populate(1, [&is_up](scripted&) -> caf::behavior {
    return {[&is_up](int x) -> caf::result<int> {
      if (!is_up)
        return caf::make_error(caf::sec::runtime_error);
      return x;
    }};
  });
  std::vector<std::uint64_t> asked;
  for (auto x = 0; x < 100; ++x)
    asked.push_back(client.request(pool, x));
  run();
  for (auto i = 0; i < 60; ++i)
    advance(1ms);
  is_up = true;
  for (auto i = 0; i < 2000; ++i)
    advance(1ms);
  for (auto x = 0; x < 100; ++x)
    CHECK(result_of(asked[static_cast<std::size_t>(x)]) == x);
  CHECK(stats().retries_refused == 0);
}

// Of 2000 requests, each with 4 attempts that fail with probability 1/4, 7.8
// are expected to fail, with a standard deviation of 2.8.
TEST_CASE_FIXTURE(managed_world,
                  "a client gets an error only after all attempts that "
                  "the options permit") {
  constexpr auto requests = 2000;
  std::mt19937_64 engine{7};
  std::bernoulli_distribution fails{0.25};
  std::map<int, int> runs;
  options.retry_on = always;
  options.backoff = retry_backoff{10ms, 2, 1s, 3};
  populate(4, [&](scripted&) -> caf::behavior {
    return {[&](int x) -> caf::result<int> {
      ++runs[x];
      if (fails(engine))
        return caf::make_error(caf::sec::runtime_error);
      return x;
    }};
  });
  std::vector<std::uint64_t> asked;
  for (auto x = 0; x < requests; ++x) {
    asked.push_back(request(x));
    advance(1ms);
  }
  for (auto i = 0; i < 3; ++i) // the last request may have three retries
    advance(1s);
  auto errors = 0;
  for (auto x = 0; x < requests; ++x)
    if (client.answer_to(asked[static_cast<std::size_t>(x)]).error()) {
      ++errors;
      CHECK(runs[x] == 4);
    }
  CHECK(errors < 20);
  CHECK(stats().error_answers == static_cast<std::uint64_t>(errors));
}

namespace {

/// A pool with fair queuing: requests of tenant 1 always fail, requests of
/// other tenants fail once. A request of tenant t is a number t * 1000 + n.
struct tenants_world : managed_world {
  tenants_world() {
    options.retry_on = always;
    options.backoff = retry_backoff{10ms, 2, 1s, 10};
  }

  void begin() {
    libpool::flow_options flows;
    flows.flow_of = libpool::flow_by<int>([](int x) { return x / 1000; });
    options.workers = 4;
    pool = libpool::spawn_pool(
      system(), 4, actor_pool::fair_queuing(flows, options), [this] {
        return system().spawn<scripted>([this](scripted&) -> caf::behavior {
          return {[this](int x) -> caf::result<int> {
            if (x / 1000 == 1 || ++runs[x] == 1)
              return caf::make_error(caf::sec::runtime_error, "down");
            return x;
          }};
        });
      });
    run();
  }

  /// The number of requests of tenant 2 that succeed while many requests of
  /// tenant 1 are tried again. Each comes when the last one was answered.
  int successes_beside_broken_tenant() {
    auto result = 0;
    for (auto x = 0; x < 40; ++x)
      broken.push_back(client.request(pool, 1000 + x));
    for (auto x = 0; x < 20; ++x) {
      auto asked = request(2000 + x);
      for (auto i = 0; i < 20 && !is_answered(asked); ++i)
        advance(1ms);
      result += is_answered(asked) && !client.answer_to(asked).error() ? 1 : 0;
    }
    advance(10s);
    for (auto i = 0; i < 12; ++i)
      advance(1s);
    return result;
  }

  std::map<int, int> runs;
  std::vector<std::uint64_t> broken;
};

} // namespace

TEST_CASE_FIXTURE(tenants_world,
                  "a tenant whose requests fail takes no retries "
                  "from other tenants") {
  SUBCASE("without a budget") {
    begin();
    CHECK(successes_beside_broken_tenant() == 20);
    CHECK(stats().retries_refused == 0);
  }
  SUBCASE("with a budget, which each tenant has for itself") {
    options.retry_budget = libpool::retry_budget{};
    begin();
    CHECK(successes_beside_broken_tenant() == 20);
    CHECK(stats().retries_refused == 37);
    CHECK(says(client.answer_to(broken.back()),
               "down; not tried again: the retry budget of flow '1' is spent"));
  }
}

TEST_CASE_FIXTURE(retrying_world,
                  "a retry that the budget refuses is counted, and named in "
                  "the error of the worker") {
  failures = 6;
  options.retry_budget = libpool::retry_budget{0.2, 3};
  populate_failing(6);
  std::vector<std::uint64_t> asked;
  for (auto x = 1; x <= 6; ++x)
    asked.push_back(request(x));
  CHECK(stats().retrying == 3);
  CHECK(stats().retries_refused == 3);
  advance(1s);
  for (std::size_t i = 0; i < 3; ++i)
    CHECK(result_of(asked[i]) == 2 * static_cast<int>(i + 1));
  for (std::size_t i = 3; i < 6; ++i) {
    CHECK(error_of(asked[i]) == caf::sec::runtime_error);
    CHECK(says(client.answer_to(asked[i]),
               "not tried again: the retry budget is spent"));
  }
  CHECK(stats().error_answers == 3);
}

TEST_CASE_FIXTURE(managed_world,
                  "an error that names a time keeps the time when the "
                  "budget refuses its retry") {
  options.retry_on = always;
  options.retry_budget = libpool::retry_budget{0.1, 0};
  auto ask = [this](const caf::error& why) {
    populate(1, [why](scripted&) -> caf::behavior {
      return {[why](int) -> caf::result<int> { return why; }};
    });
    auto result = error_of(request(1));
    exit(pool);
    run();
    return result;
  };
  auto named =
    ask(caf::make_error(caf::sec::runtime_error, "busy", caf::timespan{2s}));
  CHECK(named == caf::sec::runtime_error);
  CHECK(libpool::retry_after(named) == 2s);
  CHECK(libpool::render(named, system()).find("busy; not tried again")
        != std::string::npos);
  auto own = ask(libpool::make_error(errc::queue_full, "full"));
  CHECK(own == errc::queue_full);
  CHECK(libpool::render(own, system()).find("full; not tried again")
        != std::string::npos);
  auto other = ask(caf::make_error(caf::sec::runtime_error, 7));
  CHECK(other.context().match_elements<int, std::string>());
  pool = nullptr;
}

TEST_CASE_FIXTURE(managed_world, "the time that an error names goes before the "
                                 "back-off") {
  options.retry_on = [](const caf::error& why, unsigned) {
    return libpool::retry_after(why);
  };
  options.backoff = retry_backoff{1ms, 1, 1ms, 5};
  std::optional<caf::error> error = caf::make_error(caf::sec::runtime_error,
                                                    "busy", caf::timespan{2s});
  auto runs = 0;
  populate(1, [&](scripted&) -> caf::behavior {
    return {[&](int x) -> caf::result<int> {
      ++runs;
      if (error)
        return *error;
      return x;
    }};
  });
  auto asked = request(1);
  advance(1999ms);
  CHECK(runs == 1);
  error.reset();
  advance(1ms);
  CHECK(result_of(asked) == 1);
  error = caf::make_error(caf::sec::runtime_error, "busy"); // without a time
  CHECK(error_of(request(2)) == caf::sec::runtime_error);
  error = caf::make_error(caf::sec::runtime_error, "busy", caf::timespan{0});
  asked = request(3);
  error.reset();
  advance(1ms); // as the back-off says
  CHECK(result_of(asked) == 3);
}

TEST_CASE("a function that returns whether a request is tried again does not "
          "compile") {
  using function = decltype(libpool::managed_options::retry_on);
  using of_bool = bool (*)(const caf::error&, unsigned);
  using of_time = libpool::duration (*)(const caf::error&, unsigned);
  CHECK_FALSE(std::is_constructible_v<function, of_bool>);
  CHECK(std::is_constructible_v<function, of_time>);
}

TEST_CASE_FIXTURE(managed_world, "retries do not lower the rate of a tenant") {
  options.retry_on = always;
  options.backoff = retry_backoff{1ms, 1, 1ms, 5};
  options.throttles.of_each_flow.most_begun = libpool::rate{20, 1};
  auto settled = 0.0;
  SUBCASE("as the default") {
    settled = 20;
  }
  SUBCASE("unless the rate counts them") {
    options.throttles.of_each_flow.most_begun->counts_retries = true;
    settled = 16; // each fifth attempt fails
  }
  auto runs = 0;
  populate(4, [&runs](scripted&) -> caf::behavior {
    return {[&runs](int x) -> caf::result<int> {
      if (++runs % 5 == 0)
        return caf::make_error(caf::sec::runtime_error);
      return x;
    }};
  });
  std::vector<std::uint64_t> asked;
  for (auto x = 0; x < 400; ++x)
    asked.push_back(client.request(pool, x));
  run();
  for (auto i = 0; i < 10'000; ++i)
    advance(1ms);
  CHECK(static_cast<double>(stats().tasks.completed) / 10
        == doctest::Approx(settled).epsilon(0.01));
  actor_pool::cancel(pool, libpool::selection::of_all());
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

TEST_CASE("a retry budget out of bounds is refused") {
  libpool::managed_options options;
  options.retry_on = always;
  auto refuses = [&](const libpool::retry_budget& how, const char* why) {
    options.retry_budget = how;
    CHECK_THROWS_WITH_AS(actor_pool::shared_queue(options),
                         doctest::Contains(why), std::invalid_argument);
  };
  refuses({0, 1}, "retry_budget: share must be above 0 and at most 1, got 0");
  refuses({1.5, 1}, "retry_budget: share must be above 0 and at most 1");
  options.retry_on = nullptr;
  refuses({}, "retry_budget must be unset if retry_on is unset");
}

} // namespace actors_managed_retrying_tests
