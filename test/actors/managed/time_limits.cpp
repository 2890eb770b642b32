/// Handlers that run for too long, workers that stand in for theirs, and
/// messages that would end too late.

#include "leasing_world.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace managed_time_limits_tests {

using libpool::actor_pool;
using libpool::errc;
using test::leasing_world;
using test::managed_world;
using test::scripted;
using namespace std::chrono_literals;

namespace {

/// Workers promise answers, which is their work.
struct world : managed_world {
  world() {
    options.busy_until = libpool::busy_until::answer;
    options.time_limit = 50ms;
  }
};

/// A handler that runs past the time limit, while the test does more.
struct stuck_world : leasing_world {
  stuck_world() {
    options.time_limit = 50ms;
    during = [this](scripted& self, int x) {
      if (x != stuck)
        return;
      while_stuck();
      was_asked_to_stop = libpool::this_task(&self).stop_requested();
    };
  }

  static constexpr auto stuck = 20;
  bool was_asked_to_stop = false;
  std::function<void()> while_stuck = [] {};
};

} // namespace

TEST_CASE_FIXTURE(world, "the time limit counts from the start of the handler, "
                         "and its late answer is discarded") {
  populate(1, promising());
  auto first = request(1);
  auto second = request(2);
  advance(49ms);
  CHECK(!is_answered(first));
  deliver(0, 10);
  CHECK(result_of(first) == 10);
  advance(49ms);
  CHECK(!is_answered(second));
  advance(1ms);
  CHECK(error_of(second) == errc::time_limit);
  deliver(1, 20);
  CHECK(error_of(second) == errc::time_limit);
  CHECK(stats().errors[errc::time_limit] == 1);
}

TEST_CASE_FIXTURE(world, "a late answer with an error is neither counted nor "
                         "tried again") {
  auto asked = 0;
  options.retry_on = [&](const caf::error&, unsigned) {
    ++asked;
    return 0ns;
  };
  populate(1, promising());
  auto request_number = request(1);
  advance(50ms);
  CHECK(error_of(request_number) == errc::time_limit);
  promises.front().deliver(caf::make_error(caf::sec::invalid_argument));
  run();
  CHECK(asked == 0);
  CHECK(stats().error_answers == 0);
}

TEST_CASE_FIXTURE(world, "a worker whose handler has reached the time limit "
                         "gets no tasks until the handler has ended") {
  populate(1, promising());
  request(1);
  advance(50ms);
  auto waits = request(2);
  CHECK(promises.size() == 1);
  CHECK(stats().overdue == 1);
  deliver(0, 10);
  REQUIRE(promises.size() == 2);
  deliver(1, 20);
  CHECK(result_of(waits) == 20);
}

TEST_CASE_FIXTURE(world, "a message with an earlier deadline is cancelled for "
                         "that, and one with a later deadline for the limit") {
  SUBCASE("earlier") {
    options.deadline = 20ms;
  }
  SUBCASE("later") {
    options.deadline = 200ms;
  }
  auto is_early = options.deadline == 20ms;
  populate(1, promising());
  auto request_number = request(1);
  advance(is_early ? 20ms : 50ms);
  CHECK(error_of(request_number)
        == (is_early ? errc::deadline_exceeded : errc::time_limit));
  deliver(0, 10);
}

TEST_CASE_FIXTURE(world, "each attempt has the whole time limit") {
  options.on_crash = libpool::retry{1};
  restart(1);
  populate(1, promising());
  auto answered = request(1);
  advance(40ms);
  kill(workers().front());
  run();
  REQUIRE(promises.size() == 2);
  advance(40ms);
  CHECK(!is_answered(answered));
  deliver(1, 20);
  CHECK(result_of(answered) == 20);
}

TEST_CASE_FIXTURE(stuck_world, "the messages behind a handler that reaches the "
                               "time limit in a lease go to other workers") {
  auto handled_others = false;
  while_stuck = [&] {
    pass(49ms);
    run();
    CHECK(stats().overdue == 0);
    advance(1ms);
    CHECK(stats().overdue == 1);
    handled_others = stats().tasks.open() == 0;
  };
  populate_each(2);
  send(1, 60);
  run();
  CHECK(stats().leases > 0);
  CHECK(handled_others);
  CHECK(was_asked_to_stop);
  CHECK(stats().tasks.cancelled == 1);
  CHECK(stats().tasks.completed >= 59);
}

TEST_CASE_FIXTURE(world, "a worker stands in for a stuck one, at most as many "
                         "as the options say, and one that was stuck leaves") {
  options.stand_ins = 1;
  populate(2, promising());
  request(1);
  request(2);
  advance(50ms);
  CHECK(workers().size() == 3); // one of two is replaced
  CHECK(stats().stand_ins == 1);
  auto served = request(3);
  REQUIRE(promises.size() == 3);
  deliver(2, 30);
  CHECK(result_of(served) == 30);
  std::vector<caf::actor_id> stuck{holders[0]->id(), holders[1]->id()};
  auto before = workers();
  deliver(0, 10); // the other one is still stuck
  CHECK(workers() == before);
  CHECK(stats().stand_ins == 1);
  deliver(1, 20);
  CHECK(stats().stand_ins == 0);
  auto left = workers();
  REQUIRE(left.size() == 2);
  CHECK(std::count_if(left.begin(), left.end(),
                      [&](auto& each) {
                        return std::count(stuck.begin(), stuck.end(), each.id())
                               > 0;
                      })
        == 1);
}

TEST_CASE_FIXTURE(world, "a pool has as many workers as are wanted after a "
                         "stand-in has crashed that was stuck itself") {
  options.stand_ins = 3;
  populate(1, promising());
  for (auto i = 0; i < 3; ++i) {
    request(i);
    advance(50ms);
  }
  auto all = workers();
  REQUIRE(all.size() == 4);
  kill(all[1]);
  run();
  CHECK(workers().size() == 3);
  deliver(0, 10);
  deliver(2, 30);
  CHECK(workers().size() == 1);
  CHECK(stats().stand_ins == 0);
}

TEST_CASE("a pool whose handlers overrun again and again, and crash, has as "
          "many workers as are wanted when they have ended") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 draw{seed};
    auto below = [&](std::size_t n) { return std::size_t{draw() % n}; };
    world w;
    w.options.stand_ins = 1 + below(4);
    w.options.most_workers = 4 + below(4);
    w.restart(1000);
    auto wanted = 1 + below(3);
    w.populate(wanted, w.promising());
    auto check_size = [&] {
      auto now = w.stats();
      CHECK(now.workers <= w.options.most_workers);
      CHECK(now.stand_ins <= w.options.stand_ins);
    };
    for (auto i = 0; i < 30; ++i) {
      w.client.send(w.pool, i);
      w.run();
      w.advance((1 + below(3)) * 25ms);
      for (auto n = below(3); n > 0 && !w.promises.empty(); --n)
        if (auto j = below(w.promises.size()); w.promises[j].pending())
          w.deliver(j, 0);
      auto all = w.workers();
      if (below(3) == 0 && !all.empty())
        w.kill(all[below(all.size())]);
      if (i < 10 && below(5) == 0) {
        wanted = 1 + below(3);
        w.resize(static_cast<int>(wanted));
      }
      w.run();
      check_size();
    }
    for (std::size_t i = 0; i < w.promises.size(); ++i) {
      if (w.promises[i].pending())
        w.deliver(i, 0);
      check_size();
    }
    w.advance(1s);
    CHECK(w.workers().size() == wanted);
    CHECK(w.stats().stand_ins == 0);
  }
}

TEST_CASE_FIXTURE(world, "a pool is resized to as many workers as it is told, "
                         "besides those that others stand in for") {
  options.stand_ins = 2;
  populate(3, promising());
  request(1);
  advance(50ms);
  CHECK(workers().size() == 4);
  auto resized = resize(2); // one is taken out with its stand-in
  run();
  CHECK(workers().size() == 2);
  CHECK(is_answered(resized));
  deliver(0, 10);
  CHECK(workers().size() == 2);
}

TEST_CASE_FIXTURE(world, "a pool is resized to one worker also if a stand-in "
                         "is stuck, whose handler is not waited for") {
  options.stand_ins = 2;
  populate(2, promising());
  auto other = workers().back();
  request(1);
  advance(50ms);
  CHECK(workers().size() == 3);
  request(2);
  request(3);
  REQUIRE(promises.size() == 3);
  auto of_other = holders[1]->id() == other.id() ? 1U : 2U;
  deliver(of_other, 20);
  advance(50ms);
  CHECK(workers().size() == 4);
  auto resized = resize(1);
  run();
  CHECK(workers() == std::vector{other});
  CHECK(is_answered(resized));
  CHECK(stats().stand_ins == 0);
  deliver(0, 10);
  deliver(3 - of_other, 30);
  CHECK(workers() == std::vector{other});
}

TEST_CASE_FIXTURE(world, "a pool with a stand-in is not resized beyond "
                         "most_workers") {
  options.stand_ins = 1;
  options.most_workers = 3;
  populate(2, promising());
  request(1);
  advance(50ms);
  CHECK(workers().size() == 3);
  resize(3);
  run();
  CHECK(workers().size() == 3);
  CHECK(stats().stand_ins == 0); // all are wanted
  deliver(0, 10);
  CHECK(workers().size() == 3);
}

TEST_CASE_FIXTURE(world, "a restart beside a stuck worker does not exceed "
                         "most_workers") {
  options.stand_ins = 1;
  options.most_workers = 2;
  restart(5, 80ms);
  populate(2, promising());
  request(1);
  kill(workers().back());
  run();
  advance(50ms);
  CHECK(workers().size() == 1); // the other one is about to be replaced
  advance(80ms);
  CHECK(workers().size() == 2);
  deliver(0, 10);
  CHECK(workers().size() == 2);
}

TEST_CASE_FIXTURE(world, "a pool has one worker fewer after a user has removed "
                         "one beside a stand-in") {
  options.stand_ins = 1;
  populate(2, promising());
  request(1);
  advance(50ms);
  auto all = workers();
  REQUIRE(all.size() == 3);
  client.ask(pool, caf::sys_atom{}, caf::delete_atom{}, all[1]);
  CHECK(workers().size() == 2);
  CHECK(stats().stand_ins == 1);
  deliver(0, 10);
  CHECK(workers().size() == 1);
}

TEST_CASE_FIXTURE(world, "the handler of a stuck worker keeps its place under "
                         "a limit, also if a stand-in is idle") {
  options.stand_ins = 1;
  options.throttles.of_each_flow.most_running = 1;
  populate(1, promising());
  CHECK(error_of([&] {
          auto result = request(1);
          advance(50ms);
          return result;
        }())
        == errc::time_limit);
  CHECK(workers().size() == 2);
  request(2);
  CHECK(promises.size() == 1);
  CHECK(stats().parked == 1);
  SUBCASE("until the handler has ended") {
    deliver(0, 10);
  }
  SUBCASE("until the limit is raised") {
    libpool::throttles within;
    within.of_each_flow.most_running = 2;
    actor_pool::set_limits(pool, within);
    run();
  }
  SUBCASE("until the worker is stopped") {
    kill(workers().front());
    run();
  }
  REQUIRE(promises.size() == 2);
  deliver(1, 20);
}

TEST_CASE_FIXTURE(world, "a worker that has a stand-in and dies is not "
                         "restarted") {
  options.stand_ins = 1;
  options.restart.max = 5;
  populate(1, promising());
  request(1);
  advance(50ms);
  auto both = workers();
  REQUIRE(both.size() == 2);
  kill(caf::actor{holders.front()});
  run();
  CHECK(workers().size() == 1);
}

TEST_CASE_FIXTURE(world, "a worker serves again if no stand-in could be made") {
  auto made = 0;
  options.stand_ins = 1;
  populate_by(1, [this, &made]() -> caf::actor {
    if (++made > 1)
      throw std::runtime_error{"no more"};
    return system().spawn<scripted>(promising());
  });
  request(1);
  advance(50ms);
  request(2);
  advance(10ms);
  CHECK(made == 2); // it is asked once
  deliver(0, 10);
  REQUIRE(promises.size() == 2);
  advance(50ms);
  CHECK(made == 3); // and again when the worker is stuck again
  deliver(1, 20);
  CHECK(workers().size() == 1);
}

TEST_CASE_FIXTURE(world, "a worker whose stand-in has ended serves again") {
  options.stand_ins = 1;
  populate(1, promising());
  request(1);
  advance(50ms);
  auto both = workers();
  REQUIRE(both.size() == 2);
  kill(both.back());
  run();
  deliver(0, 10);
  CHECK(workers().size() == 1);
  auto answered = request(2);
  REQUIRE(promises.size() == 2);
  deliver(1, 20);
  CHECK(result_of(answered) == 20);
}

TEST_CASE_FIXTURE(world, "a stand-in that a user removes is not counted, and "
                         "the replaced worker serves again") {
  options.stand_ins = 1;
  populate(1, promising());
  request(1);
  advance(50ms);
  auto both = workers();
  REQUIRE(both.size() == 2);
  CHECK(stats().stand_ins == 1);
  client.ask(pool, caf::sys_atom{}, caf::delete_atom{}, both.back());
  run();
  CHECK(stats().stand_ins == 0);
  CHECK(workers().size() == 1);
  auto resized = resize(1); // the pool has one worker
  run();
  CHECK(is_answered(resized));
  CHECK(workers().size() == 1);
  deliver(0, 10);
  auto answered = request(2);
  REQUIRE(promises.size() == 2);
  deliver(1, 20);
  CHECK(result_of(answered) == 20);
}

TEST_CASE_FIXTURE(world, "a worker is stuck, too, if its handler runs past the "
                         "time limit after a user has cancelled the message") {
  options.id_of = [](const libpool::message_content& content) {
    return libpool::flow_key{content.get_as<int>(0)};
  };
  options.stand_ins = 1;
  populate(1, promising());
  auto cancelled = request(1);
  advance(20ms);
  actor_pool::cancel(pool, libpool::selection::of_id("1"));
  run();
  CHECK(error_of(cancelled) == errc::cancelled);
  advance(29ms);
  CHECK(workers().size() == 1);
  advance(1ms);
  CHECK(workers().size() == 2);
  auto answered = request(2);
  REQUIRE(promises.size() == 2);
  deliver(1, 20);
  CHECK(result_of(answered) == 20);
  deliver(0, 10);
}

TEST_CASE_FIXTURE(world, "a pool drains past stuck handlers with stand-ins") {
  options.stand_ins = 1;
  populate(1, promising());
  request(1);
  auto waits = request(2);
  auto drained = drain();
  run();
  advance(50ms);
  REQUIRE(promises.size() == 2);
  deliver(1, 20);
  CHECK(result_of(waits) == 20);
  CHECK(is_answered(drained));
}

// -- messages that would end too late -----------------------------------------

TEST_CASE_FIXTURE(managed_world, "a message that would end too late is "
                                 "cancelled before it begins") {
  options.deadline = 100ms;
  options.drop_hopeless = true;
  options.busy_until = libpool::busy_until::answer;
  populate(1, promising());
  auto first = request(1);
  advance(40ms);
  deliver(0, 10);
  CHECK(result_of(first) == 10); // so these take 40 ms
  auto second = request(2);
  auto third = request(3);
  advance(59ms);
  CHECK(!is_answered(third));
  advance(1ms);
  CHECK(error_of(third) == errc::hopeless);
  CHECK(!is_answered(second));
  deliver(1, 20);
  CHECK(promises.size() == 2);
}

TEST_CASE_FIXTURE(managed_world,
                  "a kind whose messages are dropped as hopeless "
                  "is tried again after some of them") {
  options.deadline = 100ms;
  options.drop_hopeless = true;
  options.busy_until = libpool::busy_until::answer;
  populate(1, promising());
  request(1);
  advance(99ms);
  deliver(0, 10);
  for (auto i = 0; i < 20; ++i)
    request(2);
  advance(60ms); // and then 40 ms are too few
  auto dropped = stats().errors[errc::hopeless];
  CHECK(dropped > 0);
  CHECK(dropped <= 20);
  CHECK(promises.size() == 2);
  deliver(1, 20);
  advance(1s);
  request(3);
  CHECK(promises.size() == 3);
  deliver(2, 30);
}

TEST_CASE_FIXTURE(managed_world, "options that need others are refused without "
                                 "them, by name") {
  auto complains = [&](const std::string& text) {
    CHECK(test::has(test::complaint([&] { libpool::check(options); }), text));
  };
  options.drop_hopeless = true;
  complains("drop_hopeless must be false if neither deadline nor deadline_of "
            "is set");
  options.drop_hopeless = false;
  options.time_limit = 0ms;
  complains("time_limit must be above 0, got 0 ns");
}

// -- workers that ask their own pool ------------------------------------------

namespace {

/// Workers that ask their own pool for x - 1 before they answer x, down to 0.
struct asking_world : managed_world {
  explicit asking_world(std::uint64_t seed = 0) : managed_world(seed) {
    options.busy_until = libpool::busy_until::answer;
  }

  ~asking_world() {
    gate = nullptr;
  }

  scripted::script asking() {
    return [this](scripted& self) -> caf::behavior {
      return {[this, &self](int x) {
        auto promise = self.make_response_promise();
        if (x == 0)
          promise.deliver(1);
        else
          ask(self, x - 1, promise);
        return promise;
      }};
    };
  }

  /// Workers that do the same after they have asked another actor.
  scripted::script asking_later(const caf::actor& other) {
    return [this, other](scripted& self) -> caf::behavior {
      return {[this, &self, other](int x) {
        auto promise = self.make_response_promise();
        if (x == 0)
          promise.deliver(1);
        else
          self.request(other, caf::infinite, x)
            .then(
              [this, &self, x, promise](int) { ask(self, x - 1, promise); });
        return promise;
      }};
    };
  }

  void ask(scripted& self, int x, const caf::response_promise& result) {
    auto to = result;
    if (asks_through_gate && !gate)
      gate = actor_pool::submit_only(pool);
    self.request(asks_through_gate ? gate : pool, caf::infinite, x)
      .then([to](int y) mutable { to.deliver(y + 1); },
            [to](caf::error& why) mutable { to.deliver(std::move(why)); });
  }

  /// Lets actors run while the pool handles facts, so that the pool is told
  /// late of what they do.
  void tell_late(std::mt19937_64& draw) {
    on_settled = [this, &draw](const libpool::settled_task&) {
      for (auto n = draw() % 8; n > 0; --n)
        step();
    };
  }

  bool asks_through_gate = false;
  caf::actor gate;
};

} // namespace

TEST_CASE_FIXTURE(asking_world, "a request that all workers would wait for "
                                "fails, and those that wait for it go on") {
  populate(2, asking());
  CHECK(result_of(request(1)) == 2); // the other worker answers
  auto deeper = request(2);
  CHECK(error_of(deeper) == errc::cycle);
  CHECK(stats().errors[errc::cycle] == 1);
  CHECK(result_of(request(1)) == 2);
}

TEST_CASE_FIXTURE(asking_world,
                  "a worker's request to its own pool is noticed, "
                  "whatever the pool does not measure") {
  options.measure_times = false;
  populate(1, asking());
  client.send(pool, 0);
  client.send(pool, 0);
  CHECK(error_of(request(1)) == errc::cycle);
}

TEST_CASE_FIXTURE(asking_world, "a rate holds back the request of a worker "
                                "that a stand-in can handle") {
  options.stand_ins = 1;
  options.throttles.of_all.most_begun = libpool::rate{1, 1};
  populate(1, asking());
  auto asked = request(1);
  CHECK(!is_answered(asked));
  advance(1s);
  CHECK(result_of(asked) == 2);
}

TEST_CASE_FIXTURE(asking_world,
                  "a worker waits for its own pool with an urgent "
                  "request, too") {
  populate(1, [this](scripted& self) -> caf::behavior {
    return {[this, &self](int x) {
      auto promise = self.make_response_promise();
      if (x == 0) {
        promise.deliver(1);
        return promise;
      }
      self.template request<caf::message_priority::high>(pool, caf::infinite, 0)
        .then([promise](int y) mutable { promise.deliver(y + 1); },
              [promise](caf::error& why) mutable {
                promise.deliver(std::move(why));
              });
      return promise;
    }};
  });
  CHECK(error_of(request(1)) == errc::cycle);
}

TEST_CASE_FIXTURE(asking_world, "a request of a worker to its own pool through "
                                "a handle that submits only is noticed") {
  asks_through_gate = true;
  populate(1, asking());
  CHECK(error_of(request(1)) == errc::cycle);
}

TEST_CASE_FIXTURE(asking_world, "requests of workers to their own pool are "
                                "noticed after their handlers have returned") {
  test::probe other{*this};
  options.window = 2;
  asks_through_gate = true;
  SUBCASE("directly") {
    asks_through_gate = false;
  }
  SUBCASE("through a handle that submits only") {}
  populate(1, asking_later(other.handle()));
  auto first = client.request(pool, 1);
  auto second = client.request(pool, 1);
  run();
  other.answer(0, 0);
  run();
  CHECK(stats().errors[errc::cycle] == 0); // the other task may end
  other.answer(1, 0);
  run();
  CHECK(error_of(first) == errc::cycle);
  CHECK(result_of(second) == 2);
}

TEST_CASE("each request whose handler asks its own pool is answered with any "
          "window, even if the pool is told late") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 draw{seed};
    asking_world w{seed};
    w.options.window = 1 + draw() % 4;
    w.options.stand_ins = draw() % 2;
    w.asks_through_gate = draw() % 2 == 0;
    w.tell_late(draw);
    w.populate(2, w.asking());
    std::vector<std::uint64_t> requests;
    for (auto i = 0; i < 20; ++i)
      requests.push_back(w.client.request(w.pool, 1));
    w.run();
    for (auto each : requests)
      CHECK(w.client.answer_to(each).count == 1);
  }
}

TEST_CASE_FIXTURE(asking_world, "workers stand in for those that wait for "
                                "their own pool, until these go on") {
  options.stand_ins = 3;
  populate(1, asking());
  CHECK(result_of(request(3)) == 4);
  run();
  CHECK(workers().size() == 1);
  CHECK(error_of(request(4)) == errc::cycle);
  CHECK(workers().size() == 1);
}

TEST_CASE_FIXTURE(asking_world,
                  "a worker that has waited for its own pool ends "
                  "its task, and its stand-in leaves") {
  options.stand_ins = 1;
  auto keeping = [this](scripted& self) -> caf::behavior {
    return {[this, &self](int x) {
              auto promise = self.make_response_promise();
              if (x == 0)
                promise.deliver(1);
              else
                self.request(pool, caf::infinite, 0).then([this](int) {
                  doubled.push_back(0);
                });
              promises.push_back(promise);
              return promise;
            },
            [this](caf::ok_atom, int y) { promises.front().deliver(y); }};
  };
  populate(1, keeping);
  auto waits = workers();
  auto asked = request(1);
  REQUIRE(doubled.size() == 1); // the stand-in has answered
  CHECK(workers() == waits);
  caf::anon_send(waits.front(), caf::ok_atom{}, 7);
  run();
  CHECK(result_of(asked) == 7);
  CHECK(workers().size() == 1);
}

TEST_CASE_FIXTURE(asking_world, "a worker that waits for its own pool is not "
                                "assigned the request that it waits for") {
  auto how = [&] {
    auto result = actor_pool::managed_round_robin(options);
    SUBCASE("round robin") {}
    SUBCASE("random") {
      result = actor_pool::managed_random(1, options);
    }
    SUBCASE("least used") {
      result = actor_pool::least_used(options);
    }
    return result;
  }();
  pool = actor_pool::make(
    system(), 2, [this] { return system().spawn<scripted>(asking()); }, how);
  run();
  for (auto i = 0; i < 8; ++i)
    CHECK(result_of(request(1)) == 2);
  for (auto i = 0; i < 4; ++i)
    CHECK(error_of(request(2)) == errc::cycle);
}

TEST_CASE_FIXTURE(asking_world,
                  "if all workers wait for their own pool, one of "
                  "their requests fails, and the others go on") {
  populate(2, asking());
  auto first = client.request(pool, 1);
  auto second = client.request(pool, 1);
  run();
  CHECK(error_of(first) == errc::cycle);
  CHECK(result_of(second) == 2);
}

TEST_CASE_FIXTURE(asking_world,
                  "a worker with a window waits for its own pool with each "
                  "request of the handler that runs") {
  options.window = 2;
  populate(1, [this](scripted& self) -> caf::behavior {
    return {[this, &self](int x) {
              auto promise = self.make_response_promise();
              promises.push_back(promise);
              if (x == 1)
                for (auto i = 0; i < 2; ++i)
                  self.request(pool, caf::infinite, 0)
                    .then([](int) {}, [](caf::error&) {});
              return promise;
            },
            [this](caf::ok_atom, int n) {
              promises.at(static_cast<std::size_t>(n)).deliver(0);
            }};
  });
  auto first = request(0);
  auto asked = request(1);
  CHECK(stats().errors[errc::cycle] == 0); // the first handler does not wait
  caf::anon_send(workers().front(), caf::ok_atom{}, 0);
  run();
  CHECK(is_answered(first));
  CHECK(stats().tasks.waiting == 1); // the second request of the handler
  caf::anon_send(workers().front(), caf::ok_atom{}, 2);
  run();
  CHECK(!is_answered(asked));
  CHECK(stats().tasks.waiting == 0);
}

TEST_CASE_FIXTURE(asking_world, "a request fails that waits for a worker that "
                                "waits past the time limit") {
  options.window = 3;
  options.time_limit = 5ms;
  options.throttles.of_all.most_begun = libpool::rate{50, 1};
  populate(1, asking());
  auto asked = client.request(pool, 1);
  run();
  advance(6ms);
  advance(100ms);
  CHECK(error_of(asked) == errc::time_limit);
  CHECK(stats().errors[errc::cycle] == 1);
  CHECK(stats().tasks.open() == 0);
}

TEST_CASE_FIXTURE(asking_world, "a request fails that waits for seats of "
                                "handlers that wait") {
  libpool::flow_options flows;
  flows.width_of = [](const libpool::message_content& content) {
    return std::size_t{content.get_as<int>(0) == 7 ? 2U : 1U};
  };
  pool = actor_pool::make(
    system(), 2, [this] { return system().spawn<scripted>(asking()); },
    actor_pool::fair_queuing(flows, options));
  run();
  auto wide = client.request(pool, 7); // asks for 6, with half of the seats
  run();
  CHECK(error_of(wide) == errc::cycle);
  CHECK(result_of(request(1)) == 2);
}

TEST_CASE("each request is answered once, however many workers wait for their "
          "own pool while workers and the pool end") {
  using make = libpool::policy (*)(const libpool::managed_options&);
  const std::array<make, 4> policies{
    [](const auto& o) { return actor_pool::shared_queue(o); },
    [](const auto& o) { return actor_pool::fair_queuing({}, o); },
    [](const auto& o) { return actor_pool::least_used(o); },
    [](const auto& o) { return actor_pool::managed_round_robin(o); }};
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 draw{seed};
    auto below = [&](std::uint64_t n) { return draw() % n; };
    asking_world w{seed};
    w.options.stand_ins = below(3);
    w.options.restart.max = 100 * below(2);
    w.options.when_empty = libpool::when_empty::refuse;
    if (below(2) == 0)
      w.options.on_crash = libpool::retry{2};
    if (below(2) == 0)
      w.options.time_limit = 5ms;
    if (below(3) == 0)
      w.options.throttles.of_all.most_running = 1 + below(3);
    w.pool = actor_pool::make(
      w.system(), 1 + below(3),
      [&] { return w.system().spawn<scripted>(w.asking()); },
      policies.at(below(policies.size()))(w.options));
    std::vector<std::uint64_t> requests;
    for (auto i = 0; i < 12; ++i) {
      requests.push_back(w.client.request(w.pool, static_cast<int>(below(4))));
      for (auto steps = below(20); steps > 0; --steps)
        w.step();
      if (below(4) == 0)
        w.pass(2ms);
      auto all = below(8) == 0 ? w.workers() : std::vector<caf::actor>{};
      if (!all.empty())
        w.kill(all.at(below(all.size())));
    }
    if (below(2) == 0)
      w.drain();
    w.run();
    w.advance(1s); // time limits, and restarts
    for (auto each : requests) {
      auto answer = w.client.answer_to(each);
      CHECK((answer.count == 1 || test::failed_by_crash(answer)));
    }
  }
}

} // namespace managed_time_limits_tests
