/// Pools with leases and options that concern each message.

#include "leasing_world.hpp"
#include "support/brittle.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <set>
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
  send(1, 1);
  run(); // the pool knows how short messages are
  auto ids = request(2, 100);
  run_leased();
  REQUIRE(ends.size() == 100);
  std::set<std::uint64_t> numbers;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const auto& each = ends[i];
    CAPTURE(i);
    numbers.insert(each.number);
    CHECK(each.how == libpool::outcome::completed);
    CHECK(each.trace == std::to_string(i + 1));
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
  CHECK(numbers.size() == 100);
  CHECK(*numbers.begin() == 1);
  CHECK(*numbers.rbegin() == 100);
}

TEST_CASE_FIXTURE(noted_world, "a message that crashes its worker in a lease "
                               "is retried with its content, and no other") {
  options.on_crash = libpool::retry{1};
  options.restart.pause = 0ns;
  auto crashes = 0;
  during = [&](scripted& self, int x) {
    if (x == 50 && ++crashes == 1)
      self.quit(test::crash_reason);
  };
  populate_each(2);
  send(1, 100);
  run_leased();
  auto handled = seen;
  handled.erase(std::find(handled.begin(), handled.end(), 50));
  std::sort(handled.begin(), handled.end());
  CHECK(handled == from_to(1, 100));
  CHECK(stats().tasks.completed == 100);
  CHECK(stats().retries == 1);
  for (const auto& each : ends)
    CHECK(each.how == libpool::outcome::completed);
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

TEST_CASE_FIXTURE(noted_world, "messages that are leased or wait are cancelled "
                               "at their deadline, and not begun after it") {
  options.deadline = 2ms;
  populate_each(2);
  send(1, 2);
  run();
  at(20, [this](scripted&) { pass(5ms); }); // stuck: the clock goes on
  send(3, 100);
  run_leased();
  auto books = stats().tasks;
  CHECK(books.completed + books.cancelled == 100);
  CHECK(books.cancelled > 0);
  for (const auto& each : ends)
    if (each.how == libpool::outcome::completed)
      CHECK(each.settled - each.accepted <= 2ms);
    else
      CHECK(
        (each.started == libpool::never || each.started - each.accepted < 2ms));
}
