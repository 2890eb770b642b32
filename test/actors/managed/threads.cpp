/// Managed pools with workers that need threads: blocking and detached ones,
/// and whole systems that shut down. Nothing here waits without a bound.

#include "libpool/pool.hpp"
#include "support/config.hpp"
#include "support/patience.hpp"
#include "support/port/ways.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace managed_threads_tests {

using namespace std::chrono_literals;

using libpool::actor_pool;
using libpool::errc;
using libpool::outcome;
using test::patience;

namespace {

struct two_threads : test::config {
  two_threads() : test::config(2) {
    // nop
  }
};

/// Counts settled tasks, and lets one wait for a number of them.
class settled_count {
public:
  std::function<void(const libpool::settled_task&)> counter() {
    return [this](const libpool::settled_task& settled) {
      std::lock_guard<std::mutex> guard{mutex_};
      ++counts_[static_cast<std::size_t>(settled.how)];
      ++total_;
      changed_.notify_all();
    };
  }

  bool wait_for(std::size_t n) {
    std::unique_lock<std::mutex> guard{mutex_};
    return changed_.wait_for(guard, patience, [&] { return total_ >= n; });
  }

  std::size_t of(outcome how) {
    std::lock_guard<std::mutex> guard{mutex_};
    return counts_[static_cast<std::size_t>(how)];
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::array<std::size_t, 4> counts_{};
  std::size_t total_ = 0;
};

/// Waits in its own thread; doubles numbers, throws at 13, ends at 0.
class blocking_worker final : public caf::blocking_actor {
public:
  blocking_worker(caf::actor_config& cfg, std::shared_ptr<std::atomic<int>> ran)
    : caf::blocking_actor(cfg), ran_(std::move(ran)) {
    // nop
  }

  void act() override {
    auto running = true;
    receive_while(running)(
      [&](int x) {
        ++*ran_;
        if (x == 13)
          throw std::runtime_error{"unlucky"};
        running = x != 0;
        return 2 * x;
      },
      [&](caf::exit_msg& message) {
        fail_state(std::move(message.reason));
        running = false;
      });
  }

private:
  std::shared_ptr<std::atomic<int>> ran_;
};

/// Where workers wait until a test lets them go.
class gate {
public:
  void pass() {
    std::unique_lock<std::mutex> guard{mutex_};
    somebody_waits_ = true;
    changed_.notify_all();
    changed_.wait_for(guard, patience, [this] { return is_open_; });
  }

  void open() {
    std::lock_guard<std::mutex> guard{mutex_};
    is_open_ = true;
    changed_.notify_all();
  }

  bool somebody_waits() {
    std::unique_lock<std::mutex> guard{mutex_};
    return changed_.wait_for(guard, patience,
                             [this] { return somebody_waits_; });
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool somebody_waits_ = false;
  bool is_open_ = false;
};

/// Passes the gate with each task.
class gated_worker final : public caf::blocking_actor {
public:
  gated_worker(caf::actor_config& cfg, std::shared_ptr<gate> door)
    : caf::blocking_actor(cfg), door_(std::move(door)) {
    // nop
  }

  void act() override {
    auto running = true;
    receive_while(running)([&](int) { door_->pass(); },
                           [&](caf::exit_msg& message) {
                             fail_state(std::move(message.reason));
                             running = false;
                           });
  }

private:
  std::shared_ptr<gate> door_;
};

class event_worker final : public caf::event_based_actor {
public:
  event_worker(caf::actor_config& cfg, std::shared_ptr<std::atomic<int>> ran)
    : caf::event_based_actor(cfg), ran_(std::move(ran)) {
    set_exception_handler([](caf::scheduled_actor*, std::exception_ptr&) {
      return caf::error{caf::sec::runtime_error};
    });
  }

  caf::behavior make_behavior() override {
    return {[this](int x) {
      ++*ran_;
      if (x == 13)
        throw std::runtime_error{"unlucky"};
      if (x == 0)
        quit();
      return 2 * x;
    }};
  }

private:
  std::shared_ptr<std::atomic<int>> ran_;
};

struct world {
  two_threads cfg;
  settled_count settled;
  std::shared_ptr<std::atomic<int>> ran = std::make_shared<std::atomic<int>>(0);
  libpool::managed_options options;
  caf::actor_system system{cfg};
  caf::actor pool;

  world() {
    options.on_settled = settled.counter();
    options.when_empty = libpool::when_empty::wait;
  }

  world(const world&) = delete;
  world& operator=(const world&) = delete;

  ~world() {
    if (!pool)
      return;
    caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
    auto books = actor_pool::stats(pool).tasks;
    CHECK(books.balances());
  }

  void populate(std::size_t n, const std::function<caf::actor()>& factory) {
    options.workers = n;
    pool = libpool::spawn_pool(system, options, factory);
  }

  caf::actor blocking() {
    return system.spawn<blocking_worker>(ran);
  }

  caf::actor detached() {
    return system.spawn<event_worker, caf::detached>(ran);
  }

  void restart_at_once() {
    options.restart.max = 100;
    options.restart.pause = 0ms;
    options.restart.longest_pause = 0ms;
  }

  /// The answer, or the error, or nothing in time.
  caf::expected<int> ask(caf::scoped_actor& self, int x) {
    caf::expected<int> result{caf::sec::request_timeout};
    self->request(pool, patience, x)
      .receive([&](int y) { result = y; },
               [&](caf::error& why) { result = std::move(why); });
    return result;
  }

  bool is_done() {
    auto books = actor_pool::stats(pool).tasks;
    return books.balances() && books.open() == 0;
  }
};

} // namespace

TEST_CASE_FIXTURE(
  world,
  "each task of a pool of blocking workers runs once and completes once") {
  options.window = 8; // blocking workers have a window of one nevertheless
  populate(2, [this] { return blocking(); });
  for (auto i = 1; i <= 10; ++i)
    caf::anon_send(pool, i);
  {
    caf::scoped_actor self{system};
    CHECK(*ask(self, 21) == 42);
  }
  REQUIRE(settled.wait_for(11));
  CHECK(settled.of(outcome::completed) == 11);
  CHECK(*ran == 11);
  CHECK(is_done());
}

TEST_CASE_FIXTURE(
  world, "a blocking worker has at most one task, regardless of the window") {
  options.window = 4;
  auto door = std::make_shared<gate>();
  populate(1, [this, door] { return system.spawn<gated_worker>(door); });
  for (auto i = 0; i < 4; ++i)
    caf::anon_send(pool, i);
  REQUIRE(door->somebody_waits());
  auto stats = actor_pool::stats(pool);
  door->open();
  REQUIRE(stats.members.size() == 1);
  CHECK(stats.members[0].in_flight == 1);
  CHECK(stats.tasks.waiting == 3);
  REQUIRE(settled.wait_for(4));
  CHECK(settled.of(outcome::completed) == 4);
}

TEST_CASE_FIXTURE(world, "a client gets an error if a blocking worker throws, "
                         "and other workers continue") {
  restart_at_once();
  populate(2, [this] { return blocking(); });
  caf::scoped_actor self{system};
  caf::anon_send(pool, 13);
  auto failed = ask(self, 13);
  REQUIRE_FALSE(failed);
  CHECK(failed.error() == errc::worker_crashed);
  CHECK(*ask(self, 2) == 4);
  REQUIRE(settled.wait_for(3));
  CHECK(settled.of(outcome::failed) == 2);
  CHECK(is_done());
}

TEST_CASE_FIXTURE(world,
                  "blocking workers that end at any time lose no tasks") {
  populate(3, [this] { return blocking(); });
  for (auto i = 0; i < 20; ++i)
    caf::anon_send(pool, i == 5 || i == 6 ? 0 : 100 + i);
  REQUIRE(settled.wait_for(20));
  CHECK(settled.of(outcome::completed) == 20);
  CHECK(*ran == 20);
  CHECK(is_done());
}

TEST_CASE_FIXTURE(world, "a client gets an error if a blocking worker ends "
                         "without taking its message") {
  populate(1, [this] { return blocking(); });
  auto worker = pool;
  std::promise<caf::error> told;
  auto waits = told.get_future();
  auto asker = std::thread{[&] {
    caf::scoped_actor self{system};
    self->request(pool, patience, std::string{"no such handler"})
      .receive([&] { told.set_value({}); },
               [&](caf::error& why) { told.set_value(std::move(why)); });
  }};
  caf::scoped_actor self{system};
  std::vector<caf::actor> workers;
  self->request(pool, patience, caf::sys_atom{}, caf::get_atom{})
    .receive([&](std::vector<caf::actor>& all) { workers = std::move(all); },
             [](const caf::error&) {});
  REQUIRE(workers.size() == 1);
  while (actor_pool::stats(pool).tasks.open() == 0)
    std::this_thread::yield();
  caf::anon_send_exit(workers[0], caf::exit_reason::user_shutdown);
  workers.clear();
  if (!test::skipped_requests_bounce) // it waits for another worker
    caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
  auto in_time = waits.wait_for(patience) == std::future_status::ready;
  CHECK(in_time);
  if (in_time)
    CHECK(waits.get() != caf::sec::request_timeout);
  if (!in_time)
    caf::anon_send_exit(pool, caf::exit_reason::kill);
  asker.join();
}

TEST_CASE_FIXTURE(
  world,
  "each task of a pool of detached workers runs once and completes once") {
  restart_at_once();
  options.window = 4;
  populate(2, [this] { return detached(); });
  for (auto i = 1; i <= 10; ++i)
    caf::anon_send(pool, i);
  caf::scoped_actor self{system};
  CHECK(*ask(self, 21) == 42);
  auto failed = ask(self, 13);
  CHECK_FALSE(failed);
  CHECK(*ask(self, 22) == 44);
  REQUIRE(settled.wait_for(13));
  CHECK(settled.of(outcome::completed) == 12);
  CHECK(settled.of(outcome::failed) == 1);
  CHECK(*ran == 13);
  CHECK(is_done());
}

TEST_CASE_FIXTURE(world, "detached workers that quit lose no tasks") {
  options.window = 16;
  populate(3, [this] { return detached(); });
  for (auto i = 0; i < 200; ++i)
    caf::anon_send(pool, i == 50 || i == 100 ? 0 : i + 1000);
  REQUIRE(settled.wait_for(200));
  CHECK(settled.of(outcome::completed) == 200);
  CHECK(*ran == 200);
  CHECK(is_done());
}

TEST_CASE_FIXTURE(
  world, "a worker that misses a deadline does not hold up the other workers") {
  struct gate {
    std::promise<void> opener;
    std::shared_future<void> opened = opener.get_future().share();
  };
  auto door = std::make_shared<gate>();
  options.deadline = 50ms;
  options.window = 2;
  class waiting_worker final : public caf::event_based_actor {
  public:
    waiting_worker(caf::actor_config& conf, std::shared_future<void> opened)
      : caf::event_based_actor(conf), opened_(std::move(opened)) {
      // nop
    }

    caf::behavior make_behavior() override {
      return {[this](int x) {
        if (x == 0)
          opened_.wait_for(patience);
        return x;
      }};
    }

  private:
    std::shared_future<void> opened_;
  };
  populate(2, [this, door] {
    return system.spawn<waiting_worker, caf::detached>(door->opened);
  });
  caf::scoped_actor self{system};
  auto late = ask(self, 0);
  REQUIRE_FALSE(late);
  CHECK(late.error() == errc::deadline_exceeded);
  for (auto i = 1; i < 20; ++i) {
    auto answer = ask(self, i);
    REQUIRE(answer);
    CHECK(*answer == i);
  }
  door->opener.set_value();
  REQUIRE(settled.wait_for(20));
  CHECK(settled.of(outcome::cancelled) == 1);
}

TEST_CASE_FIXTURE(
  world,
  "a pool that is drained, stopped and released together completes its task") {
  constexpr auto many = 3000;
  caf::scoped_actor self{system};
  for (auto i = 1; i <= many; ++i) {
    CAPTURE(i);
    populate(1, [this] { return system.spawn<event_worker>(ran); });
    auto answer = ask(self, 100 + i);
    REQUIRE(answer);
    CHECK(*answer == 2 * (100 + i));
    actor_pool::drain(pool);
    CHECK(actor_pool::stats(pool).tasks.balances());
    caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
    pool = nullptr;
  }
  REQUIRE(settled.wait_for(many));
  CHECK(settled.of(outcome::completed) == many);
}

TEST_CASE("all tasks in flight are settled when an actor system shuts down") {
  for (auto round = 0; round < 10; ++round) {
    CAPTURE(round);
    auto shut_down = std::async(std::launch::async, [round] {
      auto ran = std::make_shared<std::atomic<int>>(0);
      settled_count settled;
      {
        two_threads cfg;
        caf::actor_system system{cfg};
        libpool::managed_options options;
        options.workers = 3;
        options.window = 4;
        options.on_settled = settled.counter();
        if (round % 2 == 1)
          options.deadline = 1h;
        auto pool = libpool::spawn_pool(system, options, [&]() -> caf::actor {
          return round % 3 == 0 ? system.spawn<blocking_worker>(ran)
                                : system.spawn<event_worker>(ran);
        });
        for (auto i = 1; i <= 500; ++i)
          caf::anon_send(pool, i + 100);
        if (round % 4 == 0)
          caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
      }
      return settled.wait_for(500);
    });
    REQUIRE(shut_down.wait_for(patience) == std::future_status::ready);
    CHECK(shut_down.get());
  }
}

} // namespace managed_threads_tests
