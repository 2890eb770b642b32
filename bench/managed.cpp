/// What does a managed pool cost, and what does it win? It keeps each message
/// until a worker has room for it. Tiny messages and requests show what that
/// costs; tasks of unequal length show how much sooner all are done than where
/// they are dealt out in advance. Two threads do the work everywhere.

#include "support/client.hpp"
#include "support/comparison.hpp"
#include "support/rivals.hpp"
#include "support/stage.hpp"

#include <caf/all.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

using caf_pool = caf::actor_pool;
using our_pool = libpool::actor_pool;

constexpr std::size_t threads = 2;

our_pool::policy untimed_queue() {
  libpool::managed_options options;
  options.measure_times = false;
  return our_pool::shared_queue(options);
}

// -- tiny messages and requests -----------------------------------------------

/// Counts tasks; each thread writes where nobody else does. All that is counted
/// has to be expected.
class tally {
public:
  /// Says that so many tasks are about to be sent.
  void expect(std::uint64_t n) {
    expected_ += n;
  }

  void handled_one() {
    auto& mine = cells_.at(number_of_thread()).handled;
    auto n = mine.load(std::memory_order_relaxed);
    mine.store(n + 1, std::memory_order_relaxed);
  }

  /// Waits until all are handled that are expected now.
  void wait() const {
    for (auto goal = expected_.load(); handled() < goal;)
      std::this_thread::sleep_for(std::chrono::microseconds{20});
  }

private:
  struct alignas(64) cell {
    std::atomic<std::uint64_t> handled{0};
  };

  static std::size_t number_of_thread() {
    static std::atomic<std::size_t> next{0};
    static thread_local const std::size_t mine = next++;
    return mine;
  }

  std::uint64_t handled() const {
    std::uint64_t result = 0;
    for (auto& each : cells_)
      result += each.handled.load(std::memory_order_relaxed);
    return result;
  }

  std::array<cell, 16> cells_;
  alignas(64) std::atomic<std::uint64_t> expected_{0};
};

/// Counts what it gets and gives it back.
class echo final : public caf::event_based_actor {
public:
  echo(caf::actor_config& cfg, tally& count)
    : caf::event_based_actor(cfg), count_(count) {
    // nop
  }

  caf::behavior make_behavior() override {
    return {
      [this](int x) {
        count_.handled_one();
        return x;
      },
    };
  }

private:
  tally& count_;
};

bench::actors make_echoes(caf::actor_system& system, std::size_t n,
                          tally& count) {
  bench::actors result;
  for (std::size_t i = 0; i < n; ++i)
    result.push_back(system.spawn<echo>(count));
  return result;
}

/// Sends batches and waits until each is handled.
template <class Send>
std::function<void(benchmark::State&)> handling(tally& count, Send send) {
  return [&count, send](benchmark::State& state) {
    constexpr std::uint64_t batch = 20000;
    // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): it has state
    auto mine = send;
    while (state.KeepRunningBatch(batch)) {
      count.expect(batch);
      for (std::uint64_t i = 0; i < batch; ++i)
        mine();
      count.wait();
    }
  };
}

bench::question tiny_messages(int senders, tally& count, bench::stage& four,
                              bench::rivals& others) {
  auto plain = [to = four.workers(), i = std::size_t{0}]() mutable {
    caf::anon_send(to[i++ % to.size()], 42);
  };
  auto through = [&count](caf::actor pool) {
    return handling(count,
                    [pool = std::move(pool)] { caf::anon_send(pool, 42); });
  };
  bench::question result{
    "tiny messages end to end, 4 workers, senders: " + std::to_string(senders),
    senders,
    {{"plain", handling(count, plain)},
     {"caf round_robin", through(four.caf(caf_pool::round_robin()))},
     {"libpool round_robin", through(four.ours(our_pool::round_robin()))},
     {"libpool shared_queue", through(four.ours(our_pool::shared_queue()))},
     {"the same, no times", through(four.ours(untimed_queue()))}}};
  others.each([&](const char* name, auto& pool) {
    auto post = [&] { pool.post([&count] { count.handled_one(); }); };
    result.candidates.push_back({name, handling(count, post)});
  });
  return result;
}

bench::question requests(caf::actor_system& system, bench::stage& four) {
  auto to = [&system](bench::actors targets) {
    return bench::calling(system, {std::move(targets), false, 64});
  };
  return {"64 outstanding requests, 4 workers",
          1,
          {{"plain", to(four.workers())},
           {"caf round_robin", to({four.caf(caf_pool::round_robin())})},
           {"libpool round_robin", to({four.ours(our_pool::round_robin())})},
           {"libpool shared_queue", to({four.ours(our_pool::shared_queue())})},
           {"the same, no times", to({four.ours(untimed_queue())})}}};
}

// -- makespan -----------------------------------------------------------------

using nanoseconds = std::chrono::nanoseconds;
using workload = std::vector<nanoseconds>;

nanoseconds ms(double x) {
  using milliseconds = std::chrono::duration<double, std::milli>;
  return std::chrono::duration_cast<nanoseconds>(milliseconds{x});
}

/// `n` tasks, the i-th of which takes `length(i)` milliseconds.
template <class Length>
workload make_workload(std::size_t n, Length length) {
  workload result;
  for (std::size_t i = 0; i < n; ++i)
    result.push_back(ms(length(i)));
  return result;
}

/// Of mean 0.2 ms, and with a deviation in the logarithm of 1.
workload lognormal() {
  std::mt19937 random{1};
  std::lognormal_distribution<double> length{std::log(0.2) - 0.5, 1};
  return make_workload(500, [&](std::size_t) { return length(random); });
}

workload ascending() {
  return make_workload(500, [](std::size_t i) {
    return 0.05 + 0.3 * static_cast<double>(i) / 500;
  });
}

/// One task in ten takes ten times as long.
workload bimodal() {
  std::mt19937 random{1};
  std::bernoulli_distribution is_long{0.1};
  return make_workload(500,
                       [&](std::size_t) { return is_long(random) ? 1 : 0.1; });
}

workload alternating() {
  return make_workload(200, [](std::size_t i) { return i % 2 == 0 ? 0.1 : 1; });
}

/// Works for so long. By the clock, so that a ratio of makespans shows who was
/// idle, and nothing else.
void spin(nanoseconds length) {
  auto end = std::chrono::steady_clock::now() + length;
  while (std::chrono::steady_clock::now() < end)
    ; // nop
}

/// Waits until all tasks of a run are done.
class countdown {
public:
  void start(std::size_t n) {
    missing_ = n;
  }

  void done_one() {
    if (--missing_ > 0)
      return;
    std::lock_guard<std::mutex> guard{mutex_};
    all_done_.notify_one();
  }

  void wait() {
    std::unique_lock<std::mutex> guard{mutex_};
    all_done_.wait(guard, [this] { return missing_ == 0; });
  }

private:
  std::atomic<std::size_t> missing_{0};
  std::mutex mutex_;
  std::condition_variable all_done_;
};

class spinner final : public caf::event_based_actor {
public:
  spinner(caf::actor_config& cfg, countdown& left)
    : caf::event_based_actor(cfg), left_(left) {
    // nop
  }

  caf::behavior make_behavior() override {
    return {
      [this](std::int64_t length) {
        spin(nanoseconds{length});
        left_.done_one();
      },
    };
  }

private:
  countdown& left_;
};

bench::actors make_spinners(caf::actor_system& system, std::size_t n,
                            countdown& left) {
  bench::actors result;
  for (std::size_t i = 0; i < n; ++i)
    result.push_back(system.spawn<spinner>(left));
  return result;
}

/// Two threads that take the next task from one counter.
std::function<void(benchmark::State&)> index_loop(const workload& tasks) {
  return [&tasks](benchmark::State& state) {
    while (state.KeepRunningBatch(static_cast<std::int64_t>(tasks.size()))) {
      std::atomic<std::size_t> next{0};
      auto loop = [&] {
        for (auto i = next++; i < tasks.size(); i = next++)
          spin(tasks[i]);
      };
      std::thread other{loop};
      loop();
      other.join();
    }
  };
}

/// Sends all tasks at once and waits until they are done.
template <class Send>
std::function<void(benchmark::State&)> spinning(const workload& tasks,
                                                countdown& left, Send send) {
  return [&tasks, &left, send](benchmark::State& state) {
    // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): it has state
    auto mine = send;
    while (state.KeepRunningBatch(static_cast<std::int64_t>(tasks.size()))) {
      left.start(tasks.size());
      for (auto length : tasks)
        mine(length);
      left.wait();
    }
  };
}

bench::question makespan(const std::string& name, const workload& tasks,
                         countdown& left, bench::stage& two,
                         bench::rivals& others) {
  auto plain = [to = two.workers(),
                i = std::size_t{0}](nanoseconds length) mutable {
    caf::anon_send(to[i++ % to.size()], std::int64_t{length.count()});
  };
  auto through = [&](caf::actor pool) {
    return spinning(tasks, left, [pool = std::move(pool)](nanoseconds length) {
      caf::anon_send(pool, std::int64_t{length.count()});
    });
  };
  bench::question result{
    "makespan per task, 2 workers: " + name,
    1,
    {{"index loop", index_loop(tasks)},
     {"plain", spinning(tasks, left, plain)},
     {"caf round_robin", through(two.caf(caf_pool::round_robin()))},
     {"libpool shared_queue", through(two.ours(our_pool::shared_queue()))},
     {"the same, no times", through(two.ours(untimed_queue()))}}};
  others.each([&](const char* rival, auto& pool) {
    auto post = [&](nanoseconds length) {
      pool.post([&left, length] {
        spin(length);
        left.done_one();
      });
    };
    result.candidates.push_back({rival, spinning(tasks, left, post)});
  });
  return result;
}

} // namespace

int main(int argc, char** argv) {
  caf::actor_system_config cfg;
  cfg.set("scheduler.max-threads", threads);
  caf::actor_system system{cfg};
  bench::rivals others{threads};
  tally count;
  tally answers;
  countdown left;
  bench::stage four{system, make_echoes(system, 4, count)};
  bench::stage asked{system, make_echoes(system, 4, answers)};
  bench::stage two{system, make_spinners(system, 2, left)};
  const std::vector<std::pair<std::string, workload>> workloads{
    {"lognormal", lognormal()},
    {"ascending", ascending()},
    {"bimodal", bimodal()},
    {"alternating 0.1/1 ms", alternating()}};
  std::vector<bench::question> questions{tiny_messages(1, count, four, others),
                                         tiny_messages(2, count, four, others),
                                         requests(system, asked)};
  for (auto& [name, tasks] : workloads)
    questions.push_back(makespan(name, tasks, left, two, others));
  auto status = bench::compare(argc, argv, questions);
  four.close();
  asked.close();
  two.close();
  return status;
}
