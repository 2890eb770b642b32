/// Pools whose idle workers take over tasks that others have not begun.

#include "support/crew_world.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>

namespace managed_stealing_tests {

using libpool::actor_pool;
using libpool::errc;
using libpool::worker_choice;
using namespace std::chrono_literals;

namespace {

using content = libpool::message_content;
using numbers = std::vector<int>;

struct world : test::crew_world {
  explicit world(std::uint64_t seed = 0) : crew_world(seed) {
    homes.home_of = [](const content&) {
      return std::optional{std::size_t{0}};
    };
  }

  void make_stealing(std::size_t workers) {
    make(actor_pool::work_stealing(homes, options),
         std::vector<std::chrono::milliseconds>(workers, 1ms));
  }

  libpool::home_options homes;

  std::size_t done_by(int worker) const {
    return static_cast<std::size_t>(
      std::count_if(begun.begin(), begun.end(),
                    [=](const auto& each) { return each.first == worker; }));
  }
};

} // namespace

TEST_CASE_FIXTURE(
  world,
  "work_stealing spreads tasks with the same home worker over all workers") {
  make_stealing(4);
  send_at_once(40);
  for (auto worker = 0; worker < 4; ++worker)
    CHECK(done_by(worker) >= 5);
  auto now = stats();
  CHECK(now.total.stolen == 40 - done_by(0));
  CHECK(now.members[0].stolen == 0);
  CHECK(now.members[1].stolen == done_by(1));
}

TEST_CASE_FIXTURE(world,
                  "tasks that are expensive to move stay at their home") {
  homes.move_cost = [](const content&) { return libpool::duration{1h}; };
  make_stealing(4);
  send_at_once(20);
  CHECK(done_by(0) == 20);
  CHECK(stats().total.stolen == 0);
}

TEST_CASE_FIXTURE(world,
                  "tasks restricted to some workers are not stolen by others") {
  options.may_run_on =
    [](const content& content) -> std::optional<worker_choice> {
    if (content.get_as<int>(0) % 2 == 0)
      return worker_choice{{2, 0}, false};
    return std::nullopt;
  };
  make_stealing(3);
  send_at_once(60);
  CHECK(begun.size() == 60);
  for (const auto& each : begun)
    CHECK((each.second % 2 == 1 || each.first != 1));
  CHECK(done_by(2) > 0);
}

TEST_CASE_FIXTURE(
  world, "a task that no present worker may run waits for a worker that may") {
  homes.home_of = nullptr;
  options.may_run_on =
    [](const content& message) -> std::optional<worker_choice> {
    return worker_choice{{2}, message.get_as<int>(0) == 1};
  };
  make_stealing(2);
  send_at_once(2);
  CHECK(numbers_in_order() == numbers{1}); // a wish
  CHECK(stats().held == 1);
  add(1ms);
  run();
  CHECK(begun.back().first == 2);
  CHECK(stats().held == 0);
}

TEST_CASE_FIXTURE(
  world, "a missing home is counted as lost, and its tasks run on any worker") {
  homes.home_of = [](const content&) { return std::optional{std::size_t{7}}; };
  make_stealing(2);
  send_at_once(4);
  CHECK(done_by(0) > 0);
  CHECK(done_by(1) > 0);
  CHECK(stats().lost_homes == 4);
}

TEST_CASE("a message is refused if a user function of work_stealing throws or "
          "returns an invalid value") {
  const std::vector<void (*)(world&)> wrong{
    [](world& w) { w.homes.move_cost = [](const content&) { return -1ns; }; },
    [](world& w) { w.homes.estimate_of = [](const content&) { return -1ns; }; },
    [](world& w) {
      w.options.may_run_on = [](const content&) { return worker_choice{}; };
    },
    [](world& w) {
      w.homes.home_of = [](const content&) -> std::optional<std::size_t> {
        throw std::runtime_error{"no idea"};
      };
    }};
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    CAPTURE(i);
    world w;
    wrong[i](w);
    w.make_stealing(1);
    CHECK(w.client.ask(w.pool, 1).error() == errc::policy_failed);
  }
}

TEST_CASE_FIXTURE(
  world,
  "work_stealing calls the user function kind_of once for each message") {
  auto asked = 0;
  homes.kind_of = [&](const content& message) {
    ++asked;
    return static_cast<std::uint64_t>(message.get_as<int>(0));
  };
  homes.move_cost = [](const content&) {
    return libpool::transfer_time(1e6, 1e9); // 1 ms
  };
  make_stealing(2);
  send_at_once(10);
  CHECK(asked == 10);
  CHECK(begun.size() == 10);
}

TEST_CASE_FIXTURE(world, "in a recording, the kind of a run is the result of "
                         "kind_of, as long as there are few kinds") {
  homes.kind_of = [](const content& message) {
    return static_cast<std::uint64_t>(message.get_as<int>(0));
  };
  make_stealing(1);
  libpool::actor_pool::record(pool, {1h, 2'000, 2'000});
  send_at_once(1'100);
  auto all = libpool::actor_pool::recorded(pool);
  REQUIRE(all.runs.size() == 1'100);
  auto others = 0;
  for (std::size_t i = 0; i < begun.size(); ++i) {
    const auto& kind = all.kinds[all.runs[i].kind];
    others += kind == "(others)" ? 1 : 0;
    CHECK((kind == "(others)" || kind == std::to_string(begun[i].second)));
  }
  CHECK(others == 1'100 - 1'024);
}

TEST_CASE(
  "stealing can be combined with every placement that assigns eagerly") {
  for (const auto& each : libpool::placements()) {
    CAPTURE(std::string{each.name});
    world w;
    libpool::recipe how;
    how.placement = each.name;
    how.assignment = libpool::assignment::eager;
    how.stealing = libpool::chosen<libpool::stealing>{"cost_aware"};
    w.make(w.managed(how), {1ms, 1ms, 1ms});
    w.send_at_once(30);
    CHECK(w.begun.size() == 30);
    CHECK(w.done_by(1) + w.done_by(2) > 0);
  }
}

} // namespace managed_stealing_tests
