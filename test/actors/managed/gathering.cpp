#include "support/gather_world.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>

namespace managed_gathering_tests {

using namespace std::chrono_literals;

using libpool::actor_pool;
using libpool::errc;
using libpool::gather_options;
using test::append;
using test::numbers;
using test::one_each;
using test::splitting;
using world = test::gather_world;
using does = world::does;

namespace {

numbers sorted(numbers values) {
  std::sort(values.begin(), values.end());
  return values;
}

} // namespace

// -- split_join ---------------------------------------------------------------

TEST_CASE_FIXTURE(world,
                  "a message may have more parts than the pool has workers") {
  make(splitting(*this), {does::answer, does::answer});
  auto answer = client.ask(pool, numbers{1, 2, 3, 4, 5});
  CHECK(answer.count == 1);
  CHECK(answer.get<numbers>().size() == 5);
  CHECK(begun.size() == 5);
  CHECK(books().completed == 5);
  CHECK(stats().gathered == 1);
}

TEST_CASE(
  "results are joined in the order of the parts if the options say so") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    world w{seed};
    gather_options options;
    options.ordered = true;
    w.make(splitting(w, options), {does::answer, does::answer, does::answer});
    auto answer = w.client.ask(w.pool, numbers{1, 2, 3, 4, 5, 6, 7});
    auto result = answer.get<numbers>();
    for (auto& each : result)
      each %= 100;
    CHECK(result == numbers{1, 2, 3, 4, 5, 6, 7});
  }
}

TEST_CASE_FIXTURE(world, "an ordered join skips failed parts, and keeps the "
                         "order of the other results") {
  gather_options how;
  how.ordered = true;
  how.join_what_came = true;
  make(splitting(*this, how), {does::fail, does::promise, does::promise});
  auto number = client.request(pool, numbers{1, 2, 3});
  run();
  REQUIRE(promises.size() == 2);
  auto first = begun.at(1).second < begun.at(2).second ? 0U : 1U;
  keep(1 - first, 33);
  CHECK_FALSE(client.answer_to(number).came());
  keep(first, 22);
  CHECK(client.answer_to(number).get<numbers>() == numbers{22, 33});
}

TEST_CASE_FIXTURE(
  world, "successive split messages are joined by the same collector actor") {
  make(splitting(*this), {does::answer});
  std::vector<caf::actor_addr> by;
  for (auto i = 0; i < 3; ++i) {
    client.ask(pool, numbers{1, 2});
    by.push_back(client->inbox.back()->sender->address());
    client->inbox.clear();
  }
  CHECK(by[0] == by[1]);
  CHECK(by[1] == by[2]);
}

TEST_CASE_FIXTURE(
  world, "the results of concurrent split messages are joined separately") {
  make(splitting(*this), {does::answer, does::answer});
  auto first = client.request(pool, numbers{1, 2, 3});
  auto second = client.request(pool, numbers{4, 5});
  run();
  auto ones = [](numbers values) {
    for (auto& each : values)
      each %= 100;
    return sorted(values);
  };
  CHECK(ones(client.answer_to(first).get<numbers>()) == numbers{1, 2, 3});
  CHECK(ones(client.answer_to(second).get<numbers>()) == numbers{4, 5});
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

TEST_CASE_FIXTURE(
  world,
  "a request is answered once with an error if a worker crashes on a part") {
  make(splitting(*this), {does::crash, does::answer});
  auto answer = client.ask(pool, numbers{1, 2, 3});
  CHECK(answer.count == 1);
  CHECK(answer.error());
  CHECK(books().failed == 1);
}

TEST_CASE_FIXTURE(
  world, "a part whose worker has crashed is retried if on_crash is retry") {
  options.on_crash = libpool::retry{2};
  make(splitting(*this), {does::crash, does::answer});
  auto answer = client.ask(pool, numbers{1, 2, 3});
  CHECK(answer.count == 1);
  CHECK(answer.get<numbers>().size() == 3);
}

TEST_CASE_FIXTURE(world, "a split request fails exactly once, with no_workers, "
                         "if the workers of all parts terminate") {
  make(splitting(*this), {does::answer, does::answer});
  auto number = client.request(pool, numbers{1, 2, 3});
  for (auto& each : by_worker)
    kill(each);
  run();
  CHECK(client.answer_to(number).count == 1);
  CHECK(client.answer_to(number).error() == errc::no_workers);
}

TEST_CASE_FIXTURE(
  world,
  "if split throws or returns no parts, the error states this as the reason") {
  auto nothing = [](caf::message&) { return libpool::message_parts{}; };
  auto empty = [](caf::message&) { return libpool::message_parts(3); };
  auto bad = [](caf::message&) -> libpool::message_parts {
    throw std::runtime_error{"cannot split"};
  };
  std::string said;
  SUBCASE("no parts") {
    make(
      actor_pool::managed_split_join<numbers>(append, nothing, {}, {}, queue()),
      {does::answer});
    said = "split: must return at least 1 part, got none";
  }
  SUBCASE("empty parts") {
    make(
      actor_pool::managed_split_join<numbers>(append, empty, {}, {}, queue()),
      {does::answer});
    said = "split: must return at least 1 part, got none";
  }
  SUBCASE("an exception") {
    make(actor_pool::managed_split_join<numbers>(append, bad, {}, {}, queue()),
         {does::answer});
    said = "cannot split";
  }
  auto answer = client.ask(pool, numbers{1});
  CHECK(answer.count == 1);
  CHECK(answer.error() == errc::policy_failed);
  CHECK(text(answer).find(said) != std::string::npos);
  CHECK(books().refused == 1);
}

TEST_CASE_FIXTURE(world, "on_refused gets the whole message if split throws") {
  auto bad = [](caf::message&) -> libpool::message_parts { throw 42; };
  numbers back;
  libpool::pool_options about;
  about.on_refused = [&](libpool::refusal& refusal) {
    CHECK(refusal.reason == errc::policy_failed);
    back = refusal.content.get_as<numbers>(0);
  };
  pool = actor_pool::make(
    system(),
    actor_pool::managed_split_join<numbers>(append, bad, {}, {}, queue()),
    about);
  add(does::answer);
  client.send(pool, numbers{7, 8});
  run();
  CHECK(back == numbers{7, 8});
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

TEST_CASE_FIXTURE(world,
                  "a message that was split fails when its timeout passes") {
  gather_options within;
  within.timeout = 10ms;
  SUBCASE("with an error") {
    make(splitting(*this, within), {does::promise, does::answer});
    auto number = client.request(pool, numbers{1, 2});
    run();
    advance(9ms);
    CHECK_FALSE(client.answer_to(number).came());
    advance(1ms);
    CHECK(client.answer_to(number).error() == errc::timeout);
  }
  SUBCASE("with the results received so far") {
    within.join_what_came = true;
    make(splitting(*this, within), {does::promise, does::answer});
    auto number = client.request(pool, numbers{1, 2});
    run();
    advance(10ms);
    CHECK(client.answer_to(number).get<numbers>().size() == 1);
    CHECK(client.answer_to(number).count == 1);
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
  CHECK_FALSE(client.answer_to(slow).came());
  run();
  CHECK(client.answer_to(slow).get<numbers>() == numbers{2});
}

TEST_CASE_FIXTURE(world,
                  "a deadline of the pool ends a message that was split") {
  options.deadline = 10ms;
  options.busy_until = libpool::busy_until::answer;
  make(splitting(*this), {does::promise});
  auto number = client.request(pool, numbers{1, 2});
  run();
  advance(10ms);
  CHECK(client.answer_to(number).count == 1);
  CHECK(client.answer_to(number).error() == errc::deadline_exceeded);
  CHECK(begun.size() == 1);
}

TEST_CASE_FIXTURE(
  world, "a request fails if the worker drops its promise for a part") {
  make(splitting(*this), {does::promise});
  auto number = client.request(pool, numbers{1});
  run();
  CHECK_FALSE(client.answer_to(number).came());
  promises.clear();
  CHECK(client.answer_to(number).error() == errc::worker_failed);
  CHECK(client.answer_to(number).count == 1);
}

TEST_CASE_FIXTURE(world, "parts that have not started are cancelled when their "
                         "client has terminated") {
  make(splitting(*this), {does::answer});
  {
    test::probe hasty{*this};
    hasty.request(pool, numbers{1, 2, 3});
    hasty.die();
  }
  run();
  CHECK(begun.size() <= 1);
  CHECK(books().cancelled >= 2);
}

TEST_CASE_FIXTURE(world, "a message fails with queue_full if the pool has no "
                         "room for all of its parts") {
  options.capacity = 2;
  make(splitting(*this), {does::answer});
  auto number = client.request(pool, numbers{1, 2, 3, 4, 5, 6});
  run();
  CHECK(client.answer_to(number).count == 1);
  CHECK(client.answer_to(number).error() == errc::queue_full);
  CHECK(begun.size() <= 1);
  CHECK(client.ask(pool, numbers{1, 2}).get<numbers>().size() == 2);
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
  run();
  CHECK(client.answer_to(number).get<numbers>() == numbers{5});
  CHECK(open() == 0);
  CHECK(actor_pool::stats(outer).tasks.completed == 1);
  CHECK(client.ask(outer, caf::sys_atom{}, caf::delete_atom{}).is_empty());
  caf::anon_send_exit(outer, caf::exit_reason::user_shutdown);
  run();
}

TEST_CASE_FIXTURE(world,
                  "pools that gather and contain each other refuse messages") {
  held_elsewhere = true;
  auto whole = [](caf::message& message) {
    return libpool::message_parts{message};
  };
  auto how = actor_pool::managed_split_join<numbers>(append, whole, {}, {},
                                                     queue());
  pool = actor_pool::make(system(), how);
  auto other = actor_pool::make(
    system(), actor_pool::managed_split_join<numbers>(append, whole));
  put_by_request(other);
  CHECK(client.ask(other, caf::sys_atom{}, caf::put_atom{}, pool).is_empty());
  auto answer = client.ask(pool, 1);
  CHECK(answer.count == 1);
  CHECK(text(answer).find("contains itself") != std::string::npos);
  CHECK(client.ask(other, caf::sys_atom{}, caf::delete_atom{}).is_empty());
  caf::anon_send_exit(other, caf::exit_reason::user_shutdown);
  run();
}

TEST_CASE_FIXTURE(world,
                  "a draining pool finishes the messages that it has split") {
  make(splitting(*this), {does::answer});
  auto number = client.request(pool, numbers{1, 2, 3});
  actor_pool::drain(pool);
  auto late = client.request(pool, numbers{4});
  run();
  CHECK(client.answer_to(number).get<numbers>() == numbers{1, 2, 3});
  CHECK(client.answer_to(late).error() == errc::pool_closed);
}

TEST_CASE_FIXTURE(world,
                  "a pool that ends answers the messages that it has split") {
  make(splitting(*this), {does::answer});
  auto number = client.request(pool, numbers{1, 2, 3});
  exit(pool, caf::exit_reason::user_shutdown);
  run();
  CHECK(client.answer_to(number).count == 1);
}

TEST_CASE(
  "making a policy that joins several results throws if an option is invalid") {
  gather_options wrong;
  wrong.timeout = 0ns;
  CHECK_THROWS_AS(
    actor_pool::managed_split_join<numbers>(append, one_each, {}, wrong),
    std::invalid_argument);
  CHECK_THROWS_AS(actor_pool::first_success(0), std::invalid_argument);
  CHECK_THROWS_AS(actor_pool::quorum(2, 3), std::invalid_argument);
  CHECK_THROWS_AS(actor_pool::quorum(2, 0), std::invalid_argument);
  CHECK_THROWS_AS(actor_pool::hedged(0ns), std::invalid_argument);
  CHECK_THROWS_AS(actor_pool::hedged(1ms, 0), std::invalid_argument);
  CHECK_THROWS_AS(actor_pool::hedged(1ms, 101), std::invalid_argument);
  CHECK_THROWS_AS(actor_pool::hedged(libpool::percentile{100}),
                  std::invalid_argument);
  CHECK_THROWS_AS(actor_pool::first_success(2, actor_pool::random()),
                  std::invalid_argument);
  CHECK_THROWS_AS(actor_pool::first_success(2, actor_pool::first_success(2)),
                  std::invalid_argument);
}

} // namespace managed_gathering_tests
