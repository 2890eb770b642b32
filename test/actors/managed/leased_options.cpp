/// Pools with leases and options that concern each message.

#include "leasing_world.hpp"
#include "support/brittle.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

using test::from_to;
using test::leasing_world;
using test::scripted;
using namespace std::chrono_literals;

namespace {

/// Notes the ends of messages.
struct noted_world : leasing_world {
  noted_world() {
    options.on_settled = [this](const libpool::settled_task& task) {
      ends.push_back(task);
    };
  }

  std::vector<libpool::settled_task> ends;
};

} // namespace

TEST_CASE_FIXTURE(noted_world, "on_settled is called for each message of a "
                               "lease, in order and with its own facts") {
  options.trace_of = [](const libpool::message_content& content) {
    return std::to_string(content.get_as<int>(0));
  };
  populate_each(1);
  libpool::actor_pool::record(pool, {1s});
  send(1, 1);
  run(); // the pool knows how short messages are
  auto ids = request(2, 100);
  run_leased();
  REQUIRE(ends.size() == 100);
  auto runs = libpool::actor_pool::recorded(pool).runs;
  REQUIRE(runs.size() == 100);
  std::set<std::uint64_t> task_numbers;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const auto& each = ends[i];
    CAPTURE(i);
    task_numbers.insert(each.number);
    CHECK(each.how == libpool::outcome::completed);
    CHECK(each.trace == std::to_string(i + 1));
    CHECK(runs[i].trace == each.trace);
    CHECK(!each.kind.empty());
    CHECK(each.kind == ends[0].kind);
    CHECK(each.worker != nullptr);
    CHECK(each.settled - each.started == service);
    if (i > 0) {
      CHECK(each.client == client.pointer());
      CHECK(each.id.request_id().integer_value()
            == caf::make_message_id(ids[i - 1]).request_id().integer_value());
    }
    if (i > 1)
      CHECK(each.started == ends[i - 1].settled);
  }
  CHECK(task_numbers.size() == 100);
  CHECK(*task_numbers.begin() == 1);
  CHECK(*task_numbers.rbegin() == 100);
}

TEST_CASE_FIXTURE(noted_world, "a message that trace_of cannot name is "
                               "cancelled, and no other one of its lease") {
  options.trace_of = [](const libpool::message_content& content) {
    if (content.get_as<int>(0) % 10 == 0)
      throw std::runtime_error{"nameless"};
    return std::string{};
  };
  populate_each(2);
  send(1, 100);
  run_leased();
  CHECK(seen.size() == 90);
  CHECK(ends.size() == 100);
  for (const auto& each : ends)
    CHECK((each.how == libpool::outcome::completed
           || each.reason == libpool::errc::policy_failed));
}

TEST_CASE_FIXTURE(noted_world, "a message that crashes its worker in a lease "
                               "is retried with its content, and no other") {
  options.on_crash = libpool::retry{1};
  options.restart.pause = 0ns;
  options.restart.max = 1000;
  std::map<int, int> runs;
  during = [&](scripted& self, int x) {
    if (++runs[x] == 1 && x % 7 == 0)
      self.quit(test::crash_reason);
  };
  populate_each(2);
  send(1, 100);
  run_leased();
  CHECK(runs.size() == 100);
  for (auto [x, n] : runs)
    CHECK(n == (x % 7 == 0 ? 2 : 1));
  CHECK(stats().tasks.completed == 100);
  CHECK(stats().retries == 14);
  CHECK(ends.size() == 100);
  for (const auto& each : ends)
    CHECK(each.how == libpool::outcome::completed);
}

TEST_CASE_FIXTURE(leasing_world,
                  "a skipped message of a lease keeps its content with "
                  "retries, even if its worker ends") {
  options.on_crash = libpool::retry{1};
  options.workers = 2;
  std::vector<std::string> texts;
  auto ends = false;
  SUBCASE("its worker handles it later") {}
  SUBCASE("its worker ends, and another one handles it") {
    ends = true;
  }
  auto open = [&](scripted& self) {
    self.become([&](int) { pass(1us); },
                [&](const std::string& text) { texts.push_back(text); });
  };
  pool = spawn([&] {
    return system().spawn<scripted>([&, open](scripted& self) -> caf::behavior {
      self.set_default_handler(caf::skip);
      return {[&](int x) {
                pass(1us);
                seen.push_back(x);
              },
              [&self, open](caf::ok_atom) { open(self); }};
    });
  });
  send(1, 30);
  client.send(pool, std::string{"skipped"});
  send(31, 60);
  run_leased();
  CHECK(sorted() == from_to(1, 60));
  auto workers = client.ask(pool, caf::sys_atom{}, caf::get_atom{})
                   .get<std::vector<caf::actor>>();
  auto holder = [&] {
    for (const auto& each : libpool::actor_pool::stats(pool).members)
      if (each.in_flight > 0)
        return each.worker;
    return caf::actor{};
  }();
  REQUIRE(holder != nullptr);
  for (auto& each : workers)
    if (!ends || each != holder)
      client.send(each, caf::ok_atom{});
  if (ends)
    caf::anon_send_exit(holder, caf::exit_reason::user_shutdown);
  run();
  CHECK(texts == std::vector<std::string>{"skipped"});
}

TEST_CASE_FIXTURE(leasing_world,
                  "a message without elements can be part of a lease with "
                  "retries") {
  options.on_crash = libpool::retry{1};
  options.workers = 1;
  auto empty = 0;
  pool = spawn([&] {
    return system().spawn<scripted>([&](scripted&) -> caf::behavior {
      return {[&](int) { pass(1us); }, [&] { ++empty; }};
    });
  });
  send(1, 30);
  caf::anon_send(pool, caf::message{});
  send(31, 60);
  run_leased();
  CHECK(empty == 1);
  CHECK(stats().tasks.completed == 61);
}

TEST_CASE_FIXTURE(test::hand_cranked,
                  "a message of a lease whose handler has changed it is "
                  "retried as it was") {
  libpool::managed_options options;
  options.on_crash = libpool::retry{1};
  options.restart.pause = 0ns;
  options.restart.max = 1000;
  std::multiset<std::string> seen;
  auto make = [&] {
    return system().spawn<scripted>([&](scripted& self) -> caf::behavior {
      return {[&](std::string& text) {
        pass(1us);
        seen.insert(text);
        text += ", changed";
        if (seen.count(text.substr(0, 2)) == 1)
          self.quit(test::crash_reason);
      }};
    });
  };
  auto pool = libpool::actor_pool::make(
    system(), 1, make, libpool::actor_pool::shared_queue(options));
  caf::anon_send(pool, std::string{"of one that tells how short they are"});
  run();
  for (auto i = 10; i < 60; ++i)
    caf::anon_send(pool, std::to_string(i));
  run();
  auto stats = libpool::actor_pool::stats(pool);
  CHECK(stats.leases > 0);
  CHECK(stats.tasks.completed == 51);
  CHECK(seen.size() == 1 + 2 * 50);
  for (auto i = 10; i < 60; ++i)
    CHECK(seen.count(std::to_string(i)) == 2);
  caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
  run();
}

TEST_CASE_FIXTURE(noted_world, "a full pool with leases refuses exactly the "
                               "messages for which it has no room") {
  options.capacity = 40;
  populate_each(2);
  send(1, 2);
  run();
  send(3, 100); // two are sent to workers, and 40 wait
  run_leased();
  CHECK(sorted() == from_to(1, 44));
  CHECK(stats().refused == 56);
}

TEST_CASE_FIXTURE(noted_world, "a pool counts the messages of leases that were "
                               "not begun as waiting, and no others") {
  options.capacity = 40;
  populate_each(1);
  send(1, 2);
  run();
  at(20, [this](scripted&) { send(101, 200); }); // in the middle of a lease
  send(3, 40);
  run_leased();
  CHECK(seen.size() == 40 + 20); // 20 messages waited
  CHECK(stats().refused == 80);
}

TEST_CASE_FIXTURE(noted_world, "messages that are leased or wait are cancelled "
                               "at their deadline, and not begun after it") {
  options.deadline = 2ms;
  populate_each(2);
  send(1, 2);
  run();
  at(20, [this](scripted&) { pass(5ms); }); // a slow handler
  send(3, 100);
  run_leased();
  auto books = stats().tasks;
  CHECK(books.completed + books.cancelled == 100);
  CHECK(books.cancelled > 0);
  auto begun = std::count_if(ends.begin(), ends.end(), [](const auto& each) {
    return each.started != libpool::never;
  });
  CHECK(static_cast<std::size_t>(begun) == seen.size());
  for (const auto& each : ends)
    if (each.how == libpool::outcome::completed) {
      CHECK(each.settled - each.accepted <= 2ms);
    } else {
      CHECK(each.reason == libpool::errc::deadline_exceeded);
      auto wait = each.started - each.accepted;
      CHECK((each.started == libpool::never || wait < 2ms));
    }
}

TEST_CASE_FIXTURE(noted_world,
                  "leased messages with deadlines of their own are "
                  "not begun late, and cancelled one by one") {
  std::map<int, int> asked;
  options.deadline_of = [&asked](const libpool::message_content& content)
    -> std::optional<libpool::duration> {
    auto x = content.get_as<int>(0);
    ++asked[x];
    if (x % 3 == 0)
      return std::nullopt;
    return x % 3 == 1 ? 1ms * x : 0ms;
  };
  SUBCASE("in the order of arrival") {
    waits_in = line::of_arrival;
  }
  SUBCASE("in a line for each worker") {
    waits_in = line::of_workers;
  }
  populate(1);
  send(3, 3);
  run();
  auto sent = request(4, 60);
  advance(20ms); // before the worker runs
  for (auto x = 4; x <= 60; ++x) {
    const auto& answer =
      client.answer_to(sent[static_cast<std::size_t>(x) - 4]);
    auto is_over = x % 3 == 2 || (x % 3 == 1 && x <= 20);
    CAPTURE(x);
    REQUIRE(answer.count == 1);
    CHECK((answer.error() == libpool::errc::deadline_exceeded) == is_over);
  }
  run_leased();
  CHECK(stats().tasks.completed == 33);
  CHECK(seen.size() == 33);
  for (auto x : seen)
    CHECK(asked[x] == 1);
}

TEST_CASE_FIXTURE(noted_world, "messages that wait for a worker that does not "
                               "look are cancelled at their deadline") {
  options.deadline = 2ms;
  populate_each(1);
  send(1, 2);
  run();
  send(3, 50);
  advance(3ms); // no worker runs
  CHECK(ends.size() == 50);
  CHECK(seen.size() == 2);
}
