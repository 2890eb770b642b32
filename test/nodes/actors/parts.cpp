/// Options of agents, and the parts of an agent that are no actors.

#include "libpool/actors/caf/packing.hpp"
#include "libpool/actors/error.hpp"
#include "libpool/nodes/actors/boot_clock.hpp"
#include "libpool/nodes/actors/task_result.hpp"
#include "support/nodes_world.hpp"
#include "support/port/message_types.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <variant>

namespace node_parts_tests {

struct unwritable {
  int text = 0;
};

} // namespace node_parts_tests

LIBPOOL_TEST_MESSAGE_TYPE(2, node_parts_tests::unwritable)

namespace node_parts_tests {

using libpool::errc;
using world = test::nodes_world;
using test::scripted;

TEST_CASE("the boot-time clock does not go backwards") {
  auto before = libpool::boot_time();
  CHECK(before > libpool::instant{});
  CHECK(libpool::boot_time() >= before);
}

TEST_CASE_FIXTURE(world, "an answer, which may be empty, and an error can be "
                         "read from their bytes") {
  auto answer = libpool::bytes_of_answer(system(), caf::make_message(42));
  CHECK(answer.at(0) == 0);
  auto read = libpool::read_result(system(), answer);
  CHECK(std::get<caf::message>(read).get_as<int>(0) == 42);
  auto empty = libpool::bytes_of_answer(system(), caf::message{});
  read = libpool::read_result(system(), empty);
  CHECK(std::get<caf::message>(read).empty());
  auto error = libpool::bytes_of_error(
    system(), caf::make_error(caf::sec::bad_function_call));
  CHECK(error.at(0) == 1);
  read = libpool::read_result(system(), error);
  CHECK(std::get<caf::error>(read) == caf::sec::bad_function_call);
}

TEST_CASE_FIXTURE(world, "bytes that are not a result are unreadable") {
  auto answer = libpool::bytes_of_answer(system(), caf::make_message(42));
  auto not_an_error = answer;
  not_an_error[0] = 1;
  auto of_no_kind = answer;
  of_no_kind[0] = 2;
  for (const auto& bytes :
       {std::string{}, not_an_error, of_no_kind, answer.substr(0, 2)}) {
    auto read = libpool::read_result(system(), bytes);
    REQUIRE(std::holds_alternative<caf::error>(read));
    CHECK(std::get<caf::error>(read) == errc::unreadable);
  }
}

TEST_CASE_FIXTURE(world,
                  "an answer that cannot be serialised is read as an error") {
  for (const auto& bytes :
       {libpool::bytes_of_answer(system(), caf::make_message(unwritable{})),
        libpool::bytes_of_error(
          system(), caf::make_error(caf::sec::runtime_error, unwritable{}))}) {
    auto read = libpool::read_result(system(), bytes);
    REQUIRE(std::holds_alternative<caf::error>(read));
    CHECK(std::get<caf::error>(read) == errc::not_serializable);
  }
}

// -- making agents ------------------------------------------------------------

TEST_CASE_FIXTURE(world, "the local pool has the policy given in the options") {
  make();
  auto is_chosen = false;
  offer.choose = [&](const libpool::managed_options& local) {
    is_chosen = local.busy_until == libpool::busy_until::answer
                && local.workers == 2;
    return libpool::actor_pool::least_used(local);
  };
  join(adding(), 2);
  CHECK(is_chosen);
  CHECK(client.ask(pool, 1).get<int>() == 2);
}

TEST_CASE_FIXTURE(world,
                  "the error about an option out of bounds names the option") {
  auto complaint = [this](auto change) {
    libpool::join_options wrong;
    change(wrong);
    try {
      libpool::detail::join_pool(system(), {}, wrong, [this] {
        return system().spawn<scripted>(adding());
      });
    } catch (const std::invalid_argument& e) {
      return std::string{e.what()};
    }
    return std::string{};
  };
  CHECK(complaint([](auto& x) { x.portion = 0; })
        == "libpool: join_options: portion must be at least 1, got 0");
  CHECK(complaint([](auto& x) { x.credit = 1023; })
        == "libpool: join_options: credit must be at least 1024, got 1023");
  CHECK(complaint([](auto& x) { x.slots = 65537; })
        == "libpool: join_options: slots must be at most pool.most_workers "
           "(65536), got 65537");
  CHECK(complaint([](auto& x) { x.pool.window = 0; })
        == "libpool: managed_options: window must be at least 1, got 0");
  CHECK(complaint([](auto& x) {
          x.choose = [](const libpool::managed_options&) {
            return libpool::actor_pool::round_robin();
          };
        })
        == "libpool: join_options: choose must be a function that returns a "
           "policy of managed pools, got one of direct pools");
  CHECK_THROWS_AS(libpool::agent_stats(client.handle()), std::invalid_argument);
}

TEST_CASE_FIXTURE(world, "only a distributed pool can be joined") {
  for (const auto& other : {client.handle(), caf::actor{}})
    CHECK_THROWS_WITH_AS(
      libpool::join_pool(system(), other, offer, [] { return caf::actor{}; }),
      "libpool: join_pool: the handle is not a distributed pool",
      std::invalid_argument);
}

} // namespace node_parts_tests
