/// How a node's agent leaves and ends, and how it is made.

#include "support/agent_world.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace agent_ending_tests {

using libpool::ending;
using libpool::errc;
using test::scripted;
using namespace std::chrono_literals;

namespace {

struct world : test::agent_world {
  std::uint64_t request_to_leave() {
    return client.request(agent, caf::sys_atom{}, libpool::drain_atom{});
  }

  scripted::script idle() {
    return [](scripted&) -> caf::behavior { return {[](int) {}}; };
  }
};

} // namespace

// -- leaving ------------------------------------------------------------------

TEST_CASE_FIXTURE(world, "an agent that leaves gives back unstarted tasks, "
                         "finishes the rest, then ends") {
  serve(promising());
  sends({1, 2, 3, 4});
  heard();
  auto request = request_to_leave();
  run();
  CHECK(heard() == "granted(3,4) demand(0) ");
  CHECK(!client.answer_to(request).came());
  deliver(0, 7);
  CHECK(heard() == "done(1) ");
  CHECK(!has_ended());
  deliver(1, 8);
  CHECK(heard() == "done(2) bye ");
  CHECK(results.at(2).number() == 8);
  CHECK(has_ended());
  CHECK(ended() == caf::exit_reason::user_shutdown);
  CHECK(client.answer_to(request).is_empty());
  CHECK(libpool::is_dead(*endpoint->get()));
}

TEST_CASE_FIXTURE(world, "an agent that leaves gives back new tasks") {
  serve(promising());
  sends({1});
  request_to_leave();
  heard();
  sends({2});
  CHECK(heard() == "granted(2) ");
  deliver(0, 7);
  CHECK(heard() == "done(1) bye ");
  CHECK(has_ended());
}

TEST_CASE_FIXTURE(world, "an agent that leaves waits for the answer to its bye "
                         "for at most 10 seconds") {
  hears_byes = false;
  serve(idle());
  request_to_leave();
  run();
  CHECK(heard() == "demand(0) bye ");
  CHECK(!has_ended());
  advance(9s);
  CHECK(!has_ended());
  advance(2s);
  CHECK(has_ended());
}

TEST_CASE_FIXTURE(world,
                  "an agent ends if its front terminates after the bye") {
  hears_byes = false;
  serve(idle());
  request_to_leave();
  run();
  heard();
  front().die();
  run();
  CHECK(has_ended());
}

TEST_CASE_FIXTURE(world, "an agent without a connection leaves at once") {
  on_connect = [](const found&) {};
  spawn(idle());
  auto request = request_to_leave();
  run();
  CHECK(client.answer_to(request).is_empty());
  CHECK(has_ended());
}

TEST_CASE_FIXTURE(world, "an agent that loses its front while it leaves ends, "
                         "and does not reconnect") {
  serve(promising());
  sends({1});
  auto request = request_to_leave();
  run();
  front().die();
  run();
  CHECK(client.answer_to(request).is_empty());
  CHECK(has_ended());
  advance(10s);
  CHECK(tries == 1);
}

TEST_CASE_FIXTURE(world,
                  "an agent that leaves ends at the latest with its lease") {
  serve(promising());
  sends({1});
  request_to_leave();
  advance(2s);
  CHECK(!has_ended());
  advance(1s);
  CHECK(has_ended());
}

// -- ending -------------------------------------------------------------------

TEST_CASE_FIXTURE(
  world,
  "an exit message ends the agent, its endpoint and its local pool at once") {
  auto pool_ended = std::make_shared<bool>(false);
  serve([this, pool_ended](scripted& self) -> caf::behavior {
    self.attach_functor([pool_ended] { *pool_ended = true; });
    return promising()(self);
  });
  sends({1, 2, 3});
  auto request = request_to_leave();
  run();
  heard();
  exit(agent, caf::exit_reason::kill);
  run();
  CHECK(has_ended());
  CHECK(ended() == caf::exit_reason::kill);
  CHECK(client.answer_to(request).error() == caf::sec::request_receiver_down);
  CHECK(libpool::is_dead(*endpoint->get()));
  CHECK(*pool_ended);
  CHECK(heard().empty());
}

TEST_CASE_FIXTURE(world, "an agent stays alive without a reference to it") {
  auto seen = std::make_shared<std::vector<int>>();
  serve(test::doubling(seen));
  caf::actor_addr address = agent.address();
  agent = nullptr;
  run();
  sends({3});
  heard();
  CHECK(results.at(3).number() == 6);
  agent = caf::actor_cast<caf::actor>(address);
  CHECK(agent);
}

TEST_CASE_FIXTURE(world, "an agent whose local pool ends reports its tasks, "
                         "leaves, and ends with an error") {
  join.slots = 1;
  serve(
    [](scripted&) -> caf::behavior { return {[](int) { test::crash(); }}; });
  sends({1, 2});
  auto words = heard();
  CHECK(results.at(1).how == ending::crashed);
  auto comes_back = words.find("granted(2)") != std::string::npos;
  CHECK((comes_back || results.at(2).how == ending::crashed));
  CHECK(words.substr(words.size() - 4) == "bye ");
  CHECK(has_ended());
  CHECK(ended() == errc::pool_closed);
}

TEST_CASE_FIXTURE(world, "an agent whose idle local pool ends leaves, and ends "
                         "with an error") {
  join.slots = 1;
  std::vector<caf::actor> workers;
  spawn_by([this, &workers] {
    workers.push_back(system().spawn<test::doubler>());
    return workers.back();
  });
  welcome();
  heard();
  kill(workers.at(0));
  run();
  CHECK(heard() == "demand(0) bye ");
  CHECK(ended() == errc::pool_closed);
}

TEST_CASE("the end of the system ends an agent") {
  std::optional<world> system;
  system.emplace();
  system->leave_check_to_test();
  system->serve(system->idle());
  auto why = std::make_shared<caf::error>();
  system->agent->attach_functor([why](const caf::error& x) { *why = x; });
  system->agent = nullptr;
  system->fronts.clear();
  CHECK(!*why);
  system.reset();
  CHECK(*why == caf::exit_reason::user_shutdown); // not of the local pool's end
}

// -- messages for the agent ---------------------------------------------------

TEST_CASE_FIXTURE(
  world,
  "an agent answers unknown requests with an error, also after its end") {
  serve(idle());
  CHECK(client.ask(agent, 42).error() == caf::sec::unexpected_message);
  exit(agent, caf::exit_reason::user_shutdown);
  run();
  CHECK(client.ask(agent, 42).error() == caf::sec::request_receiver_down);
  CHECK(client.ask(agent, caf::sys_atom{}, libpool::drain_atom{}).error()
        == caf::sec::request_receiver_down);
}

TEST_CASE_FIXTURE(world, "the connector may request the state of the agent") {
  on_connect = [](const found& answer) {
    answer(libpool::make_error(errc::not_connected));
  };
  spawn(idle());
  auto has_asked = false;
  on_connect = [this, &has_asked](const found&) {
    CHECK(state().trouble == errc::not_connected);
    has_asked = true;
  };
  advance(100ms);
  CHECK(has_asked);
}

// -- making agents ------------------------------------------------------------

TEST_CASE_FIXTURE(
  world,
  "an agent that is given the front actor does not look for another front") {
  fronts.emplace_back(*this);
  agent = libpool::join_pool(system(), front().handle(), join, [this] {
    return system().spawn<test::doubler>();
  });
  run();
  CHECK(heard() == "hello(1) ");
  front().die();
  run();
  CHECK(!has_ended());
  end_agent();
}

TEST_CASE_FIXTURE(world, "an agent can have workers made of a function") {
  fronts.emplace_back(*this);
  agent = libpool::join_pool(system(), front().handle(), join,
                             [](caf::event_based_actor*) -> caf::behavior {
                               return {[](int x) { return x; }};
                             });
  run();
  CHECK(heard() == "hello(1) ");
}

TEST_CASE_FIXTURE(world, "the local pool has the policy given in the options") {
  join.choose = [](const libpool::managed_options& local) {
    CHECK(local.busy_until == libpool::busy_until::answer);
    CHECK(local.workers == 2);
    return libpool::actor_pool::least_used(local);
  };
  auto seen = std::make_shared<std::vector<int>>();
  serve(test::doubling(seen));
  sends({1});
  heard();
  CHECK(results.at(1).number() == 2);
}

TEST_CASE_FIXTURE(world,
                  "the error about an option out of bounds names the option") {
  auto complaint = [this](const libpool::join_options& wrong) {
    try {
      libpool::join_pool(system(), client.handle(), wrong,
                         [this] { return system().spawn<test::doubler>(); });
    } catch (const std::invalid_argument& e) {
      return std::string{e.what()};
    }
    return std::string{};
  };
  auto with = [](auto change) {
    libpool::join_options wrong;
    change(wrong);
    return wrong;
  };
  CHECK(complaint(with([](auto& x) { x.portion = 0; }))
        == "libpool: join_options: portion must be at least 1, got 0");
  CHECK(complaint(with([](auto& x) { x.credit = 1023; }))
        == "libpool: join_options: credit must be at least 1024, got 1023");
  CHECK(complaint(with([](auto& x) { x.slots = 65537; }))
        == "libpool: join_options: slots must be at most pool.most_workers "
           "(65536), got 65537");
  CHECK(complaint(with([](auto& x) { x.pool.window = 0; }))
        == "libpool: managed_options: window must be at least 1, got 0");
  CHECK(complaint(with([](auto& x) {
          x.choose = [](const libpool::managed_options&) -> libpool::policy {
            return libpool::actor_pool::round_robin();
          };
        }))
        == "libpool: join_options: choose must be a function that returns a "
           "policy of managed pools, got one of direct pools");
  CHECK_THROWS_AS(
    libpool::join_pool(system(), caf::actor{}, join,
                       [this] { return system().spawn<test::doubler>(); }),
    std::invalid_argument);
  CHECK_THROWS_AS(libpool::agent_stats(client.handle()), std::invalid_argument);
}

} // namespace agent_ending_tests
