/// Pools as workers of pools keep the promises of a single pool.

#include "support/managed_world.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace managed_nested_pools_tests {

using namespace std::chrono_literals;

using libpool::actor_pool;
using libpool::errc;
using libpool::outcome;
using test::crash;
using test::managed_world;
using test::scripted;

namespace {

/// An inner pool, whose tasks are counted apart from the tasks of the outer
/// one.
struct world : managed_world {
  libpool::managed_options inner_options;
  caf::actor inner;
  std::vector<errc> inner_ends;
  std::shared_ptr<std::vector<int>> seen = std::make_shared<std::vector<int>>();

  explicit world(std::uint64_t seed = 0) : managed_world(seed) {
    options.when_empty = libpool::when_empty::wait;
    inner_options.when_empty = libpool::when_empty::wait;
  }

  ~world() {
    finish();
    if (inner)
      caf::anon_send_exit(inner, caf::exit_reason::user_shutdown);
    inner = nullptr;
    run();
  }

  void make_inner(std::size_t n, const scripted::script& script) {
    inner_options.workers = n;
    inner = libpool::spawn_pool(system(), inner_options, [this, script] {
      return system().spawn<scripted>(script);
    });
    run();
  }

  /// The outer pool, with the inner one as its only worker.
  void make_outer() {
    pool = actor_pool::make(system(), actor_pool::shared_queue(options));
    put(inner);
  }

  libpool::ledger inner_books() const {
    return actor_pool::stats(inner).tasks;
  }
};

} // namespace

TEST_CASE_FIXTURE(world, "when a deadline of an inner pool passes, the client "
                         "is answered while the handler still runs") {
  inner_options.deadline = 100ms;
  inner_options.busy_until = libpool::busy_until::answer;
  make_inner(1, promising());
  make_outer();
  auto number = client.request(pool, 1);
  run();
  advance(100ms);
  CHECK(client.answer_to(number).count == 1);
  CHECK(client.answer_to(number).error() == errc::deadline_exceeded);
  CHECK(inner_books().cancelled == 1);
  CHECK(books().open() == 0);
  REQUIRE(fates.size() == 1);
  CHECK(fates[0].how == outcome::cancelled);
  CHECK(fates[0].reason == errc::deadline_exceeded);
  deliver(0, 1);
  CHECK(client.answer_to(number).count == 1);
}

TEST_CASE_FIXTURE(world,
                  "an inner deadline answers a request that waits in the "
                  "inner pool") {
  inner_options.deadline = 100ms;
  inner_options.busy_until = libpool::busy_until::answer;
  make_inner(1, promising());
  make_outer();
  client.request(inner, 0); // keeps the worker busy
  auto number = client.request(pool, 1);
  run();
  advance(100ms);
  CHECK(client.answer_to(number).count == 1);
  CHECK(client.answer_to(number).error() == errc::deadline_exceeded);
  CHECK(books().cancelled == 1);
  deliver(0, 1);
}

TEST_CASE_FIXTURE(world,
                  "a crash in an inner pool is retried by the outer pool") {
  options.on_crash = libpool::retry{2};
  auto runs = std::make_shared<int>(0);
  make_inner(4, [runs](scripted&) -> caf::behavior {
    return {[runs](int x) {
      if (++*runs <= 2)
        crash();
      return 2 * x;
    }};
  });
  make_outer();
  SUBCASE("of a request") {
    auto answer = client.ask(pool, 21);
    CHECK(answer.count == 1);
    CHECK(answer.get<int>() == 42);
  }
  SUBCASE("of an asynchronous message") {
    client.send(pool, 21);
    run();
  }
  CHECK(*runs == 3);
  CHECK(books().completed == 1);
  CHECK(inner_books().failed == 2);
  CHECK(inner_books().completed == 1);
}

TEST_CASE_FIXTURE(world,
                  "a crash in an inner pool is retried by the inner pool") {
  inner_options.on_crash = libpool::retry{2};
  auto runs = std::make_shared<int>(0);
  make_inner(4, [runs](scripted&) -> caf::behavior {
    return {[runs](int x) {
      if (++*runs <= 2)
        crash();
      return 2 * x;
    }};
  });
  make_outer();
  auto answer = client.ask(pool, 21);
  CHECK(answer.count == 1);
  CHECK(answer.get<int>() == 42);
  CHECK(books().completed == 1);
  CHECK(books().failed == 0);
  CHECK(inner_books().completed == 1);
}

TEST_CASE_FIXTURE(world,
                  "a crash in an inner pool is a crash in the outer one") {
  make_inner(2, [](scripted&) -> caf::behavior {
    return {[](int) -> int { crash(); }};
  });
  make_outer();
  client.send(pool, 1);
  auto answer = client.ask(pool, 2);
  CHECK(answer.count == 1);
  CHECK(libpool::is_crash(answer.error()));
  CHECK(books().failed == 2);
  CHECK(inner_books().failed == 2);
  for (auto& each : fates)
    CHECK(each.reason == errc::worker_crashed);
}

TEST_CASE_FIXTURE(world,
                  "a full inner pool returns messages to the outer pool, which "
                  "sends them again when the inner pool has room") {
  inner_options.capacity = 1;
  inner_options.busy_until = libpool::busy_until::answer;
  make_inner(1, promising());
  make_outer();
  client.request(inner, 100);
  client.request(inner, 101); // the inner pool is full
  std::vector<std::uint64_t> sent;
  for (auto i = 0; i < 3; ++i)
    sent.push_back(client.request(pool, i));
  run();
  CHECK(books().open() == 3);
  for (std::size_t i = 0; i < 5; ++i)
    deliver(i, static_cast<int>(i));
  for (std::size_t i = 0; i < sent.size(); ++i) {
    CHECK(client.answer_to(sent[i]).count == 1);
    CHECK(client.answer_to(sent[i]).get<int>() == static_cast<int>(i) + 2);
  }
  CHECK(books().completed == 3);
}

TEST_CASE_FIXTURE(world, "a full pool inside a direct pool returns messages to "
                         "the outer pool until the full pool has room") {
  inner_options.capacity = 1;
  inner_options.busy_until = libpool::busy_until::answer;
  make_inner(1, promising());
  auto full = std::exchange(
    inner, actor_pool::make(
             system(), 1, [this] { return inner; }, actor_pool::round_robin()));
  make_outer();
  client.request(full, 100);
  client.request(full, 101); // it is full
  auto number = client.request(pool, 1);
  run();
  CHECK(books().open() == 1);
  for (std::size_t i = 0; i < 3; ++i)
    deliver(i, static_cast<int>(i));
  CHECK(client.answer_to(number).get<int>() == 2);
}

TEST_CASE_FIXTURE(
  world,
  "an outer pool with a draining and a healthy inner pool fails no messages") {
  inner_options.busy_until = libpool::busy_until::answer;
  make_inner(1, promising());
  make_outer();
  CHECK(put(system().spawn<scripted>(test::doubling(seen))).is_empty());
  auto held = client.request(inner, 7);
  auto drained = client.request(inner, caf::sys_atom{}, libpool::drain_atom{});
  run();
  for (auto i = 0; i < 100; ++i)
    CHECK(client.ask(pool, i).get<int>() == 2 * i);
  CHECK(books().failed == 0);
  CHECK(books().completed == 100);
  deliver(0, 1);
  CHECK(client.answer_to(held).get<int>() == 1);
  CHECK(client.answer_to(drained).came());
}

TEST_CASE_FIXTURE(world, "an outer pool sends all messages to another worker "
                         "if its inner pool has no workers") {
  inner = actor_pool::make(system(), actor_pool::shared_queue(inner_options));
  make_outer();
  CHECK(put(system().spawn<scripted>(test::doubling(seen))).is_empty());
  for (auto i = 0; i < 10; ++i)
    CHECK(client.ask(pool, i).get<int>() == 2 * i);
  CHECK(inner_books().accepted == 0);
}

TEST_CASE_FIXTURE(
  world, "messages wait for an empty inner pool until it has a worker") {
  inner = actor_pool::make(system(), actor_pool::shared_queue(inner_options));
  make_outer();
  auto number = client.request(pool, 4);
  run();
  CHECK_FALSE(client.answer_to(number).came());
  client.ask(inner, caf::sys_atom{}, caf::put_atom{},
             system().spawn<scripted>(test::doubling(seen)));
  CHECK(client.answer_to(number).get<int>() == 8);
}

TEST_CASE_FIXTURE(
  world,
  "messages wait for an inner pool whose workers will soon be replaced") {
  options.when_empty = libpool::when_empty::end;
  inner_options.when_empty = libpool::when_empty::end;
  inner_options.restart.max = 3;
  inner_options.restart.pause = inner_options.restart.longest_pause = 50ms;
  make_inner(1, test::doubling(seen));
  make_outer();
  kill(actor_pool::stats(inner).members.at(0).worker);
  run();
  auto number = client.request(pool, 4);
  run();
  CHECK_FALSE(client.answer_to(number).came());
  advance(50ms);
  CHECK(client.answer_to(number).get<int>() == 8);
}

TEST_CASE_FIXTURE(
  world,
  "messages fail at once if the workers of all inner pools were removed") {
  options.when_empty = libpool::when_empty::end;
  inner_options.when_empty = libpool::when_empty::end;
  make_inner(1, test::doubling(seen));
  make_outer();
  client.ask(inner, caf::sys_atom{}, caf::delete_atom{});
  CHECK(client.ask(pool, 4).error() == errc::no_workers);
}

TEST_CASE_FIXTURE(world, "an outer pool counts a message once if broadcast_all "
                         "in an inner pool fails") {
  auto policy = actor_pool::broadcast_all<int>(
    [](int& sum, caf::message& each) { sum += each.get_as<int>(0); }, {}, {},
    actor_pool::shared_queue(inner_options));
  auto make = [&](const scripted::script& script) {
    inner = actor_pool::make(
      system(), 2, [&] { return system().spawn<scripted>(script); }, policy);
    make_outer();
  };
  SUBCASE("as cancelled when the deadline of the message passes") {
    inner_options.deadline = 100ms;
    inner_options.busy_until = libpool::busy_until::answer;
    policy = actor_pool::broadcast_all<int>(
      [](int& sum, caf::message& each) { sum += each.get_as<int>(0); }, {}, {},
      actor_pool::shared_queue(inner_options));
    make(promising());
    auto number = client.request(pool, 1);
    run();
    advance(100ms);
    CHECK(client.answer_to(number).error() == errc::deadline_exceeded);
    CHECK(books().completed == 0);
    CHECK(books().cancelled == 1);
    deliver(0, 1);
    deliver(1, 1);
  }
  SUBCASE("as completed when workers have answered with errors") {
    make([](scripted&) -> caf::behavior {
      return {
        [](int) -> caf::result<int> { return caf::sec::bad_function_call; }};
    });
    CHECK(client.ask(pool, 1).error() != caf::error{});
    CHECK(books().completed == 1);
  }
}

TEST_CASE_FIXTURE(world, "an inner pool gets at most as many messages at a "
                         "time as it has workers, even after RESIZE") {
  inner_options.busy_until = libpool::busy_until::answer;
  options.busy_until = libpool::busy_until::answer;
  make_inner(3, promising());
  make_outer();
  for (auto i = 0; i < 8; ++i)
    client.request(pool, i);
  run();
  CHECK(promises.size() == 3);
  CHECK(books().waiting == 5);
  actor_pool::resize(inner, 5);
  run();
  CHECK(promises.size() == 5);
  for (std::size_t i = 0; i < 8; ++i)
    deliver(i, 0);
}

TEST_CASE_FIXTURE(world, "urgent messages remain urgent in an inner pool") {
  options.window = 4;
  inner_options.busy_until = libpool::busy_until::answer;
  make_inner(1, promising());
  auto direct = actor_pool::make(
    system(), 1, [this] { return inner; }, actor_pool::round_robin());
  client.request(inner, 0);
  client.request(direct, 1);
  make_outer();
  CHECK(books().open() == 0);
  auto id = caf::make_message_id(777).with_high_priority();
  caf::actor_cast<caf::abstract_actor*>(pool)->enqueue(
    libpool::make_element(client.pointer(), id, 2), nullptr);
  run();
  deliver(0, 0);
  deliver(1, 5); // the urgent one, though it came later
  CHECK(client.answer_to(777).get<int>() == 5);
  deliver(2, 6);
  client.ask(direct, caf::sys_atom{}, caf::delete_atom{});
}

TEST_CASE_FIXTURE(world, "an inner pool does not complete a message that the "
                         "outer pool has cancelled at its deadline") {
  options.deadline = 100ms;
  options.window = 2;
  inner_options.window = 2;
  make_inner(1, [this](scripted& self) -> caf::behavior {
    self.set_default_handler(caf::skip);
    return {[this](caf::ok_atom) { seen->push_back(0); }};
  });
  make_outer();
  client.send(inner, caf::ok_atom{});
  run();
  auto number = client.request(pool, 1);
  advance(100ms);
  CHECK(client.answer_to(number).error() == errc::deadline_exceeded);
  CHECK(inner_books().completed == 1);
  CHECK(books().cancelled == 1);
  kill(client.ask(inner, caf::sys_atom{}, caf::get_atom{})
         .get<std::vector<caf::actor>>()
         .at(0));
  run();
}

TEST_CASE_FIXTURE(
  world,
  "a message that an inner pool can never handle is refused in both ledgers") {
  libpool::flow_options wide;
  wide.too_wide = libpool::too_wide::refuse;
  wide.width_of = libpool::width_by<int>();
  inner_options.workers = 1;
  std::vector<caf::error> refused;
  inner = actor_pool::make(
    system(), 1,
    [this] { return system().spawn<scripted>(test::doubling(seen)); },
    actor_pool::fair_queuing(wide, inner_options),
    libpool::pool_options{[&](libpool::refusal& told) {
      refused.push_back(told.reason);
      CHECK(told.content.match_elements<int>());
    }});
  make_outer();
  auto answer = client.ask(pool, 5);
  CHECK(answer.count == 1);
  CHECK(answer.error() == errc::too_wide);
  client.send(pool, 6);
  run();
  REQUIRE(refused.size() == 1);
  CHECK(refused[0] == errc::too_wide);
  CHECK(books().completed == 0);
  CHECK(books().cancelled == 2);
  CHECK(inner_books().completed == 0);
}

TEST_CASE_FIXTURE(world, "an outer pool counts a message once, as cancelled, "
                         "if the policy of an inner direct pool throws") {
  using guard = actor_pool::uplock;
  using workers = actor_pool::actor_vec;
  auto policy = actor_pool::round_robin();
  std::vector<caf::message> refused;
  auto is_lost = false;
  SUBCASE("the split of split_join") {
    policy = actor_pool::split_join<int>(
      [](int&, caf::message&) {},
      [](libpool::worker_tasks&, caf::message& message) {
        auto taken = std::move(message);
        message = taken;
        throw std::runtime_error{"no way"};
      });
  }
  SUBCASE("a functor") {
    policy = [](caf::actor_system&, guard&, const workers&,
                caf::mailbox_element_ptr&, libpool::execution_context*) {
      throw std::runtime_error{"no way"};
    };
  }
  SUBCASE("a functor that has taken the message") {
    is_lost = true;
    policy = [](caf::actor_system&, guard&, const workers&,
                caf::mailbox_element_ptr& element,
                libpool::execution_context*) {
      auto taken = std::move(element);
      throw std::runtime_error{"no way"};
    };
  }
  inner = actor_pool::make(
    system(), 1, [&] { return system().spawn<scripted>(test::doubling(seen)); },
    std::move(policy), libpool::pool_options{[&](libpool::refusal& told) {
      refused.push_back(told.content);
    }});
  make_outer();
  auto answer = client.ask(pool, 1);
  CHECK(answer.count == 1);
  CHECK(answer.error() == errc::policy_failed);
  client.send(pool, 2);
  run();
  REQUIRE(refused.size() == 1);
  CHECK(refused[0].match_elements<int>() != is_lost);
  CHECK(books().completed == 0);
  CHECK(books().cancelled == 2);
  for (auto& each : fates)
    CHECK(each.reason == errc::policy_failed);
  CHECK(stats().errors[errc::policy_failed] == 2);
  CHECK(seen->empty());
}

TEST_CASE_FIXTURE(world, "a message fails with worker_crashed if a worker of "
                         "an inner split_join ends before its answer") {
  inner = actor_pool::make(
    system(), 2, [this] { return system().spawn<scripted>(promising()); },
    actor_pool::split_join<int>([](int&, caf::message&) {}));
  make_outer();
  auto number = client.request(pool, 1);
  run();
  REQUIRE(promises.size() == 2);
  kill(caf::actor{holders.at(0)});
  run();
  CHECK(client.answer_to(number).count == 1);
  CHECK(client.answer_to(number).error() == errc::worker_crashed);
  CHECK(books().failed == 1);
  CHECK(books().completed == 0);
}

TEST_CASE_FIXTURE(
  world,
  "a message for a direct inner pool that contains itself is refused once") {
  inner = actor_pool::make(system(), actor_pool::round_robin());
  auto again = actor_pool::make(
    system(), 1, [this] { return inner; }, actor_pool::round_robin());
  client.ask(inner, caf::sys_atom{}, caf::put_atom{}, again);
  make_outer();
  auto answer = client.ask(pool, 1);
  CHECK(answer.count == 1);
  CHECK(answer.error() == errc::cycle);
  CHECK(books().completed == 0);
  CHECK(stats().errors[errc::cycle] == 1);
  client.ask(inner, caf::sys_atom{}, caf::delete_atom{});
}

TEST_CASE_FIXTURE(
  world, "a crash in an inner direct pool is retried by the outer pool") {
  options.on_crash = libpool::retry{2};
  auto runs = std::make_shared<int>(0);
  inner = actor_pool::make(
    system(), 4,
    [&] {
      return system().spawn<scripted>([runs](scripted&) -> caf::behavior {
        return {[runs](int x) {
          if (++*runs <= 2)
            crash();
          return 2 * x;
        }};
      });
    },
    actor_pool::round_robin());
  make_outer();
  auto answer = client.ask(pool, 21);
  CHECK(answer.count == 1);
  CHECK(answer.get<int>() == 42);
  CHECK(*runs == 3);
}

TEST_CASE_FIXTURE(world, "a message for a terminated worker of an inner direct "
                         "pool runs on another worker") {
  inner = actor_pool::make(
    system(), 2,
    [this] { return system().spawn<scripted>(test::doubling(seen)); },
    actor_pool::round_robin());
  make_outer();
  client.send(pool, 1);
  client.send(pool, 2);
  auto first = client.ask(inner, caf::sys_atom{}, caf::get_atom{});
  kill(first.get<std::vector<caf::actor>>().at(0));
  client.send(pool, 3);
  client.send(pool, 4);
  run();
  advance(1s);
  CHECK(seen->size() == 4);
  CHECK(books().completed == 4);
}

TEST_CASE_FIXTURE(world, "a message for an inner direct pool without workers "
                         "runs on a worker that is added to the outer pool") {
  inner = actor_pool::make(system(), actor_pool::round_robin());
  make_outer();
  auto number = client.request(pool, 3);
  run();
  CHECK(put(system().spawn<scripted>(test::doubling(seen))).is_empty());
  CHECK(client.answer_to(number).get<int>() == 6);
}

TEST_CASE_FIXTURE(world, "a message for an inner direct pool that has ended "
                         "runs on a worker that is added to the outer pool") {
  inner = actor_pool::make(system(), actor_pool::round_robin());
  make_outer();
  auto before = client.request(pool, 3);
  run();
  kill(inner);
  run();
  CHECK(put(inner).error() == errc::worker_down);
  auto after = client.request(pool, 4);
  run();
  CHECK(workers().empty());
  CHECK(client.answer_to(before).count == 0);
  CHECK(client.answer_to(after).count == 0);
  CHECK(put(system().spawn<scripted>(test::doubling(seen))).is_empty());
  CHECK(client.answer_to(before).get<int>() == 6);
  CHECK(client.answer_to(after).get<int>() == 8);
}

} // namespace managed_nested_pools_tests
