/// The tasks of a gather: their workers, their ends, and the memory of them.

#include "support/gather_world.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string>
#include <utility>

namespace managed_gather_tasks_tests {

using namespace std::chrono_literals;

using libpool::actor_pool;
using libpool::errc;
using libpool::gather_options;
using test::append;
using test::numbers;
using test::splitting;
using world = test::gather_world;
using does = world::does;

namespace {

/// Answers with its number, or with an error if that is below 0.
caf::behavior picky(test::scripted&) {
  return {[](int x) -> caf::result<int> {
    if (x < 0)
      return caf::make_error(caf::sec::invalid_argument);
    return x;
  }};
}

} // namespace

TEST_CASE_FIXTURE(
  world, "recycled collectors discard the results of the previous message") {
  gather_options how;
  how.ordered = true;
  how.join_what_came = true;
  make(splitting(*this, how), {});
  by_worker.push_back(system().spawn<test::scripted>(picky));
  put_by_request(by_worker[0]);
  for (auto i = 0; i < 2; ++i) {
    CHECK(client.ask(pool, numbers{1, 2, 3}).get<numbers>()
          == numbers{1, 2, 3});
    client->inbox.clear();
    CHECK(client.ask(pool, numbers{4, -5, 6}).get<numbers>() == numbers{4, 6});
    client->inbox.clear();
  }
}

TEST_CASE_FIXTURE(
  world, "recycled collectors discard the errors of the previous message") {
  make(actor_pool::first_success(2, queue()), {does::fail, does::fail});
  for (auto i = 0; i < 3; ++i) {
    CHECK(libpool::errors_in(client.ask(pool, 1).error()).size() == 2);
    client->inbox.clear();
  }
}

TEST_CASE_FIXTURE(world,
                  "a collector is reused once its last worker has answered") {
  make(actor_pool::first_success(2, queue()), {does::promise, does::answer});
  std::vector<caf::actor_addr> by;
  for (std::size_t i = 0; i < 6; ++i) {
    client.ask(pool, 1);
    by.push_back(client->inbox.back()->sender->address());
    client->inbox.clear();
    if (i % 2 == 0)
      keep(i, 1);
    else
      keep(i, caf::make_error(caf::sec::runtime_error));
    promises[i] = {};
  }
  for (auto& each : by)
    CHECK(each == by[0]);
}

TEST_CASE_FIXTURE(
  world,
  "results are joined when the promise for the remaining results is dropped") {
  gather_options how;
  how.join_what_came = true;
  make(splitting(*this, how), {does::promise, does::answer});
  auto number = client.request(pool, numbers{1, 2});
  run();
  CHECK_FALSE(client.answer_to(number).came());
  promises.clear();
  CHECK(client.answer_to(number).get<numbers>().size() == 1);
  CHECK(client.answer_to(number).count == 1);
}

TEST_CASE_FIXTURE(
  world,
  "a started task completes even if another worker has answered its message") {
  options.busy_until = libpool::busy_until::answer;
  make(actor_pool::hedged(10ms, 100, queue()), {does::promise, does::answer});
  client.request(pool, 1);
  run();
  advance(10ms);
  CHECK(workers_in_order() == numbers{0, 1});
  CHECK(books().open() == 1);
  keep(0, 1);
  CHECK(books().completed == 2);
}

TEST_CASE_FIXTURE(
  world, "a message that a worker sends to its collector is not an answer") {
  make(splitting(*this), {});
  by_worker.push_back(
    system().spawn<test::scripted>([](test::scripted& actor) -> caf::behavior {
      auto* self = &actor;
      return {[self](int x) {
        self->send(caf::actor_cast<caf::actor>(self->current_sender()), 99);
        return x;
      }};
    }));
  put_by_request(by_worker[0]);
  CHECK(client.ask(pool, numbers{1, 2}).get<numbers>() == numbers{1, 2});
}

TEST_CASE_FIXTURE(
  world, "a request that is dropped fails once if replies are intercepted") {
  options.on_crash = libpool::retry{1};
  make(splitting(*this), {does::promise});
  auto number = client.request(pool, numbers{1});
  run();
  promises.clear();
  CHECK(client.answer_to(number).count == 1);
  CHECK(client.answer_to(number).error() == errc::worker_failed);
  auto has_answered = text(client.answer_to(number)).find(") failed: ")
                      != std::string::npos;
  CHECK(has_answered == test::dropped_promises_answer);
}

TEST_CASE_FIXTURE(world, "a pool with the policy hedged sends no message to a "
                         "second worker while it drains") {
  options.busy_until = libpool::busy_until::answer;
  make(actor_pool::hedged(10ms, 100, queue()), {does::promise, does::answer});
  auto number = client.request(pool, 1);
  run();
  actor_pool::drain(pool);
  advance(10ms);
  CHECK(stats().hedged == 0);
  keep(0, 5);
  CHECK(client.answer_to(number).get<int>() == 5);
}

TEST_CASE_FIXTURE(
  world, "the policy hedged does not send a message to the same worker twice") {
  options.busy_until = libpool::busy_until::answer;
  options.window = 2;
  make(actor_pool::hedged(10ms, 100, queue()), {does::promise});
  client.request(pool, 1);
  run();
  advance(10ms);
  CHECK(stats().hedged == 0);
  CHECK(begun.size() == 1);
}

TEST_CASE_FIXTURE(world, "a worker that has answered an earlier message may "
                         "get a message in place of a terminated worker") {
  make(actor_pool::quorum<numbers>(2, 2, append, {}, {}, queue()),
       {does::answer, does::answer, does::answer});
  CHECK(client.ask(pool, 1).get<numbers>().size() == 2);
  auto number = client.request(pool, 2); // of the third, and another one
  kill(by_worker[2]);
  run();
  CHECK(client.answer_to(number).get<numbers>().size() == 2);
}

TEST_CASE_FIXTURE(world, "a pool that sends a request to several workers holds "
                         "no reference to the client after the answer") {
  make(actor_pool::first_success(2, queue()), {does::answer, does::answer});
  test::probe other{*this};
  caf::actor_cast<caf::abstract_actor*>(pool)->enqueue(
    libpool::make_element(other.pointer(), caf::make_message_id(1), 1),
    nullptr);
  run();
  CHECK(other.received() == 1);
  CHECK(other.pointer()->strong_refs == 2); // `other`, and that pointer
}

TEST_CASE_FIXTURE(world, "a pool that sends a request to several workers holds "
                         "no reference to the content after the answer") {
  make(actor_pool::first_success(1, queue()), {});
  by_worker.push_back(
    system().spawn<test::scripted>([](test::scripted&) -> caf::behavior {
      return {[](const caf::actor&) { return 1; }};
    }));
  put_by_request(by_worker[0]);
  test::probe other{*this};
  CHECK(client.ask(pool, other.handle()).came());
  CHECK(other.pointer()->strong_refs == 2);
}

TEST_CASE_FIXTURE(world, "a message that arrives while another message is "
                         "cancelled at its deadline is not cancelled") {
  options.when_empty = libpool::when_empty::wait;
  options.deadline = 10ms;
  make(splitting(*this), {});
  client.request(pool, numbers{1, 2});
  std::uint64_t second = 0;
  client->on_enqueue = [&](caf::mailbox_element&) {
    if (second == 0)
      second = client.request(pool, numbers{3, 4});
  };
  advance(10ms);
  REQUIRE(second != 0);
  CHECK_FALSE(client.answer_to(second).came());
  add(does::answer);
  run();
  CHECK(client.answer_to(second).get<numbers>() == numbers{3, 4});
}

TEST_CASE_FIXTURE(world, "first_success with retries asks another worker if an "
                         "asked worker leaves before its task starts") {
  options.on_crash = libpool::retry{1};
  make(actor_pool::first_success(2, queue()),
       {does::fail, does::answer, does::answer});
  auto number = client.request(pool, 1); // of the first two
  SUBCASE("a terminated worker") {
    kill(by_worker[1]);
  }
  SUBCASE("a worker that was removed") {
    client.request(pool, caf::sys_atom{}, caf::delete_atom{}, by_worker[1]);
  }
  run();
  CHECK(client.answer_to(number).count == 1);
  CHECK(client.answer_to(number).get<int>() == 201);
}

TEST_CASE_FIXTURE(world, "a message that has crashed one of two asked workers "
                         "is not sent to a third worker") {
  options.on_crash = libpool::retry{1};
  make(actor_pool::first_success(2, queue()),
       {does::crash, does::promise, does::answer});
  client.request(pool, 1);
  run();
  auto asked = workers_in_order();
  CHECK(std::count(asked.begin(), asked.end(), 2) == 0);
}

TEST_CASE_FIXTURE(
  world, "broadcast_all fails if a worker crashes, even with retries") {
  options.on_crash = libpool::retry{1};
  make(actor_pool::broadcast_all<numbers>(append, {}, {}, queue()),
       {does::answer, does::crash});
  CHECK(client.ask(pool, 1).error() == errc::worker_crashed);
}

TEST_CASE_FIXTURE(
  world, "first_success asks the least recently asked of equal workers") {
  make(actor_pool::first_success(2, queue()),
       {does::answer, does::answer, does::answer, does::answer});
  client.ask(pool, 1);
  client.ask(pool, 2);
  REQUIRE(begun.size() == 2);
  CHECK(begun[0].first / 2 != begun[1].first / 2);
}

TEST_CASE_FIXTURE(
  world,
  "a worker that has left is replaced by the worker with the fewest tasks") {
  make(actor_pool::first_success(2, queue()),
       {does::fail, does::answer, does::answer, does::answer, does::answer});
  client.request(pool, 1); // of 0 and 1
  client.request(pool, 2); // of 2 and 3
  kill(by_worker[1]);
  run();
  CHECK(std::count(begun.begin(), begun.end(), std::pair{4, 1}) == 1);
}

TEST_CASE_FIXTURE(
  world, "the reason of a refusal does not appear in the next refusal") {
  libpool::rank_options ranks; // without on_settled, tasks keep less
  ranks.priority_of = [](const libpool::message_content& content) {
    if (content.get_as<int>(0) == 13)
      throw std::runtime_error{"unlucky"};
    return 0;
  };
  auto split = [](caf::message& message) -> libpool::message_parts {
    if (message.get_as<int>(0) == 0)
      throw std::runtime_error{"nothing to split"};
    return {message};
  };
  auto own = actor_pool::make(
    system(), actor_pool::managed_split_join<numbers>(
                append, split, {}, {}, actor_pool::priority(ranks)));
  client.ask(own, caf::sys_atom{}, caf::put_atom{},
             system().spawn<test::scripted>(picky));
  auto first = client.ask(own, 0);
  CHECK(text(first).find("nothing to split") != std::string::npos);
  auto second = client.ask(own, 13);
  CHECK(second.error() == errc::policy_failed);
  CHECK(text(second).find("nothing to split") == std::string::npos);
  exit(own, caf::exit_reason::user_shutdown);
}

TEST_CASE_FIXTURE(
  world, "the parts of a split message have the priority of the message") {
  std::vector<bool> urgent;
  make(splitting(*this), {});
  by_worker.push_back(
    system().spawn<test::scripted>([&](test::scripted& actor) -> caf::behavior {
      auto* self = &actor;
      return {[&urgent, self](int x) {
        urgent.push_back(self->current_mailbox_element()->is_high_priority());
        return x;
      }};
    }));
  put_by_request(by_worker[0]);
  run();
  caf::actor_cast<caf::abstract_actor*>(pool)->enqueue(
    libpool::make_element(client.pointer(),
                          caf::make_message_id<caf::message_priority::high>(50),
                          numbers{1}),
    nullptr);
  run();
  client.ask(pool, numbers{2});
  CHECK(urgent == std::vector<bool>{true, false});
}

TEST_CASE_FIXTURE(
  world, "a hedged message that waits goes to the first worker that is free") {
  options.busy_until = libpool::busy_until::answer;
  options.window = 1;
  make(actor_pool::hedged(10ms, 100, queue()), {does::promise, does::promise});
  for (auto x = 1; x <= 3; ++x)
    client.request(pool, x);
  run();
  CHECK(workers_in_order() == numbers{0, 1});
  keep(1, 5);
  CHECK(workers_in_order() == numbers{0, 1, 1});
}

TEST_CASE_FIXTURE(
  world, "a message that waits for a busy worker fails when the pool ends") {
  options.busy_until = libpool::busy_until::answer;
  options.window = 1;
  make(actor_pool::broadcast_all<numbers>(append, {}, {}, queue()),
       {does::promise});
  client.request(pool, 1);
  auto number = client.request(pool, 2); // waits
  run();
  exit(pool, caf::exit_reason::user_shutdown);
  run();
  CHECK(client.answer_to(number).count == 1);
  CHECK(client.answer_to(number).error() == errc::pool_closed);
}

TEST_CASE_FIXTURE(world,
                  "on_settled gets the client with each task of a gather") {
  make(actor_pool::first_success(2, queue()), {does::answer, does::answer});
  std::size_t theirs = 0;
  on_settled = [&](const libpool::settled_task& settled) {
    theirs += settled.client == client.pointer() ? std::size_t{1} : 0;
  };
  client.ask(pool, 1);
  CHECK(theirs == 2);
  on_settled = nullptr;
}

TEST_CASE_FIXTURE(
  world, "an ordered join adds results that came after a missing one") {
  gather_options how;
  how.ordered = true;
  how.join_what_came = true;
  how.timeout = 10ms;
  make(splitting(*this, how), {does::promise, does::answer});
  auto number = client.request(pool, numbers{1, 2});
  run();
  REQUIRE(workers_in_order().size() == 2);
  advance(10ms);
  CHECK(client.answer_to(number).get<numbers>().size() == 1);
}

TEST_CASE_FIXTURE(world,
                  "an empty answer counts, and adds nothing to the result") {
  make(actor_pool::broadcast_all<numbers>(append, {}, {}, queue()),
       {does::answer});
  by_worker.push_back(system().spawn<test::scripted>(
    [](test::scripted&) -> caf::behavior { return {[](int) { /* done */ }}; }));
  put_by_request(by_worker[1]);
  run();
  CHECK(client.ask(pool, 1).get<numbers>() == numbers{1});
}

TEST_CASE_FIXTURE(world,
                  "a message that an outer pool has taken back is not split") {
  make(splitting(*this), {does::answer});
  held_elsewhere = true;
  libpool::managed_options lasting;
  lasting.when_empty = libpool::when_empty::wait;
  auto outer = actor_pool::make(system(), actor_pool::shared_queue(lasting));
  CHECK(client.ask(outer, caf::sys_atom{}, caf::put_atom{}, pool).is_empty());
  std::uint64_t number = 0;
  auto done = false;
  client->on_enqueue = [&](caf::mailbox_element&) {
    if (std::exchange(done, true))
      return;
    number = client.request(outer, numbers{7}); // while the pool handles
    client.request(outer, caf::sys_atom{}, caf::delete_atom{});
  };
  client.request(pool, caf::sys_atom{}, caf::get_atom{});
  run();
  REQUIRE(number != 0);
  CHECK(begun.empty());
  CHECK(stats().gathered == 0);
  client.ask(outer, caf::sys_atom{}, caf::put_atom{}, pool);
  CHECK(client.answer_to(number).get<numbers>() == numbers{7});
  client.ask(outer, caf::sys_atom{}, caf::delete_atom{});
  caf::anon_send_exit(outer, caf::exit_reason::user_shutdown);
  run();
}

} // namespace managed_gather_tasks_tests
