/// Distributed pools whose nodes have lines that are interrupted.

#include "libpool/pool.hpp"
#include "support/nodes_world.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace actors_nodes_interrupted_tests {

using libpool::errc;
using libpool::outcome;
using test::nodes_world;
using test::scripted;
using namespace std::chrono_literals;

using world = nodes_world;

TEST_CASE_FIXTURE(world, "the tasks of nodes are settled when a pool ends that "
                         "retries tasks") {
  options.on_crash = libpool::retry{3};
  begin(promising(), 2);
  auto open = submit(1);
  end_pool();
  CHECK(client.answer_to(open).came());
  CHECK(count(outcome::failed) + count(outcome::cancelled) == 1);
}

TEST_CASE_FIXTURE(world, "a pool states why its server is unreachable until "
                         "the server is reachable again") {
  make();
  std::shared_ptr<libpool::transport_user> registry;
  libpool::detail::serve_nodes(pool, [&](auto user) {
    registry = user;
    return std::make_shared<test::node_line>(nullptr);
  });
  CHECK(libpool::nodes_of(pool).unreachable.empty());
  registry->went_down("no route to the server");
  CHECK(libpool::nodes_of(pool).unreachable
        == std::vector<std::string>{"no route to the server"});
  registry->came_up();
  CHECK(libpool::nodes_of(pool).unreachable.empty());
  registry->went_down("again");
  pool = {};
  run();
  registry->went_down("late"); // has no effect
}

TEST_CASE_FIXTURE(world, "the pool counts joins, losses and resumptions, and "
                         "shows the silence of each node") {
  begin(promising(), 2);
  CHECK(libpool::nodes_of(pool).joined == 1);
  link(0).lose_to_node(1);
  client.send(pool, 1);
  run();
  cut(0);
  wait(1900ms);
  CHECK(libpool::nodes_of(pool).nodes.at(0).silence >= 900ms);
  restore(0);
  wait(2s);
  auto seen = libpool::nodes_of(pool);
  CHECK(seen.resumed > 0);
  CHECK(seen.nodes.at(0).silence < 2s);
  CHECK(seen.lost == 0);
  CHECK(seen.epoch > 0);
  cut(0);
  wait(20s);
  CHECK(libpool::nodes_of(pool).lost == 1);
}

TEST_CASE_FIXTURE(world, "a task completes once if the line of its node is cut "
                         "for less than a lease") {
  begin(promising(), 2);
  auto first = client.request(pool, 1);
  auto second = submit(2);
  auto session = state(0).session;
  cut(0);
  wait(1900ms);
  SUBCASE("when it ends before the line is restored") {
    deliver(0, 7);
    CHECK(!client.answer_to(first).came());
    wait(1900ms);
    restore(0);
  }
  SUBCASE("when it ends afterwards") {
    wait(1900ms);
    restore(0);
    deliver(0, 7);
  }
  CHECK(client.answer_to(first).get<int>() == 7);
  wait(10s);
  CHECK(state(0).session == session);
  deliver(1, 8);
  CHECK(client.answer_to(second).get<int>() == 8);
  CHECK(client.answer_to(first).count == 1);
  CHECK(count(outcome::completed) == 2);
  CHECK(stats().departed.crashed == 0);
  CHECK(libpool::nodes_of(pool).strays == 0);
  CHECK(state(0).strays == 0);
}

TEST_CASE_FIXTURE(world, "a node whose line is cut for more than a lease is "
                         "given up, and joins again later") {
  begin(promising());
  auto request = submit(1);
  auto session = state(0).session;
  cut(0);
  wait(3900ms);
  CHECK(!client.answer_to(request).came());
  wait(1100ms);
  CHECK(client.answer_to(request).error() == errc::node_lost);
  CHECK(stats().departed.crashed == 1);
  CHECK(libpool::nodes_of(pool).nodes.empty());
  CHECK(state(0).session == session); // it has not heard of it
  restore(0);
  CHECK(state(0).session);
  CHECK(state(0).session != session);
  CHECK(libpool::nodes_of(pool).nodes.size() == 1);
  deliver(0, 7); // the result is ignored
  CHECK(client.answer_to(request).count == 1);
  CHECK(count(outcome::failed) == 1);
  auto again = submit(2);
  deliver(1, 8);
  CHECK(client.answer_to(again).get<int>() == 8);
}

TEST_CASE_FIXTURE(
  world,
  "tasks that wait at a node never run there after the node was given up") {
  options.on_crash = libpool::retry{1};
  begin(promising(), 1);
  auto first = client.request(pool, 1);
  auto second = submit(2);
  let_travel();
  CHECK(state(0).waiting == 1);
  cut(0);
  wait(3s);
  deliver(0, 7); // frees the slot
  CHECK(promises.size() == 1);
  join(adding());
  wait(2s);
  CHECK(handled.size() == 2);
  restore(0);
  CHECK(promises.size() == 1);
  CHECK(state(0).waiting == 0);
  CHECK(client.answer_to(first).get<int>() == 2);
  CHECK(client.answer_to(second).get<int>() == 3);
  CHECK(client.answer_to(first).count == 1);
}

TEST_CASE_FIXTURE(
  world,
  "a node joins again if the pool on the other end of its line was restarted") {
  auto noted = std::exchange(options.on_settled, nullptr);
  begin(promising(), 2);
  auto before = submit(1);
  auto former = std::exchange(pool, caf::actor{});
  options.on_settled = noted;
  make();
  lead_to_pool(0);
  SUBCASE("when its line is up") {
    wait(1s);
    CHECK(!client.answer_to(before).came());
  }
  SUBCASE("when its line was cut for long") {
    cut(0);
    wait(10s);
    restore(0);
  }
  CHECK(libpool::nodes_of(pool).nodes.size() == 1);
  CHECK(libpool::nodes_of(pool).strays == 1); // the beat
  CHECK(state(0).running == 1);
  auto request = submit(2);
  deliver(0, 7); // of the former pool
  deliver(1, 8);
  CHECK(client.answer_to(request).get<int>() == 8);
  wait(5s);
  CHECK(client.answer_to(before).error() == errc::node_lost);
  CHECK(state(0).strays == 0);
  exit(former, caf::exit_reason::user_shutdown);
  run();
  CHECK(!has_ended(0));
}

// -- any losses ---------------------------------------------------------------

namespace {

/// Two nodes whose lines are interrupted at random, while a client asks.
struct lossy_world : world {
  explicit lossy_world(unsigned seed) : world(seed), random(seed) {
    how.lease = 4s;
  }

  std::size_t draw(std::size_t n) {
    return std::uniform_int_distribution<std::size_t>{0, n - 1}(random);
  }

  void join_two() {
    make();
    join(adding(), 2);
    join(adding(), 3);
  }

  /// Has `count` numbers handled while something happens to the lines in
  /// between. Lines are cut for at most so many steps of 100 ms.
  void ask(int count, std::size_t longest_cut) {
    for (auto i = 0; i < count; ++i) {
      requests.push_back(client.request(pool, i));
      for (std::size_t node = 0; node < 2; ++node)
        disturb(node, longest_cut);
      advance(100ms);
    }
    for (std::size_t node = 0; node < 2; ++node)
      mend(node);
    wait(15s);
  }

  /// Whether each request has been answered once, and counts what with.
  void count_answers() {
    for (std::size_t i = 0; i < requests.size(); ++i) {
      auto answer = client.answer_to(requests[i]);
      CHECK(answer.count == 1);
      auto number = static_cast<int>(i);
      CHECK(
        (answer.get<int>() == number + 1 || answer.error() == errc::node_lost));
      right += answer.get<int>() == number + 1 ? 1U : 0U;
      most_handled = std::max(
        most_handled, std::count(handled.begin(), handled.end(), number));
    }
  }

  std::mt19937 random;
  std::vector<std::uint64_t> requests;
  std::size_t right = 0;
  std::ptrdiff_t most_handled = 0;

private:
  /// Losses last for one step, so that not all beats of a lease are lost.
  void disturb(std::size_t node, std::size_t longest_cut) {
    link(node).lose_to_node(0);
    link(node).lose_to_pool(0);
    auto& left = is_cut_for_.at(node);
    if (left > 0) {
      if (--left == 0)
        restore(node);
      return;
    }
    switch (draw(8)) {
      case 0:
        left = 1 + draw(longest_cut);
        return cut(node);
      case 1:
        return link(node).lose_to_node(1 + draw(3), draw(3));
      case 2:
        return link(node).lose_to_pool(1 + draw(3), draw(3));
      case 3:
        return link(node).hold();
      default:
        link(node).let_go();
        run();
    }
  }

  void mend(std::size_t node) {
    link(node).lose_to_node(0);
    link(node).lose_to_pool(0);
    link(node).let_go();
    restore(node);
  }

  std::array<std::size_t, 2> is_cut_for_{}; // in steps
};

} // namespace

TEST_CASE("each message is handled exactly once if lines are interrupted for "
          "less than a lease") {
  for (auto seed = 1U; seed <= 100; ++seed) {
    CAPTURE(seed);
    lossy_world system{seed};
    system.join_two();
    system.ask(40, 15);
    system.count_answers();
    CHECK(system.right == 40);
    CHECK(system.most_handled == 1);
    CHECK(system.state(0).done * system.state(1).done > 0);
    CHECK(system.stats().departed.crashed == 0);
  }
}

TEST_CASE("without retries, each message is answered once and handled at most "
          "once, however long lines are interrupted") {
  std::size_t right = 0;
  for (auto seed = 1U; seed <= 100; ++seed) {
    CAPTURE(seed);
    lossy_world system{seed};
    system.join_two();
    system.ask(60, 100);
    system.count_answers();
    CHECK(system.most_handled <= 1);
    right += system.right;
  }
  CHECK(right > 3'000);
  CHECK(right < 6'000); // some nodes were lost
}

TEST_CASE("with retries, each message is answered, however long lines are "
          "interrupted") {
  for (auto seed = 1U; seed <= 100; ++seed) {
    CAPTURE(seed);
    lossy_world system{seed};
    system.options.on_crash = libpool::retry{10};
    system.join_two();
    system.ask(60, 100);
    system.count_answers();
    CHECK(system.right == 60);
  }
}

} // namespace actors_nodes_interrupted_tests
