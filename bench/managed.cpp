/// The cost and the gain of a managed pool, which keeps each message until a
/// worker has room for it. Tiny messages and requests show the cost; tasks of
/// unequal length show how much sooner all are done than where they are dealt
/// out in advance. Two threads do the work everywhere.

#include "port/configuring.hpp"
#include "port/sending.hpp"
#include "support/client.hpp"
#include "support/comparison.hpp"
#include "support/demanding_policies.hpp"
#include "support/rivals.hpp"
#include "support/stage.hpp"
#include "support/tally.hpp"
#include "support/workloads.hpp"

#include <caf/all.hpp>

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

using caf_pool = caf::actor_pool;
using our_pool = libpool::actor_pool;

using bench::workload;
using std::chrono::nanoseconds;

constexpr std::size_t threads = 2;

our_pool::policy untimed(const libpool::recipe& how) {
  libpool::managed_options options;
  options.measure_times = false;
  libpool::message_functions asked;
  if (how.placement.name()
      == "consistent_hash") // whose messages have a key, or none
    asked.key_of = [](const libpool::message_content&) {
      return std::optional<std::uint64_t>{};
    };
  return our_pool::managed(how, options, asked);
}

/// Has each of `n` workers be home to every n-th message.
libpool::home_options with_homes(std::size_t n) {
  libpool::home_options result;
  result.home_of =
    [n, next = std::size_t{0}](const libpool::message_content&) mutable {
      return std::optional{next++ % n};
    };
  return result;
}

/// The shared queue as it is by default, all managed policies of the catalogue,
/// which look at a clock only if their choices are made by the time, and work
/// stealing with homes.
void add_ours(
  bench::stage& on, bench::question& to,
  const std::function<bench::candidate(const std::string&, caf::actor)>& make) {
  to.candidates.push_back(
    make("libpool shared_queue, timed", on.ours(our_pool::shared_queue())));
  for (const auto& entry : libpool::managed_policies())
    to.candidates.push_back(
      make("libpool " + std::string{entry.name}, on.ours(untimed(entry))));
  auto homes = with_homes(on.workers().size());
  to.candidates.push_back(make("libpool work_stealing, homes",
                               on.ours(our_pool::work_stealing(homes))));
}

/// Pools that are asked for more than a plain shared queue.
void add_demanding(
  bench::stage& on, bench::question& to,
  const std::function<bench::candidate(const std::string&, caf::actor)>& make) {
  for (auto& [name, how] : bench::demanding_policies())
    to.candidates.push_back(make("libpool " + name, on.ours(how)));
}

// -- tiny messages and requests -----------------------------------------------

bench::question tiny_messages(int senders, bench::tally& count,
                              bench::stage& four, bench::rivals& others) {
  auto plain = [to = four.workers(), i = std::size_t{0}]() mutable {
    port::anon_send(to[i++ % to.size()], 42);
  };
  auto through = [&count](caf::actor pool) {
    return bench::handling(
      count, [pool = std::move(pool)] { port::anon_send(pool, 42); });
  };
  bench::question result{
    fmt::format("tiny messages end to end, 4 workers, senders: {}", senders),
    senders,
    {{"plain", bench::handling(count, plain)},
     {"caf round_robin", through(four.caf(caf_pool::round_robin()))},
     {"libpool round_robin", through(four.ours(our_pool::round_robin()))}}};
  auto make = [&](const std::string& name, caf::actor pool) {
    return bench::candidate{name, through(std::move(pool))};
  };
  add_ours(four, result, make);
  add_demanding(four, result, make);
  others.each([&](const char* name, auto& pool) {
    auto post = [&] { pool.post([&count] { count.handled_one(); }); };
    result.candidates.push_back({name, bench::handling(count, post)});
  });
  return result;
}

/// Requests to a stage of workers, `outstanding` of them under way all the
/// time.
bench::question requests(caf::actor_system& system, bench::stage& four,
                         std::int64_t outstanding) {
  auto to = [&system, outstanding](bench::actors targets) {
    return bench::calling(system, {std::move(targets), 1, outstanding});
  };
  bench::question result{
    fmt::format("{} outstanding requests, 4 workers", outstanding),
    1,
    {{"plain", to(four.workers())},
     {"caf round_robin", to({four.caf(caf_pool::round_robin())})},
     {"libpool round_robin", to({four.ours(our_pool::round_robin())})}}};
  auto make = [&](const std::string& name, caf::actor pool) {
    return bench::candidate{name, to({std::move(pool)})};
  };
  add_ours(four, result, make);
  add_demanding(four, result, make);
  return result;
}

// -- makespan -----------------------------------------------------------------

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
        bench::spin(nanoseconds{length});
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
          bench::spin(tasks[i]);
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
    port::anon_send(to[i++ % to.size()], std::int64_t{length.count()});
  };
  auto through = [&](caf::actor pool) {
    return spinning(tasks, left, [pool = std::move(pool)](nanoseconds length) {
      port::anon_send(pool, std::int64_t{length.count()});
    });
  };
  bench::question result{
    "makespan per task, 2 workers: " + name,
    1,
    {{"index loop", index_loop(tasks)},
     {"plain", spinning(tasks, left, plain)},
     {"caf round_robin", through(two.caf(caf_pool::round_robin()))}}};
  add_ours(two, result, [&](const std::string& policy, caf::actor pool) {
    return bench::candidate{policy, through(std::move(pool))};
  });
  others.each([&](const char* rival, auto& pool) {
    auto post = [&](nanoseconds length) {
      pool.post([&left, length] {
        bench::spin(length);
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
  libpool::set_up(cfg);
  port::set_threads(cfg, threads);
  caf::actor_system system{cfg};
  bench::rivals others{threads};
  bench::tally count;
  bench::tally answers;
  countdown left;
  bench::stage four{system, bench::make_echoes(system, 4, count)};
  bench::stage asked{system, bench::make_echoes(system, 4, answers)};
  bench::stage two{system, make_spinners(system, 2, left)};
  const auto workloads = bench::workloads();
  std::vector<bench::question> questions{tiny_messages(1, count, four, others),
                                         tiny_messages(2, count, four, others),
                                         requests(system, asked, 64),
                                         requests(system, asked, 1000)};
  for (auto& [name, tasks] : workloads)
    questions.push_back(makespan(name, tasks, left, two, others));
  auto status = bench::compare(argc, argv, questions);
  four.close();
  asked.close();
  two.close();
  return status;
}
