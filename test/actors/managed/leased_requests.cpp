/// Requests in leases whose answers pass the pool.

#include "leasing_world.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <variant>
#include <vector>

using test::from_to;
using test::leasing_world;
using test::scripted;
using namespace std::chrono_literals;

namespace {

struct requests_world : leasing_world {
  requests_world() {
    options.on_settled = [this](const libpool::settled_task& task) {
      ends.push_back(task);
    };
  }

  /// Lets the answers of requests pass the pool.
  void intercept() {
    SUBCASE("with a deadline") {
      options.deadline = 1h;
    }
    SUBCASE("with retries") {
      options.on_crash = libpool::retry{1};
    }
    SUBCASE("with a function that looks at errors") {
      options.retry_on = [](const caf::error&, unsigned) {
        return std::nullopt;
      };
    }
    options.restart.pause = 0ns;
    options.restart.max = 1000;
  }

  /// Sends a message that tells the pool how short they are, and then requests.
  std::vector<std::uint64_t> flood(int last) {
    send(0, 0);
    run();
    return request(1, last);
  }

  /// Whether request `x` has got exactly one answer, the result of the worker.
  bool is_completed(const std::vector<std::uint64_t>& sent, int x) const {
    const auto& answer =
      client.answer_to(sent[static_cast<std::size_t>(x) - 1]);
    return answer.count == 1 && answer.get<int>() == 2 * x;
  }

  /// Returns the error with which request `x` was answered once.
  caf::error error_of(const std::vector<std::uint64_t>& sent, int x) const {
    const auto& answer =
      client.answer_to(sent[static_cast<std::size_t>(x) - 1]);
    return answer.count == 1 ? answer.error() : caf::error{};
  }

  std::vector<libpool::settled_task> ends;
};

} // namespace

TEST_CASE_FIXTURE(requests_world,
                  "the answer to a request in a lease goes to the client as "
                  "soon as its handler has returned") {
  intercept();
  populate(1);
  auto answered = 0;
  std::vector<std::uint64_t> sent;
  at(20, [&](scripted&) {
    REQUIRE(stats().leases > 0);
    answered = static_cast<int>(client->inbox.size()) - 1; // the first result
  });
  sent = flood(40);
  run_leased();
  CHECK(answered == 19);
  for (auto x = 1; x <= 40; ++x)
    CHECK(is_completed(sent, x));
  CHECK(ends.size() == 41);
}

TEST_CASE_FIXTURE(requests_world,
                  "a leased request whose handler has returned without an "
                  "answer is answered at its deadline") {
  SUBCASE("the pool describes messages") {}
  SUBCASE("the pool does not describe messages") {
    options.on_settled = nullptr;
  }
  options.deadline = 1s;
  options.workers = 1;
  pool = spawn([&] {
    return system().spawn<scripted>([&](scripted& self) -> caf::behavior {
      return {[&](int x) -> caf::result<int> {
        pass(1us);
        if (x % 10 != 0)
          return 2 * x;
        promises.push_back(self.make_response_promise());
        return caf::delegated<int>{};
      }};
    });
  });
  auto sent = flood(40);
  run_leased();
  CHECK(stats().tasks.completed == 41);
  CHECK(client.answer_to(sent.back()).count == 0);
  advance(1s);
  for (auto x = 1; x <= 40; ++x)
    if (x % 10 == 0)
      CHECK(error_of(sent, x) == libpool::errc::deadline_exceeded);
    else
      CHECK(is_completed(sent, x));
  promises.clear();
}

TEST_CASE_FIXTURE(requests_world, "an error that the worker of a leased "
                                  "request answers is counted and told") {
  intercept();
  options.workers = 1;
  pool = spawn([this] {
    return system().spawn<scripted>([this](scripted&) -> caf::behavior {
      return {[this](int x) -> caf::result<int> {
        pass(1us);
        if (x % 10 == 0)
          return caf::error{caf::sec::invalid_argument};
        return 2 * x;
      }};
    });
  });
  auto sent = flood(40);
  run_leased();
  CHECK(stats().sees_answers);
  CHECK(stats().error_answers == 4);
  REQUIRE(stats().answered_errors.size() == 1);
  CHECK(stats().answered_errors[0].name == "invalid_argument");
  CHECK(stats().answered_errors[0].count == 4);
  REQUIRE(ends.size() == 41);
  for (auto x = 1; x <= 40; ++x) {
    auto fails = x % 10 == 0;
    CHECK(ends[static_cast<std::size_t>(x)].answered_with_error == fails);
    if (fails)
      CHECK(error_of(sent, x) == caf::sec::invalid_argument);
    else
      CHECK(is_completed(sent, x));
  }
}

TEST_CASE_FIXTURE(requests_world, "a leased request that fails is tried again, "
                                  "and no other one") {
  options.retry_on = [](const caf::error& why, unsigned) {
    return why == caf::sec::invalid_argument ? std::optional{0ns}
                                             : std::nullopt;
  };
  options.backoff = libpool::retry_backoff{10ms, 2, 10ms, 3};
  std::map<int, int> runs;
  options.workers = 2;
  pool = spawn([this, &runs] {
    return system().spawn<scripted>([this, &runs](scripted&) -> caf::behavior {
      return {[this, &runs](int x) -> caf::result<int> {
        pass(1us);
        if (++runs[x] == 1 && x % 20 == 0)
          return caf::error{caf::sec::invalid_argument};
        return 2 * x;
      }};
    });
  });
  auto sent = flood(60);
  run_leased();
  CHECK(stats().retrying == 3);
  CHECK(stats().tasks.waiting == 3);
  advance(20ms);
  for (auto x = 1; x <= 60; ++x)
    CHECK(is_completed(sent, x));
  for (auto x = 1; x <= 60; ++x)
    CHECK(runs[x] == (x % 20 == 0 ? 2 : 1));
  CHECK(std::accumulate(ends.begin(), ends.end(), 0U,
                        [](unsigned sum, const auto& each) {
                          return sum + each.retried_errors;
                        })
        == 3);
}

TEST_CASE_FIXTURE(requests_world,
                  "messages without answers can be leased after requests") {
  options.deadline = 1h;
  populate(1);
  send(0, 0);
  run();
  at(1, [this](scripted&) {
    request(2, 2);
    send(3, 4);
  });
  auto before = during;
  during = [this, before](scripted& self, int x) {
    before(self, x);
    if (x == 2)
      send(5, 40);
  };
  send(1, 1);
  run_leased();
  CHECK(seen == from_to(0, 40));
  CHECK(stats().error_answers == 0);
}

TEST_CASE_FIXTURE(requests_world,
                  "a leased request that crashes its worker is answered with "
                  "an error, or retried, and no other one") {
  intercept();
  auto fails = !std::holds_alternative<libpool::retry>(options.on_crash);
  std::vector<int> crashed;
  during = [&](scripted&, int x) {
    if (x % 7 != 0 || x == 0
        || std::count(crashed.begin(), crashed.end(), x) > 0)
      return;
    crashed.push_back(x);
    test::crash();
  };
  populate(2);
  auto sent = flood(60);
  run_leased();
  CHECK(crashed.size() == 8);
  for (auto x = 1; x <= 60; ++x)
    if (fails && x % 7 == 0)
      CHECK(error_of(sent, x) == libpool::errc::worker_crashed);
    else
      CHECK(is_completed(sent, x));
  CHECK(stats().retries == (fails ? 0 : 8));
}

TEST_CASE_FIXTURE(requests_world,
                  "the client of a leased request is answered when its "
                  "deadline passes, and the late result is dropped") {
  options.deadline = 1s;
  populate(2);
  at(20, [this](scripted&) { advance(2s); });
  auto sent = flood(60);
  run_leased();
  for (auto x = 1; x <= 60; ++x)
    if (x < 20 && std::count(seen.begin(), seen.end(), x) > 0)
      CHECK(is_completed(sent, x));
    else
      CHECK(error_of(sent, x) == libpool::errc::deadline_exceeded);
  CHECK(place_of(20) + 1 == seen.size());
}

TEST_CASE_FIXTURE(requests_world,
                  "leased requests that are taken back and leased again are "
                  "answered once, and their clients are known") {
  intercept();
  populate(2);
  for (auto x : {10, 20, 30})
    during = [this, before = during, x](scripted& self, int each) {
      if (before)
        before(self, each);
      if (each == x)
        send_urgent(1000 + x);
    };
  auto sent = flood(60);
  run_leased();
  for (auto x = 1; x <= 60; ++x)
    CHECK(is_completed(sent, x));
  REQUIRE(ends.size() == 64);
  auto asked = std::count_if(ends.begin(), ends.end(), [&](const auto& each) {
    return each.client == client.pointer();
  });
  CHECK(asked == 60);
}

TEST_CASE_FIXTURE(requests_world,
                  "requests that are leased when the pool ends are answered "
                  "once") {
  intercept();
  populate(1);
  at(20, [this](scripted&) {
    caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
  });
  auto sent = flood(60);
  run();
  for (auto x = 1; x <= 20; ++x)
    CHECK(is_completed(sent, x));
  for (auto x = 21; x <= 60; ++x)
    CHECK(error_of(sent, x) == libpool::errc::pool_closed);
}

TEST_CASE_FIXTURE(requests_world,
                  "a leased request whose client has ended is not handled") {
  intercept();
  populate(1);
  test::probe other{*this};
  at(20, [&](scripted&) { other.die(); });
  flood(30);
  for (auto x = 31; x <= 35; ++x)
    other.request(pool, x);
  request(36, 60);
  run_leased();
  CHECK(stats().tasks.cancelled == 5);
  CHECK(std::none_of(seen.begin(), seen.end(),
                     [](int x) { return x > 30 && x < 36; }));
  other->inbox.clear();
}
