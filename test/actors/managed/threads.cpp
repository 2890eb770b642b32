/// Managed pools with workers that need threads: blocking and detached ones,
/// and whole systems that shut down. Nothing here waits without a bound.

#include "support/config.hpp"
#include "support/managed_world.hpp"
#include "support/patience.hpp"

#include <atomic>
#include <chrono>
#include <future>
#include <optional>
#include <thread>

namespace managed_threads_tests {

using namespace std::chrono_literals;

using libpool::actor_pool;
using libpool::errc;
using test::comes_true;
using test::patience;
using test::scripted;

namespace {

/// Actors outlive the handles of a test, but not the numbers that they count.
struct world {
  std::atomic<std::size_t> completed{0};
  std::atomic<int> ran{0};
  std::promise<void> opener;
  std::shared_future<void> opened = opener.get_future().share();
  libpool::managed_options options;
  test::config cfg;
  caf::actor_system system{cfg};
  caf::actor pool;

  explicit world(std::size_t threads = 2) : cfg(threads) {
    options.on_settled = [this](const libpool::settled_task& task) {
      completed += task.how == libpool::outcome::completed ? 1 : 0;
    };
    options.when_empty = libpool::when_empty::wait;
  }

  world(const world&) = delete;
  world& operator=(const world&) = delete;

  ~world() {
    if (!pool)
      return;
    caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
    CHECK(stats().tasks.balances());
  }

  void populate(std::size_t n, const std::function<caf::actor()>& factory) {
    options.workers = n;
    pool = libpool::spawn_pool(system, options, factory);
  }

  /// Doubles numbers, and throws at 13.
  int handle(int x) {
    ++ran;
    if (x == 13)
      throw std::runtime_error{"unlucky"};
    return 2 * x;
  }

  /// A worker that handles numbers in a thread of its own, and ends at 0.
  caf::actor blocking() {
    return system.spawn([this](caf::blocking_actor* self) {
      auto running = true;
      self->receive_while(running)(
        [&](int x) {
          running = x != 0;
          return handle(x);
        },
        [&](caf::exit_msg&) { running = false; });
    });
  }

  /// The same as an event-based actor.
  scripted::script doubling() {
    return [this](scripted& self) -> caf::behavior {
      return {[&self, this](int x) {
        if (x == 0)
          self.quit();
        return handle(x);
      }};
    };
  }

  caf::actor detached() {
    return system.spawn<scripted, caf::detached>(doubling());
  }

  /// A worker that looks at no message until the gate is open, then ends.
  caf::actor deaf() {
    return system.spawn(
      [until = opened](caf::blocking_actor*) { until.wait_for(patience); });
  }

  /// The answer, or the error, or nothing in time.
  caf::expected<int> ask(const caf::actor& one, int x) {
    caf::expected<int> result{caf::sec::request_timeout};
    caf::scoped_actor self{system};
    self->request(one, patience, x)
      .receive([&](int y) { result = y; },
               [&](caf::error& why) { result = std::move(why); });
    return result;
  }

  libpool::pool_stats stats() const {
    return actor_pool::stats(pool);
  }

  bool is_gone_after_release() {
    auto address = pool.address();
    pool = nullptr;
    return comes_true([&] {
      return caf::actor_cast<caf::strong_actor_ptr>(address) == nullptr;
    });
  }
};

} // namespace

TEST_CASE_FIXTURE(world, "each task of a pool of blocking or detached workers "
                         "runs once and completes once, even if workers end "
                         "at any time") {
  options.restart.max = 100;
  options.restart.pause = options.restart.longest_pause = 0ms;
  options.window = 16;
  SUBCASE("blocking workers") {
    populate(3, [this] { return blocking(); });
  }
  SUBCASE("detached workers") {
    populate(3, [this] { return detached(); });
  }
  for (auto i = 0; i < 200; ++i)
    caf::anon_send(pool, i == 50 || i == 100 ? 0 : i + 1000);
  caf::anon_send(pool, 13);
  CHECK(*ask(pool, 21) == 42);
  auto failed = ask(pool, 13);
  REQUIRE_FALSE(failed);
  CHECK(*ask(pool, 22) == 44);
  REQUIRE(comes_true([&] { return stats().tasks.open() == 0; }));
  CHECK(ran == 204);
  auto books = stats().tasks;
  CHECK(books.balances());
  CHECK(books.completed == 202);
  CHECK(books.failed == 2);
  CHECK(comes_true([&] { return completed == 202; }));
}

TEST_CASE_FIXTURE(
  world, "a blocking worker has at most one task, regardless of the window") {
  options.window = 4;
  populate(1, [this] { return deaf(); });
  for (auto i = 0; i < 4; ++i)
    caf::anon_send(pool, i);
  CHECK(stats().members.at(0).in_flight == 1);
  CHECK(stats().tasks.waiting == 3);
  opener.set_value();
}

TEST_CASE_FIXTURE(world,
                  "the handler of a blocking worker sees the task of its "
                  "message, and is asked to stop") {
  options.id_of = libpool::flow_by<int>();
  options.trace_of = [](const libpool::message_content& content) {
    return "trace " + std::to_string(content.get_as<int>(0));
  };
  std::vector<libpool::running_task> tasks;
  populate(1, [&] {
    return system.spawn([&](caf::blocking_actor* self) {
      auto running = true;
      self->receive_while(running)(
        [&](int x) {
          tasks.push_back(libpool::this_task(self));
          CHECK_FALSE(tasks.back().stop_requested());
          if (x == 8)
            actor_pool::cancel(pool, libpool::selection::of_id("8"));
          return x;
        },
        [&](caf::exit_msg&) { running = false; });
    });
  });
  CHECK(*ask(pool, 7) == 7);
  CHECK(*ask(pool, 8) == 8);
  auto worker = stats().members.at(0).worker;
  CHECK(*ask(caf::actor_cast<caf::actor>(worker), 9) == 9);
  REQUIRE(tasks.size() == 3);
  CHECK(tasks[0].number() == 1);
  CHECK(tasks[0].attempt() == 1);
  CHECK(tasks[0].id() == "7");
  CHECK(tasks[0].trace() == "trace 7");
  CHECK_FALSE(tasks[0].stop_requested());
  CHECK(tasks[1].number() == 2);
  CHECK(tasks[1].id() == "8");
  CHECK(tasks[1].stop_requested());
  CHECK_FALSE(tasks[2]);
}

TEST_CASE_FIXTURE(world,
                  "a message in the mailbox of a blocking worker cannot be "
                  "taken back: its client is answered when it is cancelled, "
                  "and its handler is asked to stop from the beginning") {
  options.id_of = libpool::flow_by<int>();
  options.deadline = 1h; // so that the pool answers clients
  std::promise<bool> asked;
  populate(1, [&] {
    return system.spawn([&](caf::blocking_actor* self) {
      opened.wait_for(patience);
      auto running = true;
      self->receive_while(running)(
        [&](int x) {
          if (x == 7)
            asked.set_value(libpool::this_task(self).stop_requested());
          return x;
        },
        [&](caf::exit_msg&) { running = false; });
    });
  });
  caf::scoped_actor self{system};
  auto request = self->request(pool, patience, 7);
  CHECK(stats().members.at(0).in_flight == 1);
  auto counts = actor_pool::cancel(pool, libpool::selection::of_id("7"));
  CHECK(counts.waiting == 0);
  CHECK(counts.running == 1);
  caf::error why;
  request.receive([](int) {}, [&](caf::error& e) { why = std::move(e); });
  CHECK(why == errc::cancelled);
  opener.set_value();
  auto is_asked = asked.get_future();
  REQUIRE(is_asked.wait_for(patience) == std::future_status::ready);
  CHECK(is_asked.get());
  CHECK(*ask(pool, 8) == 8);
}

TEST_CASE_FIXTURE(
  world,
  "a pool that is drained, stopped and released together completes its task") {
  constexpr auto many = 3000;
  for (auto i = 1; i <= many; ++i) {
    CAPTURE(i);
    populate(1, [this] { return system.spawn<scripted>(doubling()); });
    CHECK(*ask(pool, 100 + i) == 2 * (100 + i));
    actor_pool::drain(pool);
    CHECK(stats().tasks.balances());
    caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
    pool = nullptr;
  }
  CHECK(comes_true([&] { return completed == many; }));
}

TEST_CASE("all tasks in flight are settled when an actor system shuts down") {
  for (auto round = 0; round < 10; ++round) {
    CAPTURE(round);
    auto shut_down = std::async(std::launch::async, [round] {
      std::atomic<int> settled{0};
      {
        world w;
        w.options.window = 4;
        w.options.on_settled = [&](const libpool::settled_task&) { ++settled; };
        if (round % 2 == 1)
          w.options.deadline = 1h;
        w.populate(3, [&] {
          return round % 3 == 0 ? w.blocking()
                                : w.system.spawn<scripted>(w.doubling());
        });
        for (auto i = 1; i <= 500; ++i)
          caf::anon_send(w.pool, i + 100);
        if (round % 4 != 0)
          w.pool = nullptr;
      }
      return settled == 500;
    });
    REQUIRE(shut_down.wait_for(patience) == std::future_status::ready);
    CHECK(shut_down.get());
  }
}

TEST_CASE("a detached worker does not occupy a thread of the scheduler") {
  world w{1};
  w.populate(1, [&] {
    return w.system.spawn<scripted, caf::detached>(
      [](scripted&) -> caf::behavior {
        return {[](int x) {
          auto end = std::chrono::steady_clock::now() + 15ms;
          while (std::chrono::steady_clock::now() < end)
            std::this_thread::yield(); // long enough for a worker to pause
          return x;
        }};
      });
  });
  std::promise<int> answered;
  auto blocks_the_scheduler =
    w.system.spawn<scripted>([&](scripted&) -> caf::behavior {
      return {[&](caf::ok_atom) {
        auto count = 0;
        for (auto i = 0; i < 3; ++i)
          count += w.ask(w.pool, i) ? 1 : 0;
        answered.set_value(count);
      }};
    });
  caf::anon_send(blocks_the_scheduler, caf::ok_atom{});
  CHECK(answered.get_future().get() == 3);
}

TEST_CASE_FIXTURE(world, "a deadline holds for a task that a blocking worker "
                         "never takes from its mailbox, and the pool is "
                         "destroyed when the worker ends") {
  options.deadline = 50ms;
  populate(1, [this] { return deaf(); });
  caf::error why;
  caf::scoped_actor self{system};
  auto request = self->request(pool, patience, 1);
  SUBCASE("the worker remains") {}
  SUBCASE("the worker is removed") {
    caf::anon_send(pool, caf::sys_atom{}, caf::delete_atom{});
  }
  request.receive([](int) {}, [&](caf::error& e) { why = std::move(e); });
  CHECK(why == errc::deadline_exceeded);
  opener.set_value();
  CHECK(comes_true([&] { return stats().members.empty(); }));
  CHECK(is_gone_after_release());
}

TEST_CASE_FIXTURE(world,
                  "a blocking worker that waits for its own pool gets an "
                  "error if all other workers wait, too, unless others "
                  "stand in for them") {
  auto ask_on = [this](caf::blocking_actor* self) {
    auto running = true;
    self->receive_while(running)(
      [&](int x) -> caf::result<int> {
        auto result = caf::expected<int>{1};
        if (x > 0)
          self->request(pool, patience, x - 1)
            .receive([&](int y) { result = y + 1; },
                     [&](caf::error& why) { result = std::move(why); });
        return result;
      },
      [&](caf::exit_msg&) { running = false; });
  };
  auto is_enough = false;
  SUBCASE("with stand-ins") {
    options.stand_ins = 1;
    is_enough = true;
  }
  SUBCASE("without") {}
  SUBCASE("without, and facts can wait") {
    options.measure_times = false;
  }
  populate(2, [this, ask_on] { return system.spawn(ask_on); });
  CHECK(*ask(pool, 1) == 2);
  auto deeper = ask(pool, 2);
  if (is_enough)
    CHECK(*deeper == 3);
  else
    CHECK(deeper.error() == errc::cycle);
  CHECK(*ask(pool, 1) == 2);
  CHECK(comes_true([&] { return stats().members.size() == 2; }));
}

TEST_CASE_FIXTURE(
  world, "requests fail with no_workers even if a removed worker still runs") {
  options.when_empty = libpool::when_empty::end;
  options.measure_times = false; // so that facts can wait
  populate(1, [this] { return deaf(); });
  caf::anon_send(pool, 1);
  caf::anon_send(pool, 2);
  caf::anon_send(pool, caf::sys_atom{}, caf::delete_atom{});
  CHECK(ask(pool, 3).error() == errc::no_workers);
  CHECK(ask(pool, 4).error() == errc::no_workers);
  opener.set_value();
}

TEST_CASE_FIXTURE(world, "messages that a blocking worker has skipped do not "
                         "remain open when the worker ends") {
  auto skips = system.spawn([](caf::blocking_actor* self) {
    self->receive([](caf::ok_atom) { /* skips numbers until then */ });
  });
  pool = actor_pool::make(system, actor_pool::shared_queue(options));
  auto put = [&](const caf::actor& worker) {
    caf::scoped_actor self{system};
    self->request(pool, patience, caf::sys_atom{}, caf::put_atom{}, worker)
      .receive([] {}, [](caf::error&) {});
  };
  put(skips);
  caf::scoped_actor self{system};
  auto request = self->request(pool, patience, 21);
  caf::anon_send(pool, 1);
  CHECK(comes_true([&] { return stats().tasks.running == 1; }));
  put(blocking());
  caf::anon_send(std::exchange(skips, nullptr), caf::ok_atom{});
  auto answers = 0; // the result, unless CAF has told of the worker's end
  request.receive([&](int x) { answers += x == 42 ? 1 : 0; },
                  [&](caf::error& e) {
                    answers += e == caf::sec::request_receiver_down ? 1 : 0;
                  });
  CHECK(answers == 1);
  CHECK(comes_true([&] { return stats().tasks.open() == 0; }));
  CHECK(stats().tasks.completed >= 1); // the other message
  caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
  CHECK(is_gone_after_release());
}

TEST_CASE_FIXTURE(world, "a message cancelled by an outer pool at its deadline "
                         "does not block a worker of an inner pool") {
  libpool::managed_options inner;
  inner.workers = 1;
  inner.window = 4;
  inner.when_empty = libpool::when_empty::wait;
  pool = libpool::spawn_pool(system, inner, [this] {
    return system.spawn([this](caf::blocking_actor* self) {
      auto running = true;
      self->receive_while(running)(
        [&](int x) {
          opened.wait_for(patience);
          return 2 * x;
        },
        [&](caf::exit_msg&) { running = false; });
    });
  });
  options.deadline = 20ms;
  auto middle = actor_pool::make(
    system, 1, [this] { return pool; }, actor_pool::shared_queue());
  auto outer = actor_pool::make(
    system, 1, [&] { return middle; }, actor_pool::shared_queue(options));
  caf::anon_send(pool, 1); // keeps the worker busy
  for (auto i = 0; i < 3; ++i)
    CHECK(ask(outer, i).error() == errc::deadline_exceeded);
  opener.set_value();
  CHECK(*ask(pool, 4) == 8);
  CHECK(comes_true([&] { return stats().tasks.open() == 0; }));
  for (auto& each : {outer, middle})
    caf::anon_send_exit(each, caf::exit_reason::user_shutdown);
}

TEST_CASE_FIXTURE(world,
                  "a message with a deadline of its own that comes between "
                  "short tasks is cancelled at its deadline, although a long "
                  "task runs") {
  options.deadline_of = [](const libpool::message_content& content) {
    return content.get_as<int>(0) < 0 ? std::optional<libpool::duration>{5ms}
                                      : std::nullopt;
  };
  std::atomic<int> cancelled{0};
  options.on_settled = [&](const libpool::settled_task& task) {
    cancelled += task.reason == errc::deadline_exceeded ? 1 : 0;
  };
  constexpr auto first_long = 1000;
  std::atomic<int> missed{0};
  std::atomic<int> seen{0};
  populate(1, [&] {
    return system.spawn<scripted>([&](scripted&) -> caf::behavior {
      return {[&](int x) {
        if (x < first_long)
          return;
        caf::anon_send(pool, -1);
        missed += comes_true([&] { return cancelled > x - first_long; }) ? 0
                                                                         : 1;
        ++seen;
      }};
    });
  });
  for (auto i = 0; i < 3; ++i) {
    for (auto short_one = 0; short_one < 3000; ++short_one)
      caf::anon_send(pool, 1);
    caf::anon_send(pool, first_long + i);
  }
  CHECK(comes_true([&] { return seen == 3; })); // `stats` would wake the pool
  CHECK(missed == 0);
  CHECK(comes_true([&] { return stats().tasks.open() == 0; }));
  CHECK(cancelled == 3);
}

} // namespace managed_threads_tests
