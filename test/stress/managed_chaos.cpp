/// A managed pool under everything at once: clients that send as fast as they
/// may, workers that throw, and a killer that stops one of them every few
/// milliseconds. Nothing may be lost, and nothing may be done twice.

#include "libpool/pool.hpp"
#include "support/config.hpp"
#include "support/patience.hpp"
#include "support/soak.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <random>
#include <utility>
#include <vector>

using libpool::actor_pool;

namespace {

using test::ask_atom;
using test::tell_atom;
using test::tick_atom;

const std::uint32_t task_count = test::soaks() ? 1'000'000 : 100'000;

constexpr std::uint32_t client_count = 4;
constexpr std::size_t worker_count = 8;

/// How often each task ran, and whether it makes its handler throw.
struct tally {
  explicit tally(std::uint32_t tasks) : runs(tasks), throws(tasks) {
    std::mt19937 generator{7};
    for (auto&& each : throws)
      each = generator() % 500 == 0;
  }

  std::vector<std::atomic<std::uint8_t>> runs;
  std::vector<bool> throws;
};

class worker final : public caf::event_based_actor {
public:
  worker(caf::actor_config& cfg, std::shared_ptr<tally> counts)
    : caf::event_based_actor(cfg), counts_(std::move(counts)) {
    set_exception_handler([](caf::scheduled_actor*, std::exception_ptr&) {
      return caf::error{caf::sec::runtime_error}; // without a word
    });
  }

  caf::behavior make_behavior() override {
    return {
      [this](ask_atom, std::uint32_t task) {
        run(task);
        return task;
      },
      [this](tell_atom, std::uint32_t task) { run(task); },
    };
  }

private:
  void run(std::uint32_t task) {
    ++counts_->runs[task];
    if (counts_->throws[task])
      throw std::runtime_error("seeded");
  }

  std::shared_ptr<tally> counts_;
};

/// The answers that a client got.
struct returns {
  std::uint64_t answers = 0;
  std::uint64_t errors = 0;
};

/// Has tasks [first, last) done, some of them as requests, of which a bounded
/// number is outstanding; every fourth task is not one.
class client final : public caf::event_based_actor {
public:
  client(caf::actor_config& cfg, caf::actor pool, std::uint32_t first,
         std::uint32_t last, std::promise<returns> finished)
    : caf::event_based_actor(cfg),
      pool_(std::move(pool)),
      next_(first),
      last_(last),
      done_(std::move(finished)) {
    // nop
  }

  caf::behavior make_behavior() override {
    set_default_handler(caf::drop);
    // CAF 1 tells senders of asynchronous messages, too, if a handler throws.
    set_error_handler([](caf::error&) {});
    go_on();
    return {[](tick_atom) {}};
  }

private:
  void go_on() {
    for (; next_ != last_ && outstanding_ < 64; ++next_)
      if (next_ % 4 == 0)
        send(pool_, tell_atom{}, next_);
      else
        ask(next_);
    if (outstanding_ == 0) {
      done_.set_value(returns_);
      quit();
    }
  }

  void ask(std::uint32_t task) {
    ++outstanding_;
    request(pool_, caf::infinite, ask_atom{}, task)
      .then(
        [this, task](std::uint32_t same) {
          returned(same == task ? returns_.answers : returns_.errors);
        },
        [this](const caf::error&) { returned(returns_.errors); });
  }

  void returned(std::uint64_t& count) {
    ++count;
    --outstanding_;
    go_on();
  }

  caf::actor pool_;
  std::uint32_t next_;
  std::uint32_t last_;
  std::promise<returns> done_;
  returns returns_;
  std::uint32_t outstanding_ = 0;
};

/// Stops a random worker of the pool every few milliseconds.
class killer final : public caf::event_based_actor {
public:
  killer(caf::actor_config& cfg, caf::actor pool)
    : caf::event_based_actor(cfg), pool_(std::move(pool)) {
    // nop
  }

  caf::behavior make_behavior() override {
    set_default_handler(caf::drop);
    delayed_send(this, std::chrono::milliseconds(3), tick_atom{});
    return {[this](tick_atom) {
      request(pool_, caf::infinite, caf::sys_atom{}, caf::get_atom{})
        .then([this](const std::vector<caf::actor>& workers) { kill(workers); },
              [this](const caf::error&) { quit(); });
    }};
  }

private:
  void kill(const std::vector<caf::actor>& workers) {
    if (!workers.empty())
      caf::anon_send_exit(workers[generator_() % workers.size()],
                          caf::exit_reason::kill);
    delayed_send(this, std::chrono::milliseconds(3), tick_atom{});
  }

  caf::actor pool_;
  std::mt19937 generator_{11};
};

struct two_threads : test::config {
  two_threads() : test::config(2) {
    // nop
  }
};

/// The numbers of settled tasks by outcome.
struct settled_counts {
  std::atomic<std::uint64_t> completed{0};
  std::atomic<std::uint64_t> failed{0};
};

libpool::managed_options options_with(settled_counts& counts) {
  libpool::managed_options result;
  result.restart.max = 1'000'000;
  result.restart.pause = std::chrono::microseconds{0};
  result.restart.longest_pause = std::chrono::microseconds{0};
  result.on_settled = [&counts](const libpool::settled_task& task) {
    ++(task.how == libpool::outcome::completed ? counts.completed
                                               : counts.failed);
  };
  return result;
}

returns run_clients(caf::actor_system& system, const caf::actor& pool,
                    std::uint32_t tasks) {
  std::vector<std::future<returns>> all;
  auto share = tasks / client_count;
  for (std::uint32_t i = 0; i < client_count; ++i) {
    std::promise<returns> done;
    all.push_back(done.get_future());
    system.spawn<client>(pool, i * share, (i + 1) * share, std::move(done));
  }
  returns result;
  for (auto& each : all) {
    REQUIRE(each.wait_for(test::patience) == std::future_status::ready);
    auto [answers, errors] = each.get();
    result.answers += answers;
    result.errors += errors;
  }
  return result;
}

void stop(caf::actor_system& system, const caf::actor& pool) {
  caf::scoped_actor self{system};
  caf::anon_send_exit(pool, caf::exit_reason::kill);
  self->wait_for(pool);
}

void drain(caf::actor_system& system, const caf::actor& pool) {
  caf::scoped_actor self{system};
  auto drained = false;
  self->request(pool, test::patience, caf::sys_atom{}, libpool::drain_atom{})
    .receive([&] { drained = true; }, [](const caf::error&) {});
  REQUIRE(drained);
}

/// Runs `tasks` tasks through chaos; each may run `most` times. Returns what
/// the pool says at the end.
libpool::pool_stats survive(std::uint32_t tasks, unsigned most,
                            const libpool::policy& how) {
  two_threads cfg;
  caf::actor_system system{cfg};
  auto counts = std::make_shared<tally>(tasks);
  auto make_worker = [&system, counts] { return system.spawn<worker>(counts); };
  auto pool = actor_pool::make(system, worker_count, make_worker, how);
  auto death = system.spawn<killer>(pool);
  auto back = run_clients(system, pool, tasks);
  stop(system, death);
  drain(system, pool);

  auto told = actor_pool::stats(pool);
  auto& books = told.tasks;
  CHECK(books.accepted == tasks);
  CHECK(books.refused == 0);
  CHECK(books.accepted == books.completed + books.failed);
  CHECK(back.answers + back.errors == tasks - tasks / 4);
  CHECK(told.restarts > 0);
  std::uint64_t never_ran = 0;
  std::uint64_t ran_too_often = 0;
  std::uint64_t ran_again = 0;
  for (auto& each : counts->runs) {
    never_ran += each == 0;
    ran_too_often += each > most;
    ran_again += each > 1;
  }
  CHECK(never_ran == 0);
  CHECK(ran_too_often == 0);
  CHECK((ran_again > 0) == (most > 1));
  return told;
}

/// The same, with a listener that is told of each task.
void survive_settling(std::uint32_t tasks, unsigned most,
                      const libpool::managed_options& options,
                      const settled_counts& settled) {
  auto told = survive(tasks, most, actor_pool::shared_queue(options));
  CHECK(told.tasks.completed == settled.completed);
  CHECK(told.tasks.failed == settled.failed);
  CHECK(told.leases == 0);
}

} // namespace

TEST_CASE(
  "tasks are not lost and do not run twice while workers crash and leave") {
  settled_counts settled;
  survive_settling(task_count, 1, options_with(settled), settled);
}

TEST_CASE("tasks that workers get together, in leases, are not lost and do not "
          "run twice while workers crash and leave") {
  settled_counts settled;
  auto options = options_with(settled);
  options.on_settled = nullptr;
  auto how = actor_pool::shared_queue(options);
  SUBCASE("with measured times") {
    CHECK(options.measure_times);
  }
  SUBCASE("without measured times") {
    options.measure_times = false;
    how = actor_pool::shared_queue(options);
  }
  SUBCASE("with a flow for each client") {
    how = actor_pool::fair_queuing({}, options);
  }
  SUBCASE("with stealing and without homes") {
    how = actor_pool::work_stealing({}, options);
  }
  auto told = survive(task_count, 1, how);
  CHECK(told.leases > 0);
}

TEST_CASE(
  "tasks with retries are not lost, and run at most as often as allowed") {
  settled_counts settled;
  auto options = options_with(settled);
  options.on_crash = libpool::retry{2};
  survive_settling(task_count / 10, 3, options, settled);
}

TEST_CASE(
  "tasks are not lost or run twice with large windows and late answers") {
  settled_counts settled;
  auto options = options_with(settled);
  options.window = 16;
  options.busy_until = libpool::busy_until::answer;
  options.deadline = std::chrono::minutes{1};
  survive_settling(task_count / 10, 1, options, settled);
}
