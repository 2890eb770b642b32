/// A managed pool under everything at once: clients that send as fast as they
/// may, workers that throw, and a killer that stops one of them every few
/// milliseconds. Nothing may be lost, and nothing may be done twice.

#include "asking_client.hpp"
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
#include <memory>
#include <random>
#include <utility>
#include <vector>

using libpool::actor_pool;

namespace {

using test::tell_atom;
using test::tick_atom;

const std::uint32_t task_count = test::soaks() ? 1'000'000 : 100'000;

constexpr auto client_count = 4;
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
      [this](std::int64_t task) {
        run(task);
        return task;
      },
      [this](tell_atom, std::int64_t task) { run(task); },
    };
  }

private:
  void run(std::int64_t task) {
    auto i = static_cast<std::size_t>(task);
    ++counts_->runs[i];
    if (counts_->throws[i])
      throw std::runtime_error("seeded");
  }

  std::shared_ptr<tally> counts_;
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
    go_on();
    return {[this](tick_atom) {
      request(pool_, caf::infinite, caf::sys_atom{}, caf::get_atom{})
        .then(
          [this](const std::vector<caf::actor>& workers) {
            if (!workers.empty())
              caf::anon_send_exit(workers[generator_() % workers.size()],
                                  caf::exit_reason::kill);
            go_on();
          },
          [this](const caf::error&) { quit(); });
    }};
  }

private:
  void go_on() {
    delayed_send(this, std::chrono::milliseconds(3), tick_atom{});
  }

  caf::actor pool_;
  std::mt19937 generator_{11};
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

/// Runs `tasks` tasks through chaos; each may run `most` times. Returns what
/// the pool says at the end.
libpool::pool_stats survive(std::uint32_t tasks, unsigned most,
                            const libpool::policy& how) {
  test::config cfg{2};
  caf::actor_system system{cfg};
  auto counts = std::make_shared<tally>(tasks);
  auto make_worker = [&system, counts] { return system.spawn<worker>(counts); };
  auto pool = actor_pool::make(system, worker_count, make_worker, how);
  auto death = system.spawn<killer>(pool);
  test::asking_clients clients; // every fourth task is not a request
  const auto share = std::int64_t{tasks} / client_count;
  for (auto i = 0; i < client_count; ++i)
    clients.add(system, pool, {i * share, (i + 1) * share, 64, 1, 4});
  auto [right, wrong, errors] = clients.wait([] {});
  caf::scoped_actor self{system};
  caf::anon_send_exit(death, caf::exit_reason::kill);
  self->wait_for(death);
  auto drained = false;
  self->request(pool, test::patience, caf::sys_atom{}, libpool::drain_atom{})
    .receive([&] { drained = true; }, [](const caf::error&) {});
  REQUIRE(drained);
  auto told = actor_pool::stats(pool);
  auto& books = told.tasks;
  CHECK(books.accepted == tasks);
  CHECK(books.refused == 0);
  CHECK(books.accepted == books.completed + books.failed);
  CHECK(right + errors == tasks - tasks / 4);
  CHECK(wrong == 0);
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

} // namespace

TEST_CASE("tasks are not lost and do not run more often than allowed while "
          "workers crash and leave, whoever listens") {
  settled_counts settled;
  auto options = options_with(settled);
  auto tasks = task_count;
  auto most = 1U;
  auto has_leases = false;
  SUBCASE("without retries") {
    has_leases = true;
  }
  SUBCASE("with retries") {
    tasks /= 10;
    most = 3;
    options.on_crash = libpool::retry{2};
  }
  SUBCASE("with large windows and late answers") {
    tasks /= 10;
    options.window = 16;
    options.busy_until = libpool::busy_until::answer;
    options.deadline = std::chrono::minutes{1};
  }
  SUBCASE("in a pool that chooses its number of workers") {
    using namespace std::chrono_literals;
    tasks /= 10;
    options.autoscale = libpool::autoscale{0, 16, 100us, 2ms, 1ms};
  }
  auto told = survive(tasks, most, actor_pool::shared_queue(options));
  CHECK(told.tasks.completed == settled.completed);
  CHECK(told.tasks.failed == settled.failed);
  CHECK((!has_leases || told.leases > 0));
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
  CHECK(survive(task_count, 1, how).leases > 0);
}
