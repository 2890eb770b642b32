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
    auto request = client.request(agent, caf::sys_atom{},
                                  libpool::drain_atom{});
    run();
    return request;
  }
};

} // namespace

// -- leaving ------------------------------------------------------------------

TEST_CASE_FIXTURE(world, "an agent that leaves gives back unstarted tasks, "
                         "finishes started tasks, and then ends") {
  serve(promising());
  sends({1, 2, 3, 4});
  heard();
  auto request = request_to_leave();
  CHECK(heard() == "given_back(3,4) demand(0) ");
  CHECK(!client.answer_to(request).came());
  deliver(0, 7);
  CHECK(heard() == "done(1) ");
  CHECK(!has_ended());
  deliver(1, 8);
  CHECK(heard() == "done(2) bye ");
  CHECK(results.at(2).number() == 8);
  CHECK(has_ended());
  CHECK(ended() == caf::exit_reason::user_shutdown);
  CHECK(state().strays == 0);
  CHECK(client.answer_to(request).is_empty());
}

TEST_CASE_FIXTURE(world,
                  "an agent that leaves gives back tasks that arrive later") {
  serve(promising());
  sends({1});
  request_to_leave();
  heard();
  sends({2});
  CHECK(heard() == "given_back(2) ");
  deliver(0, 7);
  CHECK(heard() == "done(1) bye ");
  CHECK(has_ended());
}

TEST_CASE_FIXTURE(
  world,
  "an agent that leaves waits at most 10 seconds for the pool to confirm") {
  confirms_byes = false;
  serve(idle());
  auto request = request_to_leave();
  CHECK(heard() == "demand(0) bye ");
  advance(9'999ms);
  CHECK(!has_ended());
  CHECK(!client.answer_to(request).came());
  advance(1ms);
  CHECK(has_ended());
  CHECK(ended() == caf::exit_reason::user_shutdown);
  CHECK(client.answer_to(request).error() == caf::sec::request_receiver_down);
}

TEST_CASE_FIXTURE(world, "an agent whose line is down ends 10 seconds after it "
                         "has begun to leave") {
  serve(idle());
  go_down();
  request_to_leave();
  advance(9'999ms);
  CHECK(!has_ended());
  advance(1ms);
  CHECK(has_ended());
  CHECK(heard().empty());
}

TEST_CASE_FIXTURE(world, "an agent that leaves finishes its tasks first, even "
                         "while its line is down") {
  serve(promising());
  sends({1});
  request_to_leave();
  heard();
  go_down();
  advance(20s);
  CHECK(!has_ended());
  deliver(0, 7);
  advance(9'999ms);
  CHECK(!has_ended());
  SUBCASE("and reports their results when the line is up") {
    come_up();
    CHECK(heard() == "beat done(1) bye ");
    CHECK(results.at(1).number() == 7);
    CHECK(tellings.at(1) == 1);
    CHECK(ended() == caf::exit_reason::user_shutdown);
  }
  SUBCASE("and ends 10 seconds later") {
    advance(1ms);
  }
  CHECK(has_ended());
}

TEST_CASE_FIXTURE(world,
                  "an agent that leaves repeats a bye message that was lost") {
  serve(idle());
  auto request = request_to_leave();
  lose_said(); // demand and bye
  advance(1s);
  CHECK(heard() == "beat demand(0) bye ");
  CHECK(has_ended());
  CHECK(client.answer_to(request).is_empty());
}

TEST_CASE_FIXTURE(world,
                  "an agent that leaves ends if the pool ends its session") {
  serve(promising());
  sends({1});
  auto request = request_to_leave();
  heard();
  end_session();
  CHECK(client.answer_to(request).is_empty());
  CHECK(has_ended());
  CHECK(heard().empty()); // no hello
}

TEST_CASE_FIXTURE(world, "an agent without a session leaves at once") {
  spawn(idle());
  SUBCASE("before its welcome") {
    heard();
  }
  SUBCASE("while its line is down") {
    go_down();
  }
  auto request = request_to_leave();
  CHECK(client.answer_to(request).is_empty());
  CHECK(has_ended());
}

// -- ending -------------------------------------------------------------------

TEST_CASE_FIXTURE(
  world,
  "an exit message ends the agent, its transport and its local pool at once") {
  auto pool_ended = std::make_shared<bool>(false);
  serve([this, pool_ended](scripted& self) -> caf::behavior {
    self.attach_functor([pool_ended] { *pool_ended = true; });
    return promising()(self);
  });
  sends({1, 2, 3});
  auto request = request_to_leave();
  heard();
  exit(agent, caf::exit_reason::kill);
  run();
  CHECK(has_ended());
  CHECK(ended() == caf::exit_reason::kill);
  CHECK(client.answer_to(request).error() == caf::sec::request_receiver_down);
  CHECK(line.use_count() == 1);
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

TEST_CASE_FIXTURE(world, "if its local pool ends, an agent reports its tasks, "
                         "leaves, and ends with an error") {
  join.slots = 1;
  serve(
    [](scripted&) -> caf::behavior { return {[](int) { test::crash(); }}; });
  sends({1, 2});
  auto words = heard();
  CHECK(results.at(1).how == ending::crashed);
  auto comes_back = words.find("given_back(2)") != std::string::npos;
  CHECK((comes_back || results.at(2).how == ending::crashed));
  CHECK(words.substr(words.size() - 4) == "bye ");
  CHECK(has_ended());
  CHECK(ended() == errc::pool_closed);
}

TEST_CASE_FIXTURE(
  world,
  "if its idle local pool ends, an agent leaves, and ends with an error") {
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
  CHECK(!*why);
  system.reset();
  CHECK(*why == caf::exit_reason::user_shutdown); // not of the local pool's end
}

TEST_CASE_FIXTURE(world, "an agent goes on if another program ends the actor "
                         "SpawnServ of CAF") {
  serve(idle());
  system().await_actors_before_shutdown(true);
  exit(caf::actor_cast<caf::actor>(system().spawn_serv()),
       caf::exit_reason::user_shutdown);
  run();
  CHECK(!has_ended());
  system().await_actors_before_shutdown(false);
}

// -- messages for the agent ---------------------------------------------------

TEST_CASE_FIXTURE(
  world,
  "an agent answers unknown requests with an error, even after its end") {
  serve(idle());
  CHECK(client.ask(agent, 42).error() == caf::sec::unexpected_message);
  exit(agent, caf::exit_reason::user_shutdown);
  run();
  CHECK(client.ask(agent, 42).error() == caf::sec::request_receiver_down);
  CHECK(client.ask(agent, caf::sys_atom{}, libpool::drain_atom{}).error()
        == caf::sec::request_receiver_down);
}

// -- making agents ------------------------------------------------------------

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
      libpool::detail::join_pool(system(), {}, wrong, [this] {
        return system().spawn<test::doubler>();
      });
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
  CHECK_THROWS_AS(libpool::agent_stats(client.handle()), std::invalid_argument);
}

TEST_CASE_FIXTURE(world, "only a distributed pool can be joined") {
  for (const auto& other : {client.handle(), caf::actor{}})
    CHECK_THROWS_WITH_AS(
      libpool::join_pool(system(), other, join,
                         [this] { return system().spawn<test::doubler>(); }),
      "libpool: join_pool: the handle is not a distributed pool",
      std::invalid_argument);
}

} // namespace agent_ending_tests
