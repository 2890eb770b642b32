/// Which nodes of a distributed pool get a message, and which have it no more.

#include "libpool/pool.hpp"
#include "support/nodes_world.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace actors_nodes_places_tests {

using libpool::actor_pool;
using libpool::errc;
using libpool::node_wants;
using libpool::outcome;
using test::nodes_world;
using test::scripted;
using namespace std::chrono_literals;

namespace {

struct world : nodes_world {
  /// A node that notes what it gets, under this name.
  std::size_t join_as(const std::string& name,
                      const std::vector<std::string>& labels = {}) {
    return join(
      [this, name](scripted&) -> caf::behavior {
        return {[this, name](int x) {
          handled[name].push_back(x);
          return x + 1;
        }};
      },
      1, labels);
  }

  /// Numbers from 100 on want these labels.
  void large_ones_want(const std::vector<std::string>& labels) {
    how.wants_of = [=](const libpool::message_content& content) {
      node_wants result;
      if (content.get_as<int>(0) >= 100)
        result.labels = labels;
      return result;
    };
  }

  /// Has all messages go to the node of this name, if there is one.
  void want_home(const std::string& home) {
    how.wants_of = [home](const libpool::message_content&) {
      node_wants result;
      result.home = home;
      return result;
    };
    make_over(actor_pool::work_stealing({}, options));
  }

  std::map<std::string, std::vector<int>> handled; // by the names of nodes
};

} // namespace

// -- labels -------------------------------------------------------------------

TEST_CASE_FIXTURE(world, "a message goes to a node with the labels that it "
                         "requires, of which the name of the node is one") {
  large_ones_want({"node2", "gpu", "fast"});
  make();
  join_as("plain");
  join_as("slow", {"gpu"});
  join_as("both", {"fast", "gpu", "old"});
  for (auto i = 100; i < 110; ++i)
    CHECK(client.ask(pool, i).get<int>() == i + 1);
  CHECK(handled["both"].size() == 10);
  CHECK(client.ask(pool, 1).get<int>() == 2);
}

TEST_CASE_FIXTURE(world, "a message waits for a node with its labels, which "
                         "workers of the pool's own program do not have, and "
                         "does not delay other messages") {
  large_ones_want({"gpu"});
  make();
  put(system().spawn<scripted>(adding()));
  auto first = client.request(pool, 100);
  CHECK(client.ask(pool, 1).get<int>() == 2);
  CHECK(!client.answer_to(first).came());
  CHECK(actor_pool::stats(pool).held == 1);
  auto node = join_as("gpu", {"gpu"});
  CHECK(client.answer_to(first).get<int>() == 101);
  lose_node(node);
  auto second = submit(101);
  CHECK(!client.answer_to(second).came());
  join_as("again", {"gpu"});
  CHECK(client.answer_to(second).get<int>() == 102);
}

TEST_CASE_FIXTURE(world, "a message that waits for labels fails at its "
                         "deadline, or when the pool ends") {
  large_ones_want({"nobody"});
  options.deadline = 1s;
  make();
  join_as("plain");
  auto late = submit(100);
  advance(1s);
  CHECK(client.answer_to(late).error() == errc::deadline_exceeded);
  auto open = submit(100);
  end_pool();
  CHECK(client.answer_to(open).error() == errc::pool_closed);
}

TEST_CASE_FIXTURE(world, "a message is refused if wants_of throws") {
  how.wants_of = [](const libpool::message_content&) -> node_wants {
    throw std::runtime_error("no idea");
  };
  make();
  join_as("plain");
  auto why = client.ask(pool, 1).error();
  CHECK(why == errc::policy_failed);
  CHECK(libpool::render(why, system()).find("wants_of threw: no idea")
        != std::string::npos);
}

TEST_CASE_FIXTURE(world,
                  "a policy with both wants_of and may_run_on is rejected") {
  large_ones_want({});
  options.may_run_on = [](const libpool::message_content&) {
    return std::optional<libpool::worker_choice>{};
  };
  CHECK_THROWS_WITH_AS(make(), doctest::Contains("wants_of"),
                       std::invalid_argument);
}

// -- homes --------------------------------------------------------------------

TEST_CASE_FIXTURE(world, "a message goes to its home node, and to another node "
                         "when its home has left") {
  want_home("node1");
  join_as("first");
  auto home = join_as("second");
  for (auto i = 0; i < 5; ++i)
    client.ask(pool, i);
  CHECK(handled["second"].size() == 5);
  lose_node(home);
  CHECK(client.ask(pool, 6).get<int>() == 7);
  CHECK(handled["first"] == std::vector<int>{6});
}

TEST_CASE_FIXTURE(
  world, "nodes without names are never homes, and leave in any order") {
  want_home("");
  for (auto i = 0; i < 2; ++i) {
    name_of_next = "";
    join(promising());
  }
  request_all(0, 1); // one for each
  CHECK(state(0).running == 1);
  CHECK(state(1).running == 1);
  kill_node(1);
  lose_node(0);
  join_as("third");
  CHECK(client.ask(pool, 3).get<int>() == 4);
}

TEST_CASE_FIXTURE(
  world,
  "of two nodes of the same name the later one is the home until it leaves") {
  want_home("twin");
  name_of_next = "twin";
  join_as("first");
  name_of_next = "twin";
  auto later = join_as("second");
  join_as("third");
  for (auto i = 0; i < 3; ++i)
    client.ask(pool, i);
  CHECK(handled["second"].size() == 3);
  lose_node(later);
  for (auto i = 0; i < 3; ++i)
    client.ask(pool, i);
  CHECK(handled["first"].size() == 3);
}

// -- contents that a node cannot read -----------------------------------------

TEST_CASE_FIXTURE(world,
                  "a message that one node cannot read goes to another node") {
  make();
  join_as("old");
  link(0).garble();
  auto request = submit(1);
  join_as("new");
  for (auto i = 2; i < 6; ++i)
    CHECK(client.ask(pool, i).get<int>() == i + 1);
  CHECK(handled["old"].empty());
  CHECK(handled["new"].size() == 4);
  CHECK(client.answer_to(request).error() == errc::unreadable); // was alone
  CHECK(count(outcome::completed) == 4);
}

TEST_CASE_FIXTURE(
  world,
  "the error of a message that no node can read names a node and the reason") {
  options.on_crash = libpool::retry{5};
  make();
  join_as("first");
  join_as("second");
  link(0).garble();
  link(1).garble();
  auto why = client.ask(pool, 1).error();
  CHECK(why == errc::unreadable);
  auto words = libpool::render(why, system());
  CHECK(words.find("cannot read the content: ") != std::string::npos);
  CHECK(words.find("node") != std::string::npos);
  CHECK(count(outcome::failed) == 1);
}

TEST_CASE_FIXTURE(world, "a message that requires a label and that a node "
                         "cannot read goes only to nodes with the label") {
  large_ones_want({"gpu"});
  make();
  join_as("plain");
  join_as("old", {"gpu"});
  join_as("new", {"gpu"});
  link(1).garble();
  for (auto i = 100; i < 104; ++i)
    CHECK(client.ask(pool, i).get<int>() == i + 1);
  CHECK(handled["new"].size() == 4);
  lose_node(2);
  CHECK(client.ask(pool, 104).error() == errc::unreadable);
  CHECK(handled["plain"].empty());
}

TEST_CASE_FIXTURE(world, "all nodes answer a gather, and if a node cannot read "
                         "its part, that part fails") {
  make_over(actor_pool::broadcast_all<int>([](int& sum, int x) { sum += x; }, 0,
                                           {},
                                           actor_pool::shared_queue(options)));
  join_as("first");
  join_as("second");
  CHECK(client.ask(pool, 1).get<int>() == 4);
  link(1).garble();
  CHECK(client.ask(pool, 1).error() == errc::unreadable);
}

TEST_CASE_FIXTURE(world, "a hedged message that a node cannot read goes to a "
                         "node that was not asked") {
  make_over(actor_pool::hedged(10ms, 100, actor_pool::shared_queue(options)));
  for (const auto* name : {"first", "second", "third"})
    join_as(name);
  link(0).garble();
  link(0).hold();
  link(1).hold();
  auto request = submit(1);
  advance(10ms);
  CHECK(actor_pool::stats(pool).hedged == 1);
  link(0).let_go();
  run();
  CHECK(handled["third"].size() == 1);
  CHECK(client.answer_to(request).get<int>() == 2);
  link(1).let_go();
  run();
  CHECK(handled["second"].size() == 1);
}

TEST_CASE_FIXTURE(world, "a hedge of a message that requires labels goes only "
                         "to a node with these labels") {
  large_ones_want({"gpu"});
  make_over(actor_pool::hedged(10ms, 100, actor_pool::shared_queue(options)));
  join_as("plain");
  join_as("first", {"gpu"});
  link(1).hold();
  auto hedged = 0U;
  SUBCASE("when it takes long") {}
  SUBCASE("when its node cannot read it") {
    join_as("second", {"gpu"});
    link(1).garble();
    link(2).hold();
    hedged = 1;
  }
  auto request = submit(100);
  advance(10ms);
  CHECK(actor_pool::stats(pool).hedged == hedged);
  link(1).let_go();
  run();
  if (hedged > 0)
    link(2).let_go();
  run();
  CHECK(client.answer_to(request).get<int>() == 101);
  CHECK(handled["plain"].empty());
}

// -- what nobody waits for ----------------------------------------------------

TEST_CASE_FIXTURE(world,
                  "a node does not start a task whose deadline has passed") {
  options.deadline = 1s;
  begin(promising());
  auto first = client.request(pool, 1);
  auto second = submit(2);
  let_travel();
  CHECK(state(0).waiting == 1);
  advance(1s);
  CHECK(client.answer_to(first).error() == errc::deadline_exceeded);
  CHECK(client.answer_to(second).error() == errc::deadline_exceeded);
  CHECK(state(0).waiting == 0);
  CHECK(state(0).running == 1);
  deliver(0, 7);
  CHECK(state(0).done == 1);
  CHECK(count(outcome::cancelled) == 2);
}

} // namespace actors_nodes_places_tests
