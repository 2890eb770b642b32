/// Pools that leave workers several messages at a time.

#include "leasing_world.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

using test::from_to;
using test::leasing_world;
using test::numbers;
using test::scripted;
using namespace std::chrono_literals;

TEST_CASE_FIXTURE(leasing_world,
                  "a busy worker gets a lease of several messages") {
  populate_each(1);
  send(1, 200);
  run();
  CHECK(seen == from_to(1, 200));
  auto told = stats();
  CHECK(told.leases > 0);
  CHECK(told.leases < 40);
  CHECK(told.tasks.completed == 200);
  CHECK(told.total.completed == 200);
}

TEST_CASE_FIXTURE(leasing_world,
                  "a pool gives leases again after all workers have paused") {
  populate(1);
  send(1, 20000); // the worker pauses after 5120 tasks
  run();
  CHECK(seen == from_to(1, 20000));
  constexpr auto full = 20000 / 50; // leases of 50 us, and tasks of 1 us
  auto told = stats();
  CHECK(told.leases > full - 10);
  CHECK(told.leases < full + 20);
}

TEST_CASE_FIXTURE(
  leasing_world,
  "a message to the worker itself does not wait for the end of a lease") {
  during = [](scripted& self, int x) {
    if (x % 7 == 0 && x < 200)
      caf::anon_send(caf::actor_cast<caf::actor>(self.address()), 1000 + x);
  };
  populate_each(1);
  send(1, 199);
  run();
  CHECK(stats().leases > 0);
  for (auto x = 7; x < 200; x += 7)
    CHECK(place_of(1000 + x) <= place_of(x) + 3);
}

TEST_CASE_FIXTURE(leasing_world, "the service and waiting times of messages "
                                 "that a worker gets in a group are exact") {
  populate_each(1);
  send(1, 100);
  run();
  auto told = stats();
  REQUIRE(told.leases > 0);
  CHECK(told.total.busy == 100us);
  CHECK(told.total.max_service == 1us);
  CHECK(told.total.waits.count() == 100);
  CHECK(told.total.waits.percentile(100) >= 99us);
  CHECK(told.total.waits.percentile(100) < 106us);
}

TEST_CASE_FIXTURE(leasing_world,
                  "messages that a worker gets in a group are recorded one by "
                  "one, before the pool learns that they have ended") {
  std::size_t ended = 0;
  std::size_t recorded = 0;
  during = [&](scripted&, int x) {
    if (x == 150) {
      ended = seen.size() - 1; // without the one that runs
      recorded = libpool::actor_pool::recorded(pool).runs.size();
    }
  };
  populate_each(1);
  libpool::actor_pool::record(pool, {std::chrono::seconds{1}});
  send(1, 200);
  run();
  REQUIRE(stats().leases > 0);
  CHECK(ended == 149);
  CHECK(recorded == ended);
  CHECK(libpool::actor_pool::recorded(pool).runs.size() == 200);
}

TEST_CASE_FIXTURE(
  leasing_world,
  "a recording has each waiting message once, with or without a task") {
  populate_each(1);
  libpool::actor_pool::record(pool, {std::chrono::seconds{1}});
  send(1, 20);
  auto recorded = libpool::actor_pool::recorded(pool);
  CHECK(recorded.open.size() == 20);
  CHECK(recorded.open.front().task > 0);
  CHECK(recorded.open.back().task == 0);
  for (const auto& each : recorded.open) {
    CHECK(each.started == libpool::never);
    CHECK(each.accepted <= recorded.taken);
  }
  run();
  CHECK(libpool::actor_pool::recorded(pool).open.empty());
}

TEST_CASE_FIXTURE(leasing_world,
                  "each of the requests that a worker gets in a group is "
                  "answered once, with its own result") {
  populate_each(2);
  auto sent = request(1, 100);
  run();
  CHECK(stats().leases > 0);
  for (std::size_t i = 0; i < sent.size(); ++i) {
    auto answer = client.answer_to(sent[i]);
    CHECK(answer.count == 1);
    CHECK(answer.get<int>() == 2 * (static_cast<int>(i) + 1));
  }
}

TEST_CASE_FIXTURE(leasing_world,
                  "stats taken during a lease count all its messages") {
  populate_each(1);
  std::vector<libpool::ledger> told;
  during = [&](scripted&, int x) {
    if (x == 30)
      told.push_back(stats().tasks);
  };
  send(1, 100);
  run();
  REQUIRE(stats().leases > 0);
  REQUIRE(told.size() == 1);
  CHECK(told[0].balances());
  CHECK(told[0].accepted == 100);
  CHECK(told[0].completed == 29);
  CHECK(told[0].running == 1);
  CHECK(told[0].waiting == 70);
}

TEST_CASE_FIXTURE(leasing_world,
                  "no lease is given while the service time is unknown") {
  options.workers = 1;
  pool = libpool::spawn_pool(system(), options, [this] {
    return system().spawn<scripted>([this](scripted&) -> caf::behavior {
      return {[this](int x) { seen.push_back(x); }};
    });
  });
  send(1, 100);
  run();
  CHECK(seen == from_to(1, 100));
  CHECK(stats().leases == 0);
}

TEST_CASE_FIXTURE(
  leasing_world,
  "a pool sends long tasks to a worker one by one, not in groups") {
  populate_each(1);
  during = [this](scripted&, int) { pass(1ms); };
  send(1, 100);
  run();
  CHECK(seen == from_to(1, 100));
  CHECK(stats().leases == 0);
}

TEST_CASE_FIXTURE(
  leasing_world,
  "an idle worker takes over messages from another worker's lease") {
  populate_each(2);
  std::size_t at_the_end_of_first = 0;
  during = [&](scripted& self, int x) {
    if (x != 10)
      return;
    // This handler takes long. Meanwhile the other worker ends all the rest.
    auto address = self.address();
    run();
    at_the_end_of_first = seen.size();
  };
  send(1, 60);
  run();
  REQUIRE(stats().leases > 0);
  CHECK(sorted() == from_to(1, 60));
  CHECK(at_the_end_of_first == 60);
}

TEST_CASE_FIXTURE(
  leasing_world,
  "messages behind a long task go before messages that arrived later") {
  populate_each(2);
  numbers after;
  during = [&](scripted&, int x) {
    if (x != 12)
      return;
    pass(5ms);
    run();
  };
  send(1, 400);
  run();
  REQUIRE(stats().leases > 0);
  CHECK(sorted() == from_to(1, 400));
  CHECK(place_of(13) < 250);
}

TEST_CASE_FIXTURE(leasing_world,
                  "urgent messages go before messages that have not started") {
  populate_each(1);
  during = [&](scripted&, int x) {
    if (x != 10)
      return;
    send_urgent(1000);
    send_urgent(1001);
  };
  send(1, 100);
  run();
  REQUIRE(stats().leases > 0);
  CHECK(place_of(1000) == 10);
  CHECK(place_of(1001) == 11);
  seen.erase(seen.begin() + 10, seen.begin() + 12);
  CHECK(seen == from_to(1, 100));
}

TEST_CASE_FIXTURE(leasing_world,
                  "a handler that throws fails only its own message") {
  populate_each(2);
  options.workers = 2;
  during = [](scripted&, int x) {
    if (x == 20)
      test::crash();
  };
  auto sent = request(1, 100);
  run();
  auto told = stats();
  REQUIRE(told.leases > 0);
  CHECK(told.tasks.failed == 1);
  CHECK(told.tasks.completed == 99);
  for (std::size_t i = 0; i < sent.size(); ++i) {
    auto answer = client.answer_to(sent[i]);
    if (i == 19)
      CHECK(test::failed_by_crash(answer));
    else
      CHECK(answer.get<int>() == 2 * (static_cast<int>(i) + 1));
  }
}

TEST_CASE_FIXTURE(leasing_world,
                  "messages of a worker that quits go to another worker") {
  populate_each(2);
  during = [](scripted& self, int x) {
    if (x == 20)
      self.quit();
  };
  send(1, 100);
  run();
  auto told = stats();
  REQUIRE(told.leases > 0);
  CHECK(sorted() == from_to(1, 100));
  CHECK(told.tasks.completed == 100);
}

TEST_CASE_FIXTURE(leasing_world,
                  "messages of a worker that is killed go to another worker") {
  populate_each(2);
  during = [](scripted& self, int x) {
    if (x == 20)
      caf::anon_send<caf::message_priority::high>(
        caf::actor{&self},
        caf::exit_msg{self.address(), caf::exit_reason::kill});
  };
  send(1, 100);
  run();
  auto told = stats();
  REQUIRE(told.leases > 0);
  CHECK(sorted() == from_to(1, 100));
  CHECK(told.tasks.balances());
}

TEST_CASE_FIXTURE(
  leasing_world, "a removed worker completes the message that it has started") {
  populate_each(2);
  auto pool_knows = false;
  SUBCASE("if the pool knows that it has started") {
    pool_knows = true;
  }
  SUBCASE("if the pool does not know that it has started") {
    pool_knows = false;
  }
  during = [this, pool_knows](scripted& self, int x) {
    if (x != 20)
      return;
    if (pool_knows)
      stats();
    client.send(pool, caf::sys_atom{}, caf::delete_atom{}, caf::actor{&self});
  };
  send(1, 100);
  run();
  REQUIRE(stats().leases > 0);
  CHECK(sorted() == from_to(1, 100));
  auto leaver = handled_by[place_of(20)];
  CHECK(std::find(handled_by.begin() + static_cast<std::ptrdiff_t>(place_of(20))
                    + 1,
                  handled_by.end(), leaver)
        == handled_by.end());
}

TEST_CASE_FIXTURE(leasing_world,
                  "a drained pool completes all leased messages") {
  populate_each(1);
  during = [this](scripted&, int x) {
    if (x == 20)
      client.request(pool, caf::sys_atom{}, libpool::drain_atom{});
  };
  send(1, 100);
  run();
  CHECK(seen == from_to(1, 100));
  pool = nullptr;
}

TEST_CASE_FIXTURE(
  leasing_world,
  "a pool that is stopped refuses messages that have not started") {
  populate_each(1);
  during = [this](scripted&, int x) {
    if (x == 20)
      caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
  };
  auto sent = request(1, 100);
  run();
  CHECK(seen == from_to(1, 20));
  CHECK(client.answer_to(sent[19]).get<int>() == 40);
  for (std::size_t i = 20; i < sent.size(); ++i)
    CHECK(client.answer_to(sent[i]).error() == libpool::errc::pool_closed);
  CHECK(stats().tasks.balances());
  CHECK(stats().tasks.completed == 20);
}

TEST_CASE_FIXTURE(leasing_world,
                  "a leased request of a terminated client is not handled") {
  populate(1);
  test::probe other{*this};
  during = [&](scripted&, int x) {
    if (x == 20)
      other.die();
  };
  send(1, 40);
  for (auto x = 41; x <= 45; ++x)
    other.request(pool, x);
  send(46, 100);
  run();
  auto told = stats();
  REQUIRE(told.leases > 0);
  CHECK(told.tasks.cancelled == 5);
  CHECK(told.tasks.completed == 95);
  CHECK(std::none_of(seen.begin(), seen.end(),
                     [](int x) { return x > 40 && x < 46; }));
  other->inbox.clear();
}

TEST_CASE_FIXTURE(
  leasing_world,
  "a message that its worker skips does not delay other workers") {
  options.workers = 2;
  auto script = [&](scripted& self) -> caf::behavior {
    self.set_default_handler(caf::skip);
    return {
      [this](int x) {
        pass(1us);
        seen.push_back(x);
      },
      [&self](caf::ok_atom) { self.set_default_handler(caf::drop); },
    };
  };
  pool = spawn([&] { return system().spawn<scripted>(script); });
  send(1, 30);
  client.send(pool, std::string{"skipped"});
  send(31, 100);
  run();
  CHECK(sorted() == from_to(1, 100));
  for (auto& each : client.ask(pool, caf::sys_atom{}, caf::get_atom{})
                      .get<std::vector<caf::actor>>())
    client.send(each, caf::ok_atom{}); // skips nothing more
  run();
}

TEST_CASE_FIXTURE(leasing_world,
                  "pools give no leases if leases are switched off") {
  options.leases = false;
  populate_each(1);
  send(1, 100);
  run();
  CHECK(seen == from_to(1, 100));
  CHECK(stats().leases == 0);
}

TEST_CASE_FIXTURE(leasing_world,
                  "pools that have to see each task give no leases") {
  SUBCASE("with a deadline") {
    options.deadline = 1s;
  }
  SUBCASE("with a capacity") {
    options.capacity = 1000;
  }
  SUBCASE("with retries") {
    options.on_crash = libpool::retry{1};
  }
  SUBCASE("with on_settled") {
    options.on_settled = [](const libpool::settled_task&) {};
  }
  SUBCASE("with workers that answer later") {
    options.busy_until = libpool::busy_until::answer;
  }
  SUBCASE("with a window") {
    options.window = 2;
  }
  SUBCASE("with restrictions") {
    options.may_run_on = [](const libpool::message_content&) {
      return std::optional<libpool::worker_choice>{};
    };
  }
  populate(1);
  send(1, 100);
  run();
  CHECK(seen == from_to(1, 100));
  CHECK(stats().leases == 0);
}

TEST_CASE("messages that workers get in groups are neither lost nor repeated, "
          "in random interleavings") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    leasing_world w{seed};
    w.options.restart.max = 1000;
    w.options.restart.pause = 0ns;
    w.populate(3);
    w.during = [&](scripted& self, int x) {
      if (x % 61 == 0) { // and another one comes
        self.quit();
        w.client.send(w.pool, caf::sys_atom{}, caf::put_atom{},
                      w.make_worker());
      }
      if (x % 97 == 0)
        test::crash();
      if (x % 53 == 0)
        w.pass(2ms);
      if (x % 71 == 0)
        w.client.send(w.pool, caf::sys_atom{}, libpool::resize_atom{},
                      x % 142 == 0 ? 3 : 2);
    };
    w.send(1, 500);
    for (auto i = 0; i < 200; ++i)
      w.step();
    w.send(501, 1000);
    w.advance(1s);
    w.run();
    CHECK(w.sorted() == from_to(1, 1000));
    auto books = w.stats().tasks;
    CHECK(books.completed + books.failed == 1000);
    CHECK(books.failed == 1000 / 97);
    CHECK(w.stats().leases > 0);
  }
}
