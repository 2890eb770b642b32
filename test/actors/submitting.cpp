/// Futures for the results of requests that threads send to pools.

#include "libpool/actors/submit.hpp"
#include "support/brittle.hpp"
#include "support/direct_world.hpp"
#include "support/managed_world.hpp"
#include "support/port/actors.hpp"

#include <future>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

namespace submitting_tests {

using libpool::actor_pool;
using libpool::errc;
using libpool::request_failed;
using libpool::results_of;
using libpool::submit;
using libpool::submit_all;
using test::direct_world;
using test::managed_world;
using test::scripted;

template <class T>
bool is_ready(const std::future<T>& future) {
  return future.wait_for(std::chrono::seconds{0}) == std::future_status::ready;
}

/// The error of a future that is ready.
template <class T>
caf::error failure_of(std::future<T> future) {
  REQUIRE(is_ready(future));
  try {
    future.get();
  } catch (const request_failed& failed) {
    return failed.error();
  }
  return {};
}

struct world : managed_world {
  /// Ends the actor whose end tells pools that the actor system ends.
  void end_system() {
    exit(caf::actor_cast<caf::actor>(system().spawn_serv()));
    run();
  }
};

// -- results ------------------------------------------------------------------

TEST_CASE_FIXTURE(world, "submit returns a future that becomes ready when the "
                         "worker has answered") {
  populate(1, doubling());
  auto pending = submit<int>(pool, 3);
  CHECK_FALSE(is_ready(pending));
  run();
  REQUIRE(is_ready(pending));
  CHECK(pending.get() == 6);
}

TEST_CASE_FIXTURE(world, "the result of submit can be nothing, several "
                         "elements or any message") {
  populate(1, [](scripted&) -> caf::behavior {
    return {
      [](int) {},
      [](int x, const std::string& text) {
        return std::make_tuple(2 * x, text + text);
      },
    };
  });
  auto nothing = submit<void>(pool, 1);
  auto several = submit<std::tuple<int, std::string>>(pool, 2, "a");
  auto any = submit<caf::message>(pool, 3, "b");
  auto empty = submit<caf::message>(pool, 4);
  run();
  CHECK_NOTHROW(nothing.get());
  CHECK(several.get() == std::make_tuple(4, std::string{"aa"}));
  CHECK(any.get().match_elements<int, std::string>());
  CHECK(empty.get().empty());
}

TEST_CASE_FIXTURE(world, "an answer of another type is an error that names "
                         "both types") {
  populate(1, doubling());
  auto text = submit<std::string>(pool, 1);
  auto nothing = submit<void>(pool, 2);
  auto several = submit<std::tuple<int, int>>(pool, 3);
  run();
  try {
    text.get();
    FAIL("no exception");
  } catch (const request_failed& failed) {
    CHECK(failed.error() == caf::sec::unexpected_response);
    CHECK_FALSE(failed.code());
    auto words = std::string{failed.what()};
    auto expected = words.find("the request expects the result (");
    CHECK(expected != std::string::npos);
    CHECK(words.find("but the answer is (", expected) != std::string::npos);
  }
  CHECK(failure_of(std::move(nothing)) == caf::sec::unexpected_response);
  CHECK(failure_of(std::move(several)) == caf::sec::unexpected_response);
}

using doubles = caf::typed_actor<test::signature<int, int>>;
using eats = caf::typed_actor<test::reaction<std::string>>;

TEST_CASE_FIXTURE(world, "the handle of a typed pool tells the types of "
                         "results") {
  auto typed = libpool::spawn_typed_pool<doubles>(system(), 1, [this] {
    return system().spawn(
      []() -> doubles::behavior_type { return {[](int x) { return 2 * x; }}; });
  });
  auto quiet = libpool::spawn_typed_pool<eats>(system(), 1, [this] {
    return system().spawn(
      []() -> eats::behavior_type { return {[](const std::string&) {}}; });
  });
  auto result = submit(typed, 4);
  auto named = submit<int>(typed, 5);
  auto nothing = submit(quiet, "text");
  auto all = submit_all(typed, std::vector{6, 7});
  static_assert(std::is_same_v<decltype(result), std::future<int>>);
  static_assert(std::is_same_v<decltype(nothing), std::future<void>>);
  run();
  CHECK(result.get() == 8);
  CHECK(named.get() == 10);
  CHECK_NOTHROW(nothing.get());
  CHECK(results_of(all.get()) == std::vector{12, 14});
  stop(caf::actor_cast<caf::actor>(typed));
  stop(caf::actor_cast<caf::actor>(quiet));
}

// -- many requests ------------------------------------------------------------

TEST_CASE_FIXTURE(world, "submit_all returns all results in the order of the "
                         "requests, whatever the order of the answers") {
  populate(3, promising());
  auto pending = submit_all<int>(pool, std::vector{1, 2, 3});
  run();
  deliver(2, 30);
  deliver(0, 10);
  CHECK_FALSE(is_ready(pending));
  deliver(1, 20);
  REQUIRE(is_ready(pending));
  CHECK(results_of(pending.get()) == std::vector{10, 20, 30});
}

TEST_CASE_FIXTURE(world, "submit_all returns each result and each error, and "
                         "results_of throws the first error") {
  populate(2, [](scripted&) -> caf::behavior {
    return {[](int x) -> caf::expected<int> {
      if (x % 2 == 0)
        return libpool::make_error(errc::hopeless, std::to_string(x));
      return 2 * x;
    }};
  });
  auto pending = submit_all<int>(pool, std::vector{1, 2, 3, 4});
  run();
  auto results = pending.get();
  REQUIRE(results.size() == 4);
  CHECK(*results[0] == 2);
  CHECK(results[1].error() == errc::hopeless);
  CHECK(*results[2] == 6);
  CHECK(results[3].error() == errc::hopeless);
  CHECK_THROWS_WITH_AS(
    results_of(results),
    request_failed{libpool::make_error(errc::hopeless, "2")}.what(),
    request_failed);
}

TEST_CASE_FIXTURE(world, "an item of submit_all can be a tuple or a message, "
                         "and there can be none") {
  populate(1, [](scripted&) -> caf::behavior {
    return {
      [](int x, const std::string& text) { return text + std::to_string(x); }};
  });
  using items = std::vector<std::tuple<int, std::string>>;
  auto tuples = submit_all<std::string>(pool, items{{1, "a"}, {2, "b"}});
  std::vector<caf::message> contents{caf::make_message(3, std::string{"c"})};
  auto messages = submit_all<std::string>(pool, contents);
  auto none = submit_all<void>(pool, std::vector<int>{});
  REQUIRE(is_ready(none));
  CHECK(none.get().empty());
  run();
  CHECK(results_of(tuples.get()) == std::vector<std::string>{"a1", "b2"});
  CHECK(results_of(messages.get()) == std::vector<std::string>{"c3"});
}

// -- errors -------------------------------------------------------------------

TEST_CASE_FIXTURE(world, "a future throws the error of a worker that crashes "
                         "or does not take the message") {
  populate(
    1, [](scripted&) -> caf::behavior { return {[](int) { test::crash(); }}; });
  auto strange = submit<int>(pool, "text");
  auto crashed = submit<void>(pool, 1);
  run();
  CHECK(failure_of(std::move(strange)) == caf::sec::unexpected_message);
  try {
    crashed.get();
    FAIL("no exception");
  } catch (const request_failed& failed) {
    CHECK((failed.error() == caf::sec::runtime_error
           || failed.code() == errc::worker_crashed));
  }
}

TEST_CASE_FIXTURE(world, "futures of cancelled, late, paused and refused "
                         "requests get what any client gets") {
  options.deadline = std::chrono::seconds{5};
  options.id_of = libpool::flow_by<int>();
  populate(1, promising());
  auto late = submit<int>(pool, 1);
  run();
  actor_pool::pause(pool);
  auto cancelled = submit<int>(pool, 2);
  auto paused = submit<int>(pool, 3);
  run();
  actor_pool::cancel(pool, libpool::selection::of_id("2"));
  run();
  CHECK(failure_of(std::move(cancelled)) == errc::cancelled);
  advance(std::chrono::seconds{6});
  CHECK(failure_of(std::move(late)) == errc::deadline_exceeded);
  CHECK(failure_of(std::move(paused)) == errc::deadline_exceeded);
  actor_pool::resume(pool);
  auto next = submit<int>(pool, 4);
  deliver(0, 10); // the answer that comes too late
  run();
  deliver(1, 40);
  CHECK(next.get() == 40);
  exit(pool);
  run();
  auto refused = submit<int>(pool, 5);
  CHECK(failure_of(std::move(refused)) == caf::sec::request_receiver_down);
}

TEST_CASE_FIXTURE(world, "the end of the pool makes all futures ready, and the "
                         "last one when the worker drops its promise") {
  populate(1, promising());
  auto begun = submit<int>(pool, 1);
  run();
  auto waiting = submit_all<int>(pool, std::vector{2, 3});
  exit(pool);
  run();
  REQUIRE(is_ready(waiting));
  for (auto& each : waiting.get())
    CHECK(each.error() == errc::pool_closed);
  CHECK_FALSE(is_ready(begun));
  promises.clear();
  CHECK(failure_of(std::move(begun)));
}

TEST_CASE_FIXTURE(world, "a future can be destroyed before it is ready") {
  populate(1, promising());
  submit<int>(pool, 1);
  submit_all<int>(pool, std::vector{2});
  run();
  deliver(0, 10);
  deliver(1, 20);
  CHECK(books().completed == 2);
}

TEST_CASE_FIXTURE(world, "a null handle of a pool is an invalid argument") {
  CHECK_THROWS_AS(submit<int>(caf::actor{}, 1), std::invalid_argument);
}

TEST_CASE_FIXTURE(world, "a result that cannot be copied is an error") {
  auto kept = caf::make_message(test::brittle{1});
  populate(
    1, [&](scripted&) -> caf::behavior { return {[&](int) { return kept; }}; });
  auto pending = submit<test::brittle>(pool, 1);
  test::brittle::breaks = true;
  run();
  test::brittle::breaks = false;
  CHECK(failure_of(std::move(pending)) == caf::sec::runtime_error);
}

// -- answers of any kind ------------------------------------------------------

TEST_CASE_FIXTURE(direct_world, "the first answer counts, and a request that "
                                "is dropped without an answer is an error") {
  auto pool = pool_with(actor_pool::round_robin());
  auto answered = submit<int>(pool, 1);
  auto dropped = submit<int>(pool, 2);
  auto both = submit_all<int>(pool, std::vector{3, 4}); // for workers 2 and 0
  ws[0].answer(0, 10);
  ws[0].answer(0, 11);
  CHECK(answered.get() == 10);
  CHECK_FALSE(is_ready(dropped));
  ws[1]->inbox.clear();
  CHECK(failure_of(std::move(dropped)) == errc::worker_failed);
  ws[2].answer(0, 30);
  ws[2]->inbox.clear();
  CHECK_FALSE(is_ready(both));
  ws[0]->inbox.clear();
  REQUIRE(is_ready(both));
  auto results = both.get();
  CHECK(*results[0] == 30);
  CHECK(results[1].error() == errc::worker_failed);
  stop(pool);
}

TEST_CASE_FIXTURE(direct_world, "the sender of a request of a thread takes "
                                "answers only") {
  auto pool = pool_with(actor_pool::round_robin());
  auto pending = submit<int>(pool, 1);
  {
    auto sender = collector(0); // whoever has sent the first message
    CHECK(client.ask(sender, 5).error() == errc::not_work);
    client.send(sender, 5);
    client.send_as(caf::make_message_id(99).response_id(), sender, 5);
    CHECK_FALSE(is_ready(pending));
    ws[0].answer(0, 10);
    CHECK(pending.get() == 10);
  }
  stop(pool);
}

// -- the client ---------------------------------------------------------------

TEST_CASE_FIXTURE(world, "all requests of threads are one flow, also through "
                         "a submit_only handle") {
  options.when_empty = libpool::when_empty::wait;
  pool = actor_pool::make(system(), actor_pool::fair_queuing({}, options));
  auto gate = actor_pool::submit_only(pool);
  auto direct = submit<int>(pool, 1);
  auto all = submit_all<int>(pool, std::vector{2, 3});
  auto through = submit<int>(gate, 4);
  run();
  auto flows = stats().flows;
  REQUIRE(flows.size() == 1);
  CHECK(flows[0].waiting == 4);
  put_doubling();
  CHECK(direct.get() == 2);
  CHECK(results_of(all.get()) == std::vector{4, 6});
  CHECK(through.get() == 8);
}

TEST_CASE_FIXTURE(world, "submit says that its name in the registry is taken") {
  populate(1, doubling());
  test::enter(system(), "lp_threads", client.handle());
  CHECK_THROWS_WITH_AS(submit<int>(pool, 1),
                       "libpool: submit needs the name lp_threads in CAF's "
                       "registry, which another actor has",
                       std::runtime_error);
  test::erase(system(), "lp_threads");
}

// -- the end of the actor system ----------------------------------------------

TEST_CASE_FIXTURE(world, "the end of the actor system makes all futures ready, "
                         "also of later requests and of workers that answer "
                         "later") {
  auto worker = system().spawn<scripted>(promising());
  auto direct = submit<int>(worker, 1);
  run();
  end_system();
  CHECK(failure_of(std::move(direct)) == errc::pool_closed);
  CHECK(failure_of(submit<int>(worker, 2)) == errc::pool_closed);
  CHECK(failure_of(submit<int>(worker, 3)) == errc::pool_closed);
  run();
  CHECK(promises.size() == 1); // the later ones were not sent
  deliver(0, 10);
  exit(worker);
}

TEST_CASE_FIXTURE(world, "while actors run that the actor system waits for, "
                         "the end of CAF's actor SpawnServ is not its end") {
  populate(1, promising());
  auto pending = submit<int>(pool, 1);
  run();
  system().await_actors_before_shutdown(true);
  end_system();
  CHECK_FALSE(is_ready(pending));
  deliver(0, 10);
  CHECK(pending.get() == 10);
  system().await_actors_before_shutdown(false);
}

TEST_CASE("a future outlives its actor system, also if a worker never "
          "answers") {
  std::future<int> pending;
  {
    test::hand_cranked world;
    world.leave_check_to_test();
    auto worker = world.system().spawn<scripted>([](scripted& self) {
      auto kept = std::make_shared<caf::response_promise>();
      return caf::behavior{[&self, kept](int) {
        *kept = self.make_response_promise();
        return *kept;
      }};
    });
    pending = submit<int>(worker, 1);
    world.run();
    CHECK_FALSE(is_ready(pending));
  }
  CHECK(failure_of(std::move(pending)) == errc::pool_closed);
}

} // namespace submitting_tests
