/// The makespan of tasks that are all at one of four workers, compared with the
/// least that is possible. Workers sleep for as long as a task takes, in
/// threads of their own, so that two cores are enough.

#include "libpool/pool.hpp"
#include "port/configuring.hpp"
#include "port/sending.hpp"

#include <caf/all.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

using our_pool = libpool::actor_pool;
using std::chrono::nanoseconds;
using namespace std::chrono_literals;

constexpr std::size_t workers = 4;
constexpr std::size_t tasks = 400;
constexpr std::size_t repetitions = 5;

class sleeper final : public caf::event_based_actor {
public:
  using caf::event_based_actor::event_based_actor;

  caf::behavior make_behavior() override {
    return {
      [](std::int64_t ns) { std::this_thread::sleep_for(nanoseconds{ns}); }};
  }
};

/// Waits until all tasks are settled.
class countdown {
public:
  void start(std::size_t n) {
    const std::lock_guard guard{mutex_};
    missing_ = n;
  }

  void done_one() {
    const std::lock_guard guard{mutex_};
    if (--missing_ == 0)
      changed_.notify_all();
  }

  void wait() {
    std::unique_lock guard{mutex_};
    changed_.wait(guard, [this] { return missing_ == 0; });
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t missing_ = 0;
};

struct contender {
  std::string name;
  our_pool::policy how;
};

struct workload {
  std::string name;
  std::vector<nanoseconds> lengths;

  double ideal() const {
    nanoseconds sum{0};
    for (auto each : lengths)
      sum += each;
    return static_cast<double>(sum.count()) / workers;
  }
};

std::vector<workload> workloads() {
  workload even{"400 tasks of 5 ms", std::vector<nanoseconds>(tasks, 5ms)};
  workload bimodal{"400 tasks, one in ten of 50 ms, others of 1 ms", {}};
  std::mt19937_64 draws{1};
  for (std::size_t i = 0; i < tasks; ++i)
    bimodal.lengths.push_back(draws() % 10 == 0 ? nanoseconds{50ms}
                                                : nanoseconds{1ms});
  return {std::move(even), std::move(bimodal)};
}

std::vector<contender> contenders(countdown& left) {
  libpool::managed_options options;
  options.on_settled = [&](const libpool::settled_task&) { left.done_one(); };
  libpool::home_options at_one;
  at_one.home_of = [](const libpool::message_content&) {
    return std::optional{std::size_t{0}};
  };
  libpool::message_functions homes;
  homes.home_of = at_one.home_of;
  libpool::recipe least_used;
  least_used.placement = "least_used";
  return {{"no stealing", our_pool::managed(least_used, options, homes)},
          {"work_stealing", our_pool::work_stealing(at_one, options)},
          {"shared_queue (no homes)", our_pool::shared_queue(options)}};
}

/// Makespan by the least possible.
double ratio(caf::actor_system& system, const contender& contender,
             const workload& load, countdown& left, std::uint64_t& stolen) {
  auto pool = our_pool::make(
    system, workers, [&] { return system.spawn<sleeper, caf::detached>(); },
    contender.how);
  left.start(load.lengths.size());
  auto begin = std::chrono::steady_clock::now();
  for (auto each : load.lengths)
    port::anon_send(pool, std::int64_t{each.count()});
  left.wait();
  auto took = std::chrono::steady_clock::now() - begin;
  stolen = our_pool::stats(pool).total.stolen;
  caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
  return static_cast<double>(nanoseconds{took}.count()) / load.ideal();
}

} // namespace

int main() {
  caf::actor_system_config cfg;
  libpool::set_up(cfg);
  port::set_threads(cfg, 2);
  caf::actor_system system{cfg};
  countdown left;
  auto all = contenders(left);
  for (const auto& load : workloads()) {
    fmt::print("{}, all at one of {} workers: time by the least possible\n",
               load.name, workers);
    std::vector<std::vector<double>> ratios(all.size());
    std::vector<std::uint64_t> stolen(all.size());
    for (std::size_t round = 0; round < repetitions; ++round)
      for (std::size_t i = 0; i < all.size(); ++i)
        ratios[i].push_back(ratio(system, all[i], load, left, stolen[i]));
    for (std::size_t i = 0; i < all.size(); ++i) {
      auto& mine = ratios[i];
      std::sort(mine.begin(), mine.end());
      fmt::print("  {:<24} {:5.3f} ({:.3f} to {:.3f}), {} stolen\n",
                 all[i].name, mine[repetitions / 2], mine.front(), mine.back(),
                 stolen[i]);
    }
  }
}
