/// Workers that have threads of their own, and pools that do not wait for them.

#include "libpool/pool.hpp"
#include "support/config.hpp"
#include "support/patience.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <future>
#include <thread>
#include <utility>

namespace managed_own_threads_tests {

using namespace std::chrono_literals;

using libpool::actor_pool;
using libpool::errc;
using test::comes_true;
using test::patience;

namespace {

struct one_thread : test::config {
  one_thread() : test::config(1) {
    // nop
  }
};

/// Looks at no message before it ends.
class deaf final : public caf::blocking_actor {
public:
  deaf(caf::actor_config& cfg, std::shared_future<void> until)
    : caf::blocking_actor(cfg), until_(std::move(until)) {
    // nop
  }

  void act() override {
    until_.wait();
  }

private:
  std::shared_future<void> until_;
};

struct world {
  one_thread cfg;
  caf::actor_system system{cfg};
  std::promise<void> opener;
  std::shared_future<void> opened = opener.get_future().share();
  libpool::managed_options options;

  world() {
    options.workers = 1;
    options.when_empty = libpool::when_empty::wait;
  }

  caf::actor deaf_pool() {
    return libpool::spawn_pool(system, options,
                               [this] { return system.spawn<deaf>(opened); });
  }
};

/// The error that comes for a request, if any does.
caf::error error_for(const caf::actor& pool, caf::actor_system& system) {
  caf::error result;
  caf::scoped_actor self{system};
  self->request(pool, patience, 1)
    .receive([](int) {}, [&](caf::error& why) { result = std::move(why); });
  return result;
}

/// Keeps a thread busy.
void spin(std::chrono::milliseconds time) {
  auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end)
    std::this_thread::yield();
}

} // namespace

TEST_CASE_FIXTURE(
  world, "a detached worker does not occupy a thread of the scheduler") {
  auto pool = libpool::spawn_pool(system, options, [this] {
    return system.spawn<caf::detached>(
      [](caf::event_based_actor*, int) -> caf::behavior {
        return {[](int x) {
          spin(15ms); // long enough for a worker to pause
          return x;
        }};
      },
      0);
  });
  std::promise<int> answered;
  auto blocks_the_scheduler = [&](caf::event_based_actor*,
                                  int) -> caf::behavior {
    return {[&](caf::ok_atom) {
      auto count = 0;
      caf::scoped_actor self{system};
      for (auto i = 0; i < 3; ++i)
        self->request(pool, patience, i)
          .receive([&](int) { ++count; }, [](caf::error&) {});
      answered.set_value(count);
    }};
  };
  caf::anon_send(system.spawn(blocks_the_scheduler, 0), caf::ok_atom{});
  CHECK(answered.get_future().get() == 3);
}

TEST_CASE_FIXTURE(world, "a pool is destroyed even if its blocking worker "
                         "never takes a cancelled task from the mailbox") {
  options.deadline = 10ms;
  auto pool = deaf_pool();
  CHECK(error_for(pool, system) == errc::deadline_exceeded);
  opener.set_value();
  CHECK(comes_true([&] { return actor_pool::stats(pool).members.empty(); }));
  auto address = pool.address();
  pool = nullptr;
  CHECK(comes_true([&] {
    return caf::actor_cast<caf::strong_actor_ptr>(address) == nullptr;
  }));
}

TEST_CASE_FIXTURE(world,
                  "a deadline holds for a task of a removed blocking worker") {
  options.deadline = 50ms;
  auto pool = deaf_pool();
  caf::scoped_actor self{system};
  caf::error why;
  auto request = self->request(pool, patience, 1);
  caf::anon_send(pool, caf::sys_atom{}, caf::delete_atom{});
  request.receive([](int) {}, [&](caf::error& e) { why = std::move(e); });
  CHECK(why == errc::deadline_exceeded);
  opener.set_value();
  CHECK(comes_true([&] { return actor_pool::stats(pool).members.empty(); }));
}

TEST_CASE_FIXTURE(
  world, "requests fail with no_workers even if a removed worker still runs") {
  options.when_empty = libpool::when_empty::end;
  options.measure_times = false; // so that facts can wait
  auto pool = deaf_pool();
  caf::anon_send(pool, 1);
  caf::anon_send(pool, 2);
  caf::anon_send(pool, caf::sys_atom{}, caf::delete_atom{});
  CHECK(error_for(pool, system) == errc::no_workers);
  CHECK(error_for(pool, system) == errc::no_workers);
  opener.set_value();
}

namespace {

/// Skips numbers, and ends when it is told to.
class skipping final : public caf::blocking_actor {
public:
  using caf::blocking_actor::blocking_actor;

  void act() override {
    auto ends = false;
    receive_while([&] { return !ends; })([&](caf::ok_atom) { ends = true; });
  }
};

/// Answers numbers until it is told to end.
class answering final : public caf::blocking_actor {
public:
  using caf::blocking_actor::blocking_actor;

  void act() override {
    auto ends = false;
    receive_while([&] { return !ends; })([](int x) { return 2 * x; },
                                         [&](caf::exit_msg&) { ends = true; });
  }
};

bool is_gone(const caf::actor_addr& address) {
  return caf::actor_cast<caf::strong_actor_ptr>(address) == nullptr;
}

} // namespace

TEST_CASE_FIXTURE(world, "messages that a blocking worker has skipped do not "
                         "remain open when the worker ends") {
  caf::actor_addr pool_address;
  {
    auto skips = caf::actor_cast<caf::actor>(system.spawn<skipping>());
    auto pool = actor_pool::make(system, actor_pool::shared_queue(options));
    pool_address = pool.address();
    caf::scoped_actor self{system};
    self->request(pool, patience, caf::sys_atom{}, caf::put_atom{}, skips)
      .receive([] {}, [](caf::error&) {});
    auto request = self->request(pool, patience, 21);
    caf::anon_send(pool, 1);
    CHECK(
      comes_true([&] { return actor_pool::stats(pool).tasks.running == 1; }));
    caf::anon_send(skips, caf::ok_atom{});
    caf::anon_send(pool, caf::sys_atom{}, caf::put_atom{},
                   caf::actor_cast<caf::actor>(system.spawn<answering>()));
    auto answers = 0; // the result, unless CAF has told of the worker's end
    request.receive([&](int x) { answers += x == 42 ? 1 : 0; },
                    [&](caf::error& e) {
                      answers += e == caf::sec::request_receiver_down ? 1 : 0;
                    });
    CHECK(answers == 1);
    auto is_open = [&] { return actor_pool::stats(pool).tasks.open() > 0; };
    CHECK(comes_true([&] { return !is_open(); }));
    CHECK(actor_pool::stats(pool).tasks.completed >= 1); // the other message
    caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
  }
  CHECK(comes_true([&] { return is_gone(pool_address); }));
}

TEST_CASE_FIXTURE(world, "a message cancelled by an outer pool at its deadline "
                         "does not block a worker of an inner pool") {
  std::promise<void> starter;
  auto started = starter.get_future().share();
  libpool::managed_options inner_options;
  inner_options.workers = 1;
  inner_options.window = 4;
  inner_options.when_empty = libpool::when_empty::wait;
  class slow final : public caf::blocking_actor {
  public:
    slow(caf::actor_config& cfg, std::shared_future<void> until)
      : caf::blocking_actor(cfg), until_(std::move(until)) {
      // nop
    }
    void act() override {
      auto ends = false;
      receive_while([&] { return !ends; })(
        [this](int x) {
          until_.wait();
          return 2 * x;
        },
        [&](caf::exit_msg&) { ends = true; });
    }

  private:
    std::shared_future<void> until_;
  };
  auto inner = libpool::spawn_pool(system, inner_options, [&] {
    return caf::actor_cast<caf::actor>(system.spawn<slow>(started));
  });
  options.deadline = 20ms;
  auto middle = actor_pool::make(
    system, 1, [&] { return inner; }, actor_pool::shared_queue());
  auto outer = actor_pool::make(
    system, 1, [&] { return middle; }, actor_pool::shared_queue(options));
  caf::anon_send(inner, 1); // keeps the worker busy
  for (auto i = 0; i < 3; ++i)
    CHECK(error_for(outer, system) == errc::deadline_exceeded);
  starter.set_value();
  caf::scoped_actor self{system};
  auto answered = 0;
  self->request(inner, patience, 4)
    .receive([&](int x) { answered = x; }, [](caf::error&) {});
  CHECK(answered == 8);
  CHECK(comes_true([&] { return actor_pool::stats(inner).tasks.open() == 0; }));
  for (auto& pool : {outer, middle, inner})
    caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
}

} // namespace managed_own_threads_tests
