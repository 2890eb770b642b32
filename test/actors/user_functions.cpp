/// Functions of the user's that throw: the error names the function and has the
/// words of its exception.

#include "support/gather_world.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace user_functions_tests {

using namespace std::chrono_literals;

using libpool::actor_pool;
using libpool::duration;
using libpool::flow_key;
using libpool::policy;
using test::crash;
using test::gather_world;
using test::numbers;
using test::scripted;

namespace {

template <class Result>
auto throwing() {
  return [](const auto&) -> Result { throw std::runtime_error{"too late"}; };
}

template <class Guard>
void throwing_policy(caf::actor_system&, Guard&, const libpool::actor_vec&,
                     caf::mailbox_element_ptr&, libpool::execution_context*) {
  throw std::runtime_error{"too late"};
}

struct world : gather_world {
  /// Makes a pool of one worker that answers.
  void make(const policy& how) {
    gather_world::make(how, {does::answer});
  }

  template <class... Ts>
  std::string answer_to(Ts&&... xs) {
    return text(client.ask(pool, std::forward<Ts>(xs)...));
  }
};

} // namespace

TEST_CASE_FIXTURE(
  world,
  "the error about an exception from a user function names the function") {
  std::string name;
  SUBCASE("priority_of") {
    name = "priority_of";
    libpool::rank_options how;
    how.priority_of = throwing<std::int64_t>();
    make(actor_pool::priority(how, options));
  }
  SUBCASE("key_of") {
    name = "key_of";
    libpool::key_options how;
    how.key_of = throwing<std::optional<std::uint64_t>>();
    make(actor_pool::consistent_hash(how, options));
  }
  SUBCASE("flow_of") {
    name = "flow_of";
    libpool::flow_options how;
    how.flow_of = throwing<flow_key>();
    make(actor_pool::fair_queuing(how, options));
  }
  SUBCASE("flow_of, by flow_by") {
    name = "flow_of";
    libpool::flow_options how;
    how.flow_of = libpool::flow_by<int>(throwing<std::string>());
    make(actor_pool::fair_queuing(how, options));
  }
  SUBCASE("width_of") {
    name = "width_of";
    libpool::flow_options how;
    how.width_of = throwing<std::size_t>();
    make(actor_pool::fair_queuing(how, options));
  }
  SUBCASE("home_of") {
    name = "home_of";
    libpool::home_options how;
    how.home_of = throwing<std::optional<std::size_t>>();
    make(actor_pool::work_stealing(how, options));
  }
  SUBCASE("move_cost") {
    name = "move_cost";
    libpool::home_options how;
    how.move_cost = throwing<duration>();
    make(actor_pool::work_stealing(how, options));
  }
  SUBCASE("kind_of") {
    name = "kind_of";
    libpool::home_options how;
    how.kind_of = throwing<std::uint64_t>();
    make(actor_pool::work_stealing(how, options));
  }
  SUBCASE("estimate_of") {
    name = "estimate_of";
    libpool::home_options how;
    how.estimate_of = throwing<std::optional<duration>>();
    make(actor_pool::work_stealing(how, options));
  }
  SUBCASE("may_run_on") {
    name = "may_run_on";
    options.may_run_on = throwing<std::optional<libpool::worker_choice>>();
    make(actor_pool::shared_queue(options));
  }
  CHECK(answer_to(1)
        == "libpool: the policy, or a function given to the pool, failed: "
             + name + " threw: too late");
  REQUIRE(fates.size() == 1);
  CHECK(text({1, caf::make_message(fates[0].reason)})
        == "libpool: the policy, or a function given to the pool, failed: "
             + name + " threw: too late");
}

TEST_CASE_FIXTURE(
  world,
  "the error names the user function that returned a value out of bounds") {
  SUBCASE("width_of") {
    libpool::flow_options how;
    how.width_of = [](auto&) { return std::size_t{0}; };
    make(actor_pool::fair_queuing(how, options));
    CHECK(answer_to(1)
          == "libpool: the policy, or a function given to the pool, failed: "
             "width_of: must be at least 1, got 0");
  }
  SUBCASE("move_cost") {
    libpool::home_options how;
    how.move_cost = [](auto&) { return -1ns; };
    make(actor_pool::work_stealing(how, options));
    CHECK(answer_to(1)
          == "libpool: the policy, or a function given to the pool, failed: "
             "move_cost: must be at least 0 ns, got -1");
  }
  SUBCASE("estimate_of") {
    libpool::home_options how;
    how.estimate_of = [](auto&) { return -2ns; };
    make(actor_pool::work_stealing(how, options));
    CHECK(answer_to(1)
          == "libpool: the policy, or a function given to the pool, failed: "
             "estimate_of: must be at least 0 ns, got -2");
  }
  SUBCASE("may_run_on") {
    options.may_run_on = [](auto&) { return libpool::worker_choice{}; };
    make(actor_pool::shared_queue(options));
    CHECK(answer_to(1)
          == "libpool: the policy, or a function given to the pool, failed: "
             "may_run_on: must name at least 1 worker, got none");
  }
}

TEST_CASE_FIXTURE(world, "the error states that weight_of threw") {
  libpool::weight_options how;
  how.weight_of = throwing<duration>();
  pool = actor_pool::make(system(),
                          actor_pool::weighted_round_robin(how, options));
  auto worker = system().spawn<scripted>(
    [](scripted&) -> caf::behavior { return {[](int x) { return x; }}; });
  CHECK(text(put(worker))
        == "libpool: the policy, or a function given to the pool, failed: "
           "weight_of threw: too late");
  exit(worker, caf::exit_reason::user_shutdown);
}

TEST_CASE_FIXTURE(world, "the error states whether split or join threw") {
  std::string name = "join";
  libpool::gather_options how;
  auto join = [](numbers&, caf::message&) {
    throw std::runtime_error{"too late"};
  };
  SUBCASE("split of a managed pool") {
    name = "split";
    auto split = [](caf::message&) -> libpool::message_parts {
      throw std::runtime_error{"too late"};
    };
    make(actor_pool::managed_split_join<numbers>(join, split, {}, {}, queue()));
  }
  SUBCASE("join of a managed pool") {
    make(actor_pool::managed_split_join<numbers>(join, test::one_each, {}, {},
                                                 queue()));
  }
  SUBCASE("join of a managed pool, in order") {
    how.ordered = true;
    make(actor_pool::managed_split_join<numbers>(join, test::one_each, {}, how,
                                                 queue()));
  }
  CHECK(answer_to(numbers{1, 2})
        == "libpool: the policy, or a function given to the pool, failed: "
             + name + " threw: too late");
}

TEST_CASE_FIXTURE(world,
                  "the error states that the join for several workers threw") {
  auto join = [](numbers&, caf::message&) {
    throw std::runtime_error{"too late"};
  };
  SUBCASE("of all workers") {
    make(actor_pool::broadcast_all<numbers>(join, {}, {}, queue()));
  }
  SUBCASE("of a quorum") {
    make(actor_pool::quorum<numbers>(1, 1, join, {}, {}, queue()));
  }
  CHECK(answer_to(1)
        == "libpool: the policy, or a function given to the pool, failed: join "
           "threw: too late");
}

TEST_CASE_FIXTURE(world,
                  "the error of a direct pool names the function that threw") {
  std::string name = "join";
  auto join = [](numbers&, caf::message&) {
    throw std::runtime_error{"too late"};
  };
  auto direct = actor_pool::make(system(), [&]() -> policy {
    SUBCASE("join") {
      return actor_pool::split_join<numbers>(join);
    }
    SUBCASE("split") {
      name = "split";
      return actor_pool::split_join<numbers>(
        join, [](libpool::worker_tasks&, caf::message&) {
          throw std::runtime_error{"too late"};
        });
    }
    SUBCASE("a functor") {
      name = "the functor of the policy";
      return throwing_policy<libpool::actor_pool::uplock>;
    }
    SUBCASE("a functor that names CAF's guard") {
      name = "the functor of the policy";
      return throwing_policy<libpool::caf_guard>;
    }
    SUBCASE("split inside a functor") {
      name = "split";
      auto inner = actor_pool::split_join<numbers>(
        join, [](libpool::worker_tasks&, caf::message&) {
          throw std::runtime_error{"too late"};
        });
      return [inner](auto& system, libpool::actor_pool::uplock& guard,
                     auto& workers, auto& element, auto* host) {
        inner(system, guard, workers, element, host);
      };
    }
    return nullptr;
  }());
  auto worker = system().spawn<test::doubler>();
  client.ask(direct, caf::sys_atom{}, caf::put_atom{}, worker);
  CHECK(text(client.ask(direct, 1))
        == "libpool: the policy, or a function given to the pool, failed: "
             + name + " threw: too late");
  exit(direct, caf::exit_reason::user_shutdown);
  run();
}

TEST_CASE_FIXTURE(
  world,
  "the error about missing workers states the last failure of the factory") {
  options.restart.max = 1;
  auto made = std::make_shared<int>(0);
  populate_by(1, [this, made] {
    if (++*made > 1)
      throw std::runtime_error{"too late"};
    return system().spawn<scripted>(
      [](scripted&) -> caf::behavior { return {[](int) { crash(); }}; });
  });
  client.send(pool, 1);
  auto number = client.request(pool, 2);
  run();
  advance(1s);
  CHECK(text(client.answer_to(number))
        == "libpool: the pool has no workers: the factory threw: too late");
}

} // namespace user_functions_tests
