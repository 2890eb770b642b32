#include "support/crew_world.hpp"

#include <chrono>

namespace managed_gathering_tests {

using namespace std::chrono_literals;

using libpool::actor_pool;
using libpool::errc;
using libpool::gather_options;
using test::append;
using test::numbers;
using test::one_each;
using test::splitting;
using world = test::crew_world;
using does = world::does;

TEST_CASE_FIXTURE(world,
                  "a message may have more parts than the pool has workers") {
  make(splitting(*this), {does::answer, does::answer});
  auto number = request(numbers{1, 2, 3, 4, 5});
  CHECK(result_of<numbers>(number).size() == 5);
  CHECK(begun.size() == 5);
  CHECK(books().completed == 5);
  CHECK(stats().gathered == 1);
}

TEST_CASE(
  "results are joined in the order of the parts if the options say so") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    world w{seed};
    w.make(splitting(w, test::ordered),
           {does::answer, does::answer, does::answer});
    auto result =
      w.client.ask(w.pool, numbers{1, 2, 3, 4, 5, 6, 7}).get<numbers>();
    for (auto& each : result)
      each %= 100;
    CHECK(result == numbers{1, 2, 3, 4, 5, 6, 7});
  }
}

TEST_CASE_FIXTURE(world, "a split message fails when one part fails, and parts "
                         "that have not started are cancelled") {
  make(splitting(*this), {does::fail});
  auto answer = client.ask(pool, numbers{1, 2, 3, 4});
  CHECK(answer.count == 1);
  CHECK(answer.error() == errc::worker_failed);
  CHECK(text(answer).find(test::name_of(by_worker[0])) != std::string::npos);
  CHECK(text(answer).find("invalid_argument") != std::string::npos);
  CHECK(begun.size() == 1);
  CHECK(books().cancelled == 3);
}

TEST_CASE("a part whose worker has crashed fails its message, and is retried "
          "if on_crash is retry") {
  for (auto retries : {false, true}) {
    CAPTURE(retries);
    world w;
    if (retries)
      w.options.on_crash = libpool::retry{2};
    w.make(splitting(w), {does::crash, does::answer});
    auto number = w.request(numbers{1, 2, 3});
    CHECK(w.result_of<numbers>(number).size() == (retries ? 3 : 0));
    CHECK(!w.error_of(number) == retries);
  }
}

TEST_CASE_FIXTURE(
  world,
  "if split throws or returns no parts, the error states this as the reason, "
  "and on_refused gets the whole message") {
  std::function<libpool::message_parts(caf::message&)> split;
  std::string said = "split: must return at least 1 part, got none";
  SUBCASE("no parts") {
    split = [](caf::message&) { return libpool::message_parts{}; };
  }
  SUBCASE("empty parts") {
    split = [](caf::message&) { return libpool::message_parts(3); };
  }
  SUBCASE("an exception") {
    split = [](caf::message&) -> libpool::message_parts {
      throw std::runtime_error{"cannot split"};
    };
    said = "cannot split";
  }
  SUBCASE("an exception of any type") {
    split = [](caf::message&) -> libpool::message_parts { throw 42; };
    said = "";
  }
  pool = actor_pool::make(
    system(),
    actor_pool::managed_split_join<numbers>(append, split, {}, {}, queue()),
    noting_refusals());
  add(does::answer);
  auto answer = client.ask(pool, numbers{1});
  CHECK(answer.count == 1);
  CHECK(answer.error() == errc::policy_failed);
  CHECK(text(answer).find(said) != std::string::npos);
  CHECK(books().refused == 1);
  client.send(pool, numbers{7, 8});
  REQUIRE(refusals.size() == 1);
  CHECK(refusals[0].reason == errc::policy_failed);
  CHECK(refusals[0].content.get_as<numbers>(0) == numbers{7, 8});
}

TEST_CASE_FIXTURE(world, "if a join function throws, the message fails, and "
                         "parts that have not started are cancelled") {
  auto bad = [](numbers&, caf::message&) {
    throw std::runtime_error{"cannot join"};
  };
  make(actor_pool::managed_split_join<numbers>(bad, one_each, {}, {}, queue()),
       {does::answer});
  auto answer = client.ask(pool, numbers{1, 2, 3});
  CHECK(answer.count == 1);
  CHECK(answer.error() == errc::policy_failed);
  CHECK(text(answer).find("cannot join") != std::string::npos);
  CHECK(begun.size() == 1);
}

TEST_CASE("a message that was split fails when its timeout passes, or is "
          "answered with the results received so far") {
  for (auto how :
       {gather_options{}, test::what_came, test::ordered_what_came}) {
    CAPTURE(how.join_what_came);
    CAPTURE(how.ordered);
    world w;
    how.timeout = 10ms;
    w.make(splitting(w, how), {does::promise, does::answer});
    auto number = w.request(numbers{1, 2});
    w.advance(9ms);
    CHECK_FALSE(w.is_answered(number));
    w.advance(1ms);
    if (how.join_what_came)
      CHECK(w.result_of<numbers>(number).size() == 1);
    else
      CHECK(w.error_of(number) == errc::timeout);
  }
}

TEST_CASE_FIXTURE(world,
                  "the timer of an earlier message does not end a later one") {
  gather_options within;
  within.timeout = 10ms;
  make(splitting(*this, within), {does::answer});
  CHECK(client.ask(pool, numbers{1}).get<numbers>() == numbers{1});
  pass(5ms);
  auto slow = client.request(pool, numbers{2}); // by the same collector
  pass(5ms);
  CHECK_FALSE(is_answered(slow));
  run();
  CHECK(result_of<numbers>(slow) == numbers{2});
}

TEST_CASE("a part fails if its worker drops the promise for it") {
  for (auto intercepted : {false, true})
    for (const auto& how : {gather_options{}, test::what_came}) {
      CAPTURE(intercepted);
      CAPTURE(how.join_what_came);
      world w;
      if (intercepted)
        w.options.on_crash = libpool::retry{1};
      w.make(splitting(w, how), {does::promise, does::answer});
      auto number = w.request(numbers{1, 2});
      CHECK_FALSE(w.is_answered(number));
      w.promises.clear();
      if (how.join_what_came) {
        CHECK(w.result_of<numbers>(number).size() == 1);
        continue;
      }
      CHECK(w.error_of(number) == errc::worker_failed);
      auto text = w.text(w.client.answer_to(number));
      if (intercepted)
        CHECK((text.find(") failed: ") != std::string::npos)
              == test::dropped_promises_answer);
    }
}

TEST_CASE_FIXTURE(world, "when a client has terminated, parts of its request "
                         "that have not started are cancelled, and parts of "
                         "its asynchronous message are handled") {
  make(splitting(*this), {does::answer});
  test::probe hasty{*this};
  SUBCASE("a request") {
    hasty.request(pool, numbers{1, 2, 3});
    hasty.die();
    run();
    CHECK(begun.size() <= 1);
    CHECK(books().cancelled >= 2);
  }
  SUBCASE("an asynchronous message") {
    hasty.send(pool, numbers{1, 2, 3});
    hasty.die();
    run();
    CHECK(begun.size() == 3);
  }
}

TEST_CASE_FIXTURE(world, "a message with more parts than the pool can ever "
                         "hold is refused with both numbers and without a time "
                         "for another try") {
  options.capacity = 2;
  make(splitting(*this), {does::answer, does::answer});
  auto answer = client.ask(pool, numbers{1, 2, 3, 4, 5});
  CHECK(answer.error() == errc::too_many_parts);
  CHECK(says(answer,
             "5 parts, but the capacity is 2, and the workers have 2 places"));
  CHECK_FALSE(libpool::retry_after(answer.error()));
  CHECK(begun.empty());
  CHECK(stats().refusals[errc::too_many_parts] == 1);
}

TEST_CASE_FIXTURE(world, "a message with as many parts as the pool can hold is "
                         "accepted whenever the pool is idle") {
  options.capacity = 2;
  make(splitting(*this), {does::answer, does::answer});
  for (auto i = 0; i < 3; ++i)
    CHECK(client.ask(pool, numbers{1, 2, 3, 4}).get<numbers>().size() == 4);
}

TEST_CASE_FIXTURE(world, "a message that the pool can hold is refused with "
                         "queue_full while other messages take its places") {
  options.capacity = 2;
  options.busy_until = libpool::busy_until::answer;
  make(splitting(*this), {does::promise});
  auto first = request(numbers{1, 2, 3});
  auto second = request(numbers{4, 5});
  CHECK(error_of(second) == errc::queue_full);
  keep(0, 5);
  CHECK_FALSE(client.answer_to(first).came());
}

TEST_CASE_FIXTURE(world,
                  "an asynchronous message gets a result, and no error") {
  make(splitting(*this), {does::answer, does::fail});
  client->inbox.clear();
  client.send(pool, numbers{1});
  run();
  REQUIRE(client.received() == 1);
  CHECK(libpool::content_of(*client->inbox[0]).get_as<numbers>(0)
        == numbers{1});
  client.send(pool, numbers{1, 2});
  run();
  CHECK(client.received() == 1);
}

TEST_CASE_FIXTURE(world,
                  "a pool that gathers may be a worker of another pool") {
  make(splitting(*this), {does::promise});
  auto outer = actor_pool::make(
    system(), 1, [&] { return pool; }, actor_pool::shared_queue());
  auto number = client.request(outer, numbers{1});
  run();
  auto open = [&] { return actor_pool::stats(outer).tasks.open(); };
  CHECK(open() == 1); // until it is answered, not only until it is split
  keep(0, 5);
  CHECK(result_of<numbers>(number) == numbers{5});
  CHECK(open() == 0);
  CHECK(actor_pool::stats(outer).tasks.completed == 1);
  client.ask(outer, caf::sys_atom{}, caf::delete_atom{});
  exit(outer);
}

TEST_CASE_FIXTURE(
  world, "a pool that ends with many open gathers answers each request once") {
  options.when_empty = libpool::when_empty::wait;
  make(splitting(*this));
  for (int i = 0; i < 1500; ++i)
    client.request(pool, numbers{1, 2});
  run();
  exit(pool);
  run();
  for (std::uint64_t i = 1; i <= 1500; i += 100)
    CHECK(error_of(i) == errc::pool_closed);
}

TEST_CASE("making a policy that joins several results throws if an option or "
          "the underlying policy is invalid") {
  gather_options wrong;
  wrong.timeout = 0ns;
  CHECK_THROWS_AS(
    actor_pool::managed_split_join<numbers>(append, one_each, {}, wrong),
    std::invalid_argument);
  CHECK_THROWS_AS(actor_pool::quorum(2, 3), std::invalid_argument);
  CHECK_THROWS_AS(actor_pool::hedged(1ms, 101), std::invalid_argument);
  for (const auto& under : {actor_pool::random(), actor_pool::first_success(2)})
    CHECK_THROWS_AS(actor_pool::first_success(2, under), std::invalid_argument);
}

} // namespace managed_gathering_tests
