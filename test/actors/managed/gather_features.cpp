/// Gathers together with other features: deadlines, drains, pools in pools, and
/// functions of the user.

#include "support/brittle.hpp"
#include "support/crew_world.hpp"

#include <chrono>

namespace managed_gather_features_tests {

using namespace std::chrono_literals;

using libpool::actor_pool;
using libpool::errc;
using test::append;
using test::numbers;
using test::one_each;
using world = test::crew_world;
using does = world::does;

TEST_CASE_FIXTURE(
  world,
  "pools that are made with the same policy do not share its split function") {
  auto split = [n = 0](caf::message&) mutable -> libpool::message_parts {
    return {caf::make_message(++n)};
  };
  auto how = actor_pool::managed_split_join<numbers>(append, split);
  auto spawn = [this] { return system().spawn<test::doubler>(); };
  auto first = actor_pool::make(system(), 1, spawn, how);
  auto other = actor_pool::make(system(), 1, spawn, how);
  for (auto& each : {first, other}) {
    CHECK(client.ask(each, 1).get<numbers>() == numbers{2});
    exit(each);
  }
}

TEST_CASE_FIXTURE(world, "on_refused gets the whole message if copying the "
                         "initial value of the joined result throws") {
  auto join = [](test::brittle&, caf::message&) {};
  auto how = actor_pool::managed_split_join<test::brittle>(
    join, one_each, test::brittle{}, {}, queue());
  SUBCASE("managed_split_join") {}
  SUBCASE("broadcast_all") {
    how = actor_pool::broadcast_all<test::brittle>(join, test::brittle{}, {},
                                                   queue());
  }
  SUBCASE("quorum") {
    how = actor_pool::quorum<test::brittle>(1, 1, join, test::brittle{}, {},
                                            queue());
  }
  pool = actor_pool::make(system(), how, noting_refusals());
  add(does::answer);
  run();
  test::brittle::breaks = true;
  client.send(pool, numbers{7, 8});
  run();
  test::brittle::breaks = false;
  REQUIRE(refusals.size() == 1);
  CHECK(refusals[0].reason == errc::policy_failed);
  CHECK(refusals[0].content.get_as<numbers>(0) == numbers{7, 8});
}

TEST_CASE_FIXTURE(
  world,
  "a message that is answered is not hedged even if its handler takes long") {
  make(actor_pool::hedged(10ms, 100, queue()));
  add([this](test::scripted& self) -> caf::behavior {
    return {[this, &self](int x) {
      self.make_response_promise().deliver(x);
      pass(20ms); // tidies up
    }};
  });
  add(does::answer);
  run();
  CHECK(result_of(request(1)) == 1);
  CHECK(begun.empty());
  CHECK(stats().hedged == 0);
}

TEST_CASE("a message is not hedged once its deadline has passed") {
  for (auto delay : {5ms, 10ms}) {
    CAPTURE(delay.count());
    world w;
    w.options.busy_until = libpool::busy_until::answer;
    w.options.deadline = 5ms;
    w.make(actor_pool::hedged(delay, 100, w.queue()),
           {does::promise, does::answer});
    auto number = w.request(1);
    for (int i = 0; i < 4; ++i)
      w.advance(5ms);
    CHECK(w.error_of(number) == errc::deadline_exceeded);
    CHECK(w.stats().hedged == 0);
  }
}

TEST_CASE_FIXTURE(world, "a pool with the policy hedged sends no message to a "
                         "second worker while it drains") {
  options.busy_until = libpool::busy_until::answer;
  make(actor_pool::hedged(10ms, 100, queue()), {does::promise, does::answer});
  auto number = request(1);
  actor_pool::drain(pool);
  advance(10ms);
  CHECK(stats().hedged == 0);
  keep(0, 5);
  CHECK(result_of(number) == 5);
}

TEST_CASE_FIXTURE(
  world,
  "a message in an empty pool waits for a worker with when_empty::wait") {
  options.when_empty = libpool::when_empty::wait;
  SUBCASE("with hedged") {
    make(actor_pool::hedged(10ms, 100, queue()));
  }
  SUBCASE("with first_success") {
    make(actor_pool::first_success(1, queue()));
  }
  auto number = request(1);
  add(does::answer);
  run();
  CHECK(result_of(number) == 1);
}

TEST_CASE_FIXTURE(
  world, "split and join may request stats of their pool and send to it") {
  auto split = [this](caf::message& message) {
    CHECK(actor_pool::stats(pool).workers == 1);
    if (message.get_as<numbers>(0)[0] == 1)
      client.request(pool, numbers{2});
    return one_each(message);
  };
  auto join = [this](numbers& to, caf::message& message) {
    CHECK(actor_pool::stats(pool).workers == 1);
    if (message.get_as<int>(0) == 2)
      client.request(pool, numbers{3});
    append(to, message);
  };
  make(actor_pool::managed_split_join<numbers>(join, split, numbers{}, {},
                                               queue()),
       {does::answer});
  request(numbers{1});
  for (std::uint64_t i = 2; i <= 4; ++i)
    CHECK(client.answer_to(i).count == 1);
}

TEST_CASE("a request to an inner pool that joins results is answered once if a "
          "worker makes a response promise and throws") {
  for (const auto& how :
       {actor_pool::split_join<numbers>(append),
        actor_pool::policy{actor_pool::broadcast_all<numbers>(append, {})}})
    for (auto throws_at_once : {false, true}) {
      CAPTURE(throws_at_once);
      world w;
      caf::response_promise held;
      auto worker = w.system().spawn<test::scripted>(
        [&](test::scripted& self) -> caf::behavior {
          return {[&](int) -> caf::result<int> {
                    auto promise = self.make_response_promise();
                    if (throws_at_once)
                      test::crash();
                    held = std::move(promise);
                    return caf::delegated<int>{};
                  },
                  [&](caf::ok_atom) {
                    auto promise = std::exchange(held, {});
                    test::crash();
                  }};
        });
      auto inner = actor_pool::make(w.system(), how);
      w.client.ask(inner, caf::sys_atom{}, caf::put_atom{}, worker);
      w.make(w.queue());
      w.put(inner);
      auto number = w.request(1);
      caf::anon_send(worker, caf::ok_atom_v);
      w.run();
      CHECK(w.client.answer_to(number).count == 1);
      CHECK(w.books().completed + w.books().failed == 1);
      w.exit(inner);
    }
}

TEST_CASE_FIXTURE(world, "a message is refused and passed to on_refused if its "
                         "split function throws") {
  auto split = [](caf::message& content) {
    auto parts = one_each(content);
    return parts.size() < 2 ? parts : throw std::runtime_error{"too many"};
  };
  pool = actor_pool::make(
    system(),
    actor_pool::managed_split_join<numbers>(append, split, {}, {}, queue()),
    noting_refusals());
  add(does::answer);
  run();
  client.send(pool, numbers{1}); // keeps the worker busy
  for (auto i = 0; i < 3; ++i)
    client.send(pool, numbers{1, 2});
  auto number = client.request(pool, numbers{1, 2});
  CHECK(books().accepted == 1);
  CHECK(books().refused == 4);
  run();
  CHECK(refusals.size() == 3);
  for (auto& each : refusals) {
    CHECK(each.reason == errc::policy_failed);
    CHECK(each.content.get_as<numbers>(0) == numbers{1, 2});
  }
  CHECK(error_of(number) == errc::policy_failed);
  CHECK(books().accepted == 1);
  CHECK(books().completed == 1);
  CHECK(books().refused == 4);
}

TEST_CASE_FIXTURE(
  world,
  "policies that ask several workers refuse options that choose workers") {
  libpool::message_functions asked;
  SUBCASE("may_run_on") {
    options.may_run_on = [](const libpool::message_content&) {
      return libpool::worker_choice{{0}, false};
    };
  }
  SUBCASE("home_of") {
    asked.home_of = [](const libpool::message_content&) { return 0; };
  }
  libpool::recipe least_used;
  least_used.placement = "least_used";
  auto under = actor_pool::managed(least_used, options, asked);
  CHECK_THROWS_AS(actor_pool::first_success(2, under), std::invalid_argument);
  CHECK_THROWS_AS(actor_pool::hedged(1ms, 5, under), std::invalid_argument);
  CHECK_THROWS_AS(actor_pool::broadcast_all<numbers>(append, {}, {}, under),
                  std::invalid_argument);
  CHECK_NOTHROW(
    actor_pool::managed_split_join<numbers>(append, one_each, {}, {}, under));
}

} // namespace managed_gather_features_tests
