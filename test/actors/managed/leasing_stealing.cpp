/// Pools that steal, but are told nothing of where messages are at home: they
/// bind no message before a worker has room for it, and give leases.

#include "leasing_world.hpp"

#include <algorithm>
#include <chrono>
#include <optional>

namespace managed_leasing_stealing_tests {

using test::from_to;
using test::scripted;
using namespace std::chrono_literals;

namespace {

using content = libpool::message_content;

struct world : test::leasing_world {
  world() {
    waits_in = line::of_stealing;
  }
};

} // namespace

TEST_CASE_FIXTURE(
  world, "messages without homes are not assigned to a worker without room") {
  populate(2);
  send(1, 20);
  auto books = stats().tasks;
  CHECK(books.accepted == 20);
  CHECK(books.assigned == 0);
  CHECK(books.sent == 2);
  CHECK(books.waiting == 18);
}

TEST_CASE(
  "functions about messages switch a pool with stealing to eager assignment") {
  const std::vector<void (*)(world&)> functions{
    [](world& w) {
      w.homes.home_of = [](const content&) {
        return std::optional<std::size_t>{};
      };
    },
    [](world& w) { w.homes.move_cost = [](const content&) { return 0ns; }; },
    [](world& w) { w.homes.kind_of = [](const content&) { return 1U; }; },
    [](world& w) {
      w.homes.estimate_of = [](const content&) {
        return std::optional<libpool::duration>{};
      };
    },
    [](world& w) {
      w.options.may_run_on = [](const content&) {
        return std::optional<libpool::worker_choice>{};
      };
    }};
  for (std::size_t i = 0; i < functions.size(); ++i) {
    CAPTURE(i);
    world w;
    functions[i](w);
    w.populate(2);
    w.send(1, 100);
    auto books = w.stats().tasks;
    CHECK(books.sent == 2);
    CHECK(books.assigned == 98);
    w.run();
    CHECK(w.sorted() == from_to(1, 100));
    CHECK(w.stats().leases > 0);
  }
}

TEST_CASE_FIXTURE(
  world,
  "home_of is called only when a worker has room, if recent tasks were tiny") {
  auto asked = 0;
  homes.home_of = [&](const content&) -> std::optional<std::size_t> {
    ++asked;
    return std::nullopt;
  };
  populate(2);
  send(1, 4);
  CHECK(asked == 4); // nobody knows yet how long they take
  run();
  send(5, 100);
  CHECK(asked == 6);
  run();
  CHECK(asked == 100);
  CHECK(sorted() == from_to(1, 100));
}

} // namespace managed_leasing_stealing_tests
