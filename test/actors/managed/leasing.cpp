/// Pools that leave workers several messages at a time.

#include "leasing_world.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

using test::from_to;
using test::leasing_world;
using test::scripted;
using namespace std::chrono_literals;

TEST_CASE_FIXTURE(leasing_world,
                  "a busy worker gets a lease of several messages, whose "
                  "service and waiting times are exact") {
  populate_each(1);
  send(1, 200);
  run();
  CHECK(seen == from_to(1, 200));
  auto told = stats();
  CHECK(told.leases > 0);
  CHECK(told.leases < 40);
  CHECK(told.tasks.completed == 200);
  CHECK(told.total.completed == 200);
  CHECK(told.total.stolen == 0);
  CHECK(told.total.busy == 200us);
  CHECK(told.total.max_service == 1us);
  CHECK(told.total.waits.count() == 200);
  CHECK(told.total.waits.percentile(100) >= 199us);
  CHECK(told.total.waits.percentile(100) < 212us);
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
  run_leased();
  for (auto x = 7; x < 200; x += 7)
    CHECK(place_of(1000 + x) <= place_of(x) + 3);
}

TEST_CASE_FIXTURE(leasing_world,
                  "a recording has each waiting message once, and each message "
                  "of a lease as soon as it ends") {
  std::size_t ended = 0;
  libpool::recording recorded;
  at(150, [&](scripted&) {
    ended = seen.size() - 1; // without the one that runs
    recorded = libpool::actor_pool::recorded(pool);
  });
  populate_each(1);
  libpool::actor_pool::record(pool, {1s});
  send(1, 200);
  auto before = libpool::actor_pool::recorded(pool);
  CHECK(before.open.size() == 200);
  CHECK(before.open.front().task > 0);
  CHECK(before.open.back().task > before.open.front().task);
  for (const auto& each : before.open) {
    CHECK(each.started == libpool::never);
    CHECK(each.accepted <= before.taken);
  }
  run_leased();
  CHECK(ended == 149);
  CHECK(recorded.runs.size() == ended);
  CHECK(recorded.open.size() == 51);
  CHECK(std::count_if(recorded.open.begin(), recorded.open.end(),
                      [](const libpool::recorded_run& each) {
                        return each.started != libpool::never;
                      })
        == 1);
  CHECK(libpool::actor_pool::recorded(pool).runs.size() == 200);
  CHECK(libpool::actor_pool::recorded(pool).open.empty());
}

TEST_CASE_FIXTURE(leasing_world, "a recording lists every nth of very many "
                                 "waiting messages, and so costs little time") {
  populate(1);
  libpool::actor_pool::record(pool, {1s});
  send(1, 10'000);
  auto before = libpool::actor_pool::recorded(pool);
  CHECK(before.open.size() > 3'000); // every third
  CHECK(before.open.size() < 3'500);
  run_leased();
  CHECK(stats().tasks.completed == 10'000);
}

TEST_CASE_FIXTURE(leasing_world,
                  "in a recording, each message of a lease has its own kind") {
  auto workers_line = false;
  auto notes_each = false;
  SUBCASE("") {}
  SUBCASE("with a line for each worker") {
    workers_line = true;
  }
  SUBCASE("with on_settled") {
    notes_each = true;
  }
  if (workers_line)
    waits_in = line::of_workers;
  if (notes_each)
    options.on_settled = [](const libpool::settled_task&) {};
  libpool::recording midway;
  options.workers = 1;
  pool = spawn([this, &midway] {
    return system().spawn<scripted>(
      [this, &midway](scripted&) -> caf::behavior {
        return {[this](int) { pass(service); },
                [this, &midway](double x) {
                  pass(service);
                  if (x == 60)
                    midway = libpool::actor_pool::recorded(pool);
                }};
      });
  });
  run();
  libpool::actor_pool::record(pool, {1h});
  for (auto x = 0; x < 100; ++x)
    x % 3 == 0 ? client.send(pool, double{1} * x) : client.send(pool, x);
  run_leased();
  auto all = libpool::actor_pool::recorded(pool);
  REQUIRE(all.runs.size() == 100);
  for (std::size_t i = 0; i < 100; ++i) {
    CAPTURE(i);
    const auto& kind = all.kinds[all.runs[i].kind];
    CHECK((kind == "double") == (i % 3 == 0));
    CHECK(!kind.empty());
  }
  auto running = std::find_if(
    midway.open.begin(), midway.open.end(),
    [](const auto& each) { return each.started != libpool::never; });
  REQUIRE(running != midway.open.end());
  CHECK(midway.kinds[running->kind] == "double");
}

TEST_CASE_FIXTURE(leasing_world,
                  "a recording of a pool without flows names the clients of "
                  "messages that wait, run or have ended") {
  test::probe other{*this};
  test::enter(system(), "tenant", other.handle());
  SUBCASE("in a line for each worker") {
    waits_in = line::of_workers;
  }
  SUBCASE("in the order of arrival") {}
  SUBCASE("with intercepted answers") {
    options.deadline = std::chrono::hours{1};
  }
  populate(1);
  libpool::actor_pool::record(pool, {1h});
  for (auto x = 0; x < 100; ++x)
    x % 3 == 0 ? other.request(pool, x) : client.request(pool, x);
  auto names = [](const libpool::recording& all, const auto& runs) {
    std::vector<std::string> result;
    for (const auto& each : runs)
      result.push_back(all.flows[each.flow]);
    return result;
  };
  auto client_name = "actor " + std::to_string(client.handle().id());
  std::vector<std::string> wanted;
  for (auto x = 0; x < 100; ++x)
    wanted.push_back(x % 3 == 0 ? "tenant" : client_name);
  auto before = libpool::actor_pool::recorded(pool);
  CHECK(before.flows_are_clients);
  CHECK(names(before, before.open) == wanted);
  run_leased();
  auto all = libpool::actor_pool::recorded(pool);
  CHECK(names(all, all.runs) == wanted);
  test::erase(system(), "tenant");
}

TEST_CASE_FIXTURE(leasing_world,
                  "stats taken during a lease count all its messages, and show "
                  "the oldest message that has not started") {
  populate_each(1);
  libpool::pool_stats told;
  at(30, [&](scripted&) {
    pass(2s);
    told = stats();
  });
  auto came = system().clock().now();
  send(1, 100);
  run();
  REQUIRE(told.leases > 0);
  CHECK(told.tasks.balances());
  CHECK(told.tasks.accepted == 100);
  CHECK(told.tasks.completed == 29);
  CHECK(told.tasks.running == 1);
  CHECK(told.tasks.waiting + told.tasks.assigned == 70);
  CHECK(told.oldest_waiting == came);
}

TEST_CASE_FIXTURE(leasing_world,
                  "messages that look like messages to the pool itself keep "
                  "their place among others that wait") {
  options.workers = 1;
  pool = spawn([this] {
    return system().spawn<scripted>([this](scripted&) -> caf::behavior {
      auto note = [this](int x) {
        pass(1us);
        seen.push_back(x);
      };
      return {note, [note](caf::ok_atom, caf::ok_atom, int x) { note(x); }};
    });
  });
  send(0, 0);
  run();
  for (auto x = 1; x < 60; x += 2) {
    client.send(pool, x);
    client.send(pool, caf::ok_atom{}, caf::ok_atom{}, x + 1);
  }
  run_leased();
  CHECK(seen == from_to(0, 60));
}

TEST_CASE_FIXTURE(leasing_world, "no lease is given while tasks are long, or "
                                 "their service time is unknown") {
  SUBCASE("long tasks") {
    service = 1ms;
  }
  SUBCASE("an unknown time") {
    service = 0ns;
  }
  populate(1);
  send(1, 100);
  run();
  CHECK(seen == from_to(1, 100));
  CHECK(stats().leases == 0);
}

TEST_CASE_FIXTURE(
  leasing_world,
  "an idle worker takes over messages from another worker's lease") {
  populate_each_shared(2);
  std::size_t at_the_end_of_first = 0;
  at(10, [&](scripted& self) {
    // This handler takes long. Meanwhile the other worker ends all the rest.
    auto address = self.address();
    run();
    at_the_end_of_first = seen.size();
  });
  send(1, 60);
  run_leased();
  CHECK(sorted() == from_to(1, 60));
  CHECK(at_the_end_of_first == 60);
}

TEST_CASE_FIXTURE(leasing_world,
                  "urgent messages go before messages that have not started") {
  populate_each(1);
  at(10, [&](scripted&) {
    send_urgent(1000);
    send_urgent(1001);
  });
  send(1, 100);
  run_leased();
  CHECK(place_of(1000) == 10);
  if (waits_in == line::of_flows) // the flow of the messages has turns, too
    return;
  CHECK(place_of(1001) == 11);
  seen.erase(seen.begin() + 10, seen.begin() + 12);
  CHECK(seen == from_to(1, 100));
}

TEST_CASE_FIXTURE(leasing_world,
                  "each of the requests that a worker gets in a group is "
                  "answered once, and a handler that throws fails only its own "
                  "message") {
  populate_each(2);
  at(20, [](scripted&) { test::crash(); });
  auto sent = request(1, 100);
  run_leased();
  auto told = stats();
  CHECK(told.tasks.failed == 1);
  CHECK(told.tasks.completed == 99);
  for (std::size_t i = 0; i < sent.size(); ++i) {
    auto answer = client.answer_to(sent[i]);
    if (i == 19) {
      CHECK(test::failed_by_crash(answer));
    } else {
      CHECK(answer.count == 1);
      CHECK(answer.get<int>() == 2 * (static_cast<int>(i) + 1));
    }
  }
}

TEST_CASE_FIXTURE(
  leasing_world,
  "leased messages of a worker that quits, is killed or is removed go to "
  "another worker") {
  std::function<void(scripted&)> leave = [](scripted& self) { self.quit(); };
  SUBCASE("a worker that quits") {}
  SUBCASE("a worker that is killed") {
    leave = [](scripted& self) {
      caf::anon_send<caf::message_priority::high>(
        caf::actor{&self},
        caf::exit_msg{self.address(), caf::exit_reason::kill});
    };
  }
  SUBCASE("a worker that is removed") {
    leave = [this](scripted& self) {
      client.send(pool, caf::sys_atom{}, caf::delete_atom{}, caf::actor{&self});
    };
  }
  SUBCASE("a worker that is removed, and is known to have started") {
    leave = [this](scripted& self) {
      stats();
      client.send(pool, caf::sys_atom{}, caf::delete_atom{}, caf::actor{&self});
    };
  }
  populate_each(2);
  at(20, leave);
  send(1, 100);
  run_leased();
  auto told = stats();
  CHECK(sorted() == from_to(1, 100));
  CHECK(told.tasks.completed == 100);
  auto after = handled_by.begin() + static_cast<std::ptrdiff_t>(place_of(20));
  CHECK(std::count(after, handled_by.end(), *after) == 1);
}

TEST_CASE_FIXTURE(
  leasing_world,
  "a pool that is stopped or loses its last worker refuses messages that have "
  "not started") {
  auto error = libpool::errc::pool_closed;
  std::function<void(scripted&)> end = [this](scripted&) {
    caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
  };
  SUBCASE("a pool that is stopped") {}
  SUBCASE("a pool that loses its last worker") {
    options.restart.max = 0;
    end = [](scripted& self) { self.quit(); };
    error = libpool::errc::no_workers;
  }
  populate_each(1);
  at(20, end);
  auto sent = request(1, 100);
  run();
  CHECK(seen == from_to(1, 20));
  CHECK(client.answer_to(sent[19]).get<int>() == 40);
  for (std::size_t i = 20; i < sent.size(); ++i) {
    CHECK(client.answer_to(sent[i]).count == 1);
    CHECK(client.answer_to(sent[i]).error() == error);
  }
  CHECK(stats().tasks.balances());
  CHECK(stats().tasks.completed == 20);
}

TEST_CASE_FIXTURE(leasing_world,
                  "a leased request of a terminated client is not handled") {
  flows.flow_of = libpool::flow_by<int>([](int) { return 0; });
  populate_each(1);
  test::probe other{*this};
  at(20, [&](scripted&) { other.die(); });
  send(1, 40);
  for (auto x = 41; x <= 45; ++x)
    other.request(pool, x);
  send(46, 100);
  run_leased();
  auto told = stats();
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

namespace {

/// Returns how many leases a pool with these options gives for 100 messages,
/// all of which are handled.
std::uint64_t leases_with(leasing_world::line how,
                          void (*set)(leasing_world&)) {
  leasing_world w;
  w.waits_in = how;
  set(w);
  w.populate(1);
  w.send(1, 100);
  w.run();
  CHECK(w.sorted() == from_to(1, 100));
  return w.stats().leases;
}

} // namespace

TEST_CASE("pools give no leases if leases are switched off, or if workers have "
          "several tasks at a time") {
  using world = leasing_world;
  using line = world::line;
  const std::vector<std::pair<line, void (*)(world&)>> needs{
    {line::of_arrival, [](world& w) { w.options.leases = false; }},
    {line::of_arrival, [](world& w) { w.options.window = 2; }},
    {line::of_arrival,
     [](world& w) { w.options.busy_until = libpool::busy_until::answer; }},
    {line::of_flows, [](world& w) { w.flows.seats_per_worker = 2; }}};
  for (std::size_t i = 0; i < needs.size(); ++i) {
    CAPTURE(i);
    CHECK(leases_with(needs[i].first, needs[i].second) == 0);
  }
}

TEST_CASE("pools give leases with each option about single messages") {
  using world = leasing_world;
  using line = world::line;
  const std::vector<std::pair<line, void (*)(world&)>> options{
    {line::of_arrival,
     [](world& w) {
       w.options.capacity = 1000;
       w.options.on_overflow = libpool::overflow::drop_oldest;
     }},
    {line::of_arrival,
     [](world& w) {
       w.options.may_run_on = [](const libpool::message_content&) {
         return std::optional<libpool::worker_choice>{};
       };
     }},
    {line::of_arrival,
     [](world& w) {
       w.options.deadline = std::chrono::seconds{1};
       w.options.drop_hopeless = true;
     }},
    {line::of_arrival,
     [](world& w) { w.options.throttles.of_all.most_running = 50; }},
    {line::of_arrival,
     [](world& w) {
       w.options.throttles.of_all.most_begun = {1e9, 50};
     }},
    {line::of_priorities,
     [](world& w) { w.ranks.age_step = std::chrono::seconds{1}; }},
    {line::of_flows, [](world& w) { w.flows.queue_limit = 1000; }},
    {line::of_flows,
     [](world& w) {
       w.flows.mode = libpool::fair_mode::kubernetes;
       w.flows.queue_limit = 1000;
     }},
    {line::of_flows, [](world& w) {
       w.flows.width_of = libpool::width_by<int>([](int) { return 1; });
     }}};
  for (std::size_t i = 0; i < options.size(); ++i) {
    CAPTURE(i);
    CHECK(leases_with(options[i].first, options[i].second) > 0);
  }
}

TEST_CASE("messages that workers get in groups are neither lost nor repeated, "
          "in random interleavings") {
  using line = leasing_world::line;
  for (auto waits_in : {line::of_arrival, line::of_flows, line::of_stealing,
                        line::of_workers, line::of_priorities})
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
      CAPTURE(static_cast<int>(waits_in));
      CAPTURE(seed);
      std::map<std::uint64_t, int> settled;
      leasing_world w{seed};
      w.waits_in = waits_in;
      auto retries = seed % 3 == 1;
      if (retries)
        w.options.on_crash = libpool::retry{1};
      if (seed % 3 == 2) {
        w.options.capacity = 5000;
        w.options.deadline = 1h;
        w.options.on_settled = [&](const libpool::settled_task& task) {
          ++settled[task.number];
        };
      }
      w.flows.flow_of = libpool::flow_by<int>([](int x) { return x % 3; });
      w.options.restart.max = 1000;
      w.options.restart.pause = 0ns;
      w.populate(3);
      w.during = [&](scripted& self, int x) {
        if (x % 61 == 0) { // and another one comes
          self.quit();
          caf::anon_send(w.pool, caf::sys_atom{}, caf::put_atom{},
                         w.make_worker());
        }
        if (x % 97 == 0)
          test::crash();
        if (x % 53 == 0)
          w.pass(2ms);
        if (x % 71 == 0)
          caf::anon_send(w.pool, caf::sys_atom{}, libpool::resize_atom{},
                         x % 142 == 0 ? 3 : 2);
      };
      w.send(1, 500);
      for (auto i = 0; i < 200; ++i)
        w.step();
      auto sent = w.request(501, 1000);
      w.advance(1s);
      w.run();
      for (std::size_t i = 0; i < sent.size(); ++i) {
        auto answer = w.client.answer_to(sent[i]);
        auto x = 501 + static_cast<int>(i);
        CHECK(answer.count == 1);
        CHECK((answer.get<int>() == 2 * x || (x % 97 == 0 && answer.error())));
      }
      auto handled = w.sorted();
      handled.erase(std::unique(handled.begin(), handled.end()), handled.end());
      CHECK(handled == from_to(1, 1000));
      CHECK(w.seen.size() == (retries ? 1010 : 1000));
      CHECK(settled.size() == (seed % 3 == 2 ? 1000 : 0));
      for (const auto& each : settled)
        CHECK(each.second == 1);
      auto books = w.stats().tasks;
      CHECK(books.completed + books.failed == 1000);
      CHECK(books.failed == 1000 / 97);
      CHECK(w.stats().leases > 0);
    }
}
