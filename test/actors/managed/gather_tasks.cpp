/// The tasks of a gather: their workers, their ends, and the memory of them.

#include "support/crew_world.hpp"

#include <algorithm>
#include <chrono>

namespace managed_gather_tasks_tests {

using namespace std::chrono_literals;

using libpool::actor_pool;
using libpool::errc;
using test::append;
using test::numbers;
using test::scripted;
using test::splitting;
using does = test::crew_world::does;

namespace {

struct world : test::crew_world {
  libpool::policy everybody() const {
    return actor_pool::broadcast_all<numbers>(append, {}, {}, queue());
  }

  /// A pool that has each message handled as a whole.
  void make_whole() {
    auto ignore = [](int&, caf::message&) {};
    auto whole = [](caf::message& message) {
      return libpool::message_parts{message};
    };
    make(actor_pool::managed_split_join<int>(ignore, whole, 0, test::ordered,
                                             queue()));
  }
};

/// Answers with its number, or with an error if that is below 0.
caf::behavior picky(scripted&) {
  return {[](int x) -> caf::result<int> {
    if (x < 0)
      return caf::make_error(caf::sec::invalid_argument);
    return x;
  }};
}

} // namespace

// -- collectors ---------------------------------------------------------------

TEST_CASE_FIXTURE(world, "recycled collectors discard the results and the "
                         "errors of the previous message") {
  make(splitting(*this, test::ordered_what_came));
  add(picky);
  for (auto i = 0; i < 2; ++i) {
    CHECK(client.ask(pool, numbers{1, 2, 3}).get<numbers>()
          == numbers{1, 2, 3});
    CHECK(client.ask(pool, numbers{4, -5, 6}).get<numbers>() == numbers{4, 6});
    CHECK(libpool::errors_in(client.ask(pool, numbers{-7, -8}).error()).size()
          == 2);
    client->inbox.clear();
  }
}

TEST_CASE_FIXTURE(world,
                  "a collector is reused once its last worker has answered, "
                  "even if a client keeps an earlier answer") {
  make(actor_pool::first_success(2, queue()), {does::promise, does::answer});
  client.ask(pool, 1);
  keep(0, 1);
  auto kept = std::move(client->inbox); // e.g. by an actor that logs
  client->inbox.clear();
  std::vector<caf::actor_addr> by;
  for (std::size_t i = 1; i < 6; ++i) {
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
  world, "a message that a worker sends to its collector is not an answer") {
  make(splitting(*this));
  add([](scripted& self) -> caf::behavior {
    return {[&self](int x) {
      self.send(caf::actor_cast<caf::actor>(self.current_sender()), 99);
      return x;
    }};
  });
  CHECK(client.ask(pool, numbers{1, 2}).get<numbers>() == numbers{1, 2});
}

TEST_CASE_FIXTURE(world, "a pool that sends a request to several workers holds "
                         "no reference to the client, to the content or to a "
                         "result after the answer") {
  test::probe other{*this};
  SUBCASE("the client") {
    make(actor_pool::first_success(2, queue()), {does::answer, does::answer});
    other.request(pool, 1);
    run();
    CHECK(other.received() == 1);
  }
  SUBCASE("the content") {
    make(actor_pool::first_success(1, queue()));
    add([](scripted&) -> caf::behavior {
      return {[](const caf::actor&) { return 1; }};
    });
    CHECK(client.ask(pool, other.handle()).came());
  }
  SUBCASE("the result") {
    make_whole();
    auto result = std::make_shared<caf::actor>(other.handle());
    add([result](scripted&) -> caf::behavior {
      return {[result](int) { return std::exchange(*result, nullptr); }};
    });
    CHECK(client.ask(pool, 1).came());
  }
  CHECK(other.pointer()->strong_refs == 2); // `other`, and that pointer
}

TEST_CASE_FIXTURE(
  world, "a result that refers to the pool does not keep the pool alive") {
  make_whole();
  add([](scripted&) -> caf::behavior {
    return {
      [](const caf::actor& x) { return x; }}; // the worker to ask next time
  });
  CHECK(client.ask(pool, pool).came());
  caf::actor_addr address = pool.address();
  client->inbox.clear();
  pool = nullptr;
  run();
  CHECK(caf::actor_cast<caf::strong_actor_ptr>(address) == nullptr);
}

// -- the workers of tasks -----------------------------------------------------

TEST_CASE_FIXTURE(world, "a worker that has answered an earlier message may "
                         "get a message in place of a terminated worker") {
  make(actor_pool::quorum<numbers>(2, 2, append, {}, {}, queue()),
       {does::answer, does::answer, does::answer});
  CHECK(client.ask(pool, 1).get<numbers>().size() == 2);
  auto number = client.request(pool, 2); // of the third, and another one
  kill(by_worker[2]);
  run();
  CHECK(result_of<numbers>(number).size() == 2);
}

TEST_CASE_FIXTURE(world, "a message that has crashed one of the asked workers "
                         "is not sent to a further worker, even with retries") {
  options.on_crash = libpool::retry{1};
  SUBCASE("first_success") {
    make(actor_pool::first_success(2, queue()),
         {does::crash, does::promise, does::answer});
    request(1);
    auto asked = workers_in_order();
    CHECK(std::count(asked.begin(), asked.end(), 2) == 0);
  }
  SUBCASE("broadcast_all") {
    make(everybody(), {does::answer, does::crash});
    CHECK(client.ask(pool, 1).error() == errc::worker_crashed);
  }
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

// -- ends ---------------------------------------------------------------------

TEST_CASE_FIXTURE(world, "a message that arrives while another message is "
                         "cancelled at its deadline is not cancelled") {
  options.when_empty = libpool::when_empty::wait;
  options.deadline = 10ms;
  make(splitting(*this));
  client.request(pool, numbers{1, 2});
  std::uint64_t second = 0;
  client->on_enqueue = [&](caf::mailbox_element&) {
    if (second == 0)
      second = client.request(pool, numbers{3, 4});
  };
  advance(10ms);
  REQUIRE(second != 0);
  CHECK_FALSE(is_answered(second));
  add(does::answer);
  run();
  CHECK(result_of<numbers>(second) == numbers{3, 4});
}

TEST_CASE_FIXTURE(
  world, "the reason of a refusal does not appear in the next refusal") {
  libpool::rank_options ranks; // without on_settled, tasks keep less
  ranks.priority_of = [](const libpool::message_content& content) {
    return content.get_as<int>(0) == 13 ? throw std::runtime_error{"unlucky"}
                                        : 0;
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
             system().spawn<scripted>(picky));
  auto first = client.ask(own, 0);
  CHECK(text(first).find("nothing to split") != std::string::npos);
  auto second = client.ask(own, 13);
  CHECK(second.error() == errc::policy_failed);
  CHECK(text(second).find("nothing to split") == std::string::npos);
  exit(own);
}

TEST_CASE_FIXTURE(
  world, "the parts of a split message have the priority of the message") {
  std::vector<bool> urgent;
  make(splitting(*this));
  add([&](scripted& self) -> caf::behavior {
    return {[&](int x) {
      urgent.push_back(self.current_mailbox_element()->is_high_priority());
      return x;
    }};
  });
  run();
  request_urgent(50, numbers{1});
  run();
  client.ask(pool, numbers{2});
  CHECK(urgent == std::vector<bool>{true, false});
}

TEST_CASE_FIXTURE(world, "on_settled gets the client with each task of a "
                         "request, and no client for asynchronous messages") {
  SUBCASE("for a policy that does not gather") {
    make(queue(), {does::answer, does::answer});
  }
  SUBCASE("for a policy that gathers") {
    make(actor_pool::first_success(2, queue()), {does::answer, does::answer});
  }
  auto has_client = true;
  on_settled = [&](const libpool::settled_task& settled) {
    CHECK((settled.client == client.pointer()) == has_client);
    CHECK((settled.client != nullptr) == has_client);
  };
  client.ask(pool, 1);
  has_client = false;
  client.send(pool, 1);
  run();
  CHECK(fates.size() >= 2);
  on_settled = nullptr;
}

TEST_CASE_FIXTURE(world,
                  "an empty answer counts, and adds nothing to the result") {
  make(everybody(), {does::answer});
  add([](scripted&) -> caf::behavior { return {[](int) { /* done */ }}; });
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
  client.ask(outer, caf::sys_atom{}, caf::put_atom{}, pool);
  std::uint64_t number = 0;
  auto done = false;
  client->on_enqueue = [&](caf::mailbox_element&) {
    if (std::exchange(done, true))
      return;
    number = client.request(outer, numbers{7}); // while the pool handles
    client.request(outer, caf::sys_atom{}, caf::delete_atom{});
  };
  request(caf::sys_atom{}, caf::get_atom{});
  REQUIRE(number != 0);
  CHECK(begun.empty());
  CHECK(stats().gathered == 0);
  client.ask(outer, caf::sys_atom{}, caf::put_atom{}, pool);
  CHECK(result_of<numbers>(number) == numbers{7});
  client.ask(outer, caf::sys_atom{}, caf::delete_atom{});
  exit(outer);
}

} // namespace managed_gather_tasks_tests
