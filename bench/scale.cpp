/// The cost of a choice by the number of workers. The dispatcher and a policy
/// alone: no actors, no threads, a virtual clock.

#include "support/comparison.hpp"

#include "libpool/core/dispatcher.hpp"
#include "libpool/core/restriction.hpp"
#include "libpool/policies/catalogue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <queue>
#include <string>
#include <utility>
#include <vector>

namespace {

using libpool::dispatcher;
using libpool::duration;
using libpool::instant;
using libpool::task;
using libpool::worker;

/// Says where tasks are, and where they may go; is told the number of each.
using arrangement = std::function<void(task&, std::size_t)>;

/// A pool in which as much is to be done all the time: whenever a worker ends a
/// task another one comes. Services differ, so that workers do.
class busy_pool {
public:
  busy_pool(const libpool::recipe& how, std::size_t workers,
            const arrangement& arrange)
    : pool_(libpool::compose(how), {}) {
    for (std::size_t i = 0; i < workers; ++i) {
      auto& worker = workers_.emplace_back();
      worker.number = libpool::worker_number{i};
      pool_.joined(worker, now_);
    }
    for (std::size_t i = 0; i < workers * 2; ++i) {
      auto& task = tasks_.emplace_back();
      arrange(task, i);
      submit(task);
    }
    decide();
  }

  busy_pool(const busy_pool&) = delete;
  busy_pool& operator=(const busy_pool&) = delete;

  /// Ends a task, and submits it anew.
  void turn() {
    auto [when, task] = running_.top();
    running_.pop();
    now_ = when;
    auto& worker = *task->on;
    pool_.finished(*task, libpool::ending::completed, now_);
    start(worker);
    submit(*task);
    decide();
  }

private:
  using ends = std::pair<instant, task*>;

  void submit(task& task) {
    pool_.submitted(task, now_);
  }

  void decide() {
    pool_.dispatch(now_);
    for (auto& each : pool_.decisions())
      if (each.is == libpool::decision::kind::send
          && &each.worker->mailbox.front() == each.task)
        start(*each.worker);
    pool_.decisions().clear();
  }

  /// Has the worker begin with the first of its mailbox.
  void start(worker& worker) {
    if (worker.mailbox.empty())
      return;
    auto& task = worker.mailbox.front();
    if (task.is != task::condition::sent)
      return;
    pool_.started(task, now_);
    running_.emplace(now_ + service(worker), &task);
  }

  /// 0.1 to 0.2 ms, and four times that on every fourth worker.
  duration service(const worker& worker) {
    state_ = state_ * 6364136223846793005 + 1442695040888963407;
    auto extra = static_cast<std::int64_t>((state_ >> 33) % 100000);
    auto slow = static_cast<std::uint64_t>(worker.number) % 4 == 0;
    return duration{(100000 + extra) * (slow ? 4 : 1)};
  }

  instant now_{};
  std::uint64_t state_ = 1;
  std::deque<task> tasks_; // outlive the workers, in whose lists they are
  std::deque<worker> workers_;
  std::priority_queue<ends, std::vector<ends>, std::greater<>> running_;
  dispatcher pool_; // goes before the tasks and workers that it knows
};

// -- where tasks are ----------------------------------------------------------

void anywhere(task&, std::size_t) {
  // Tasks go where the policy has them go.
}

/// Puts all tasks at so many of the workers.
arrangement at_homes(std::size_t homes) {
  return [homes](task& task, std::size_t i) {
    task.own_notes().home = libpool::worker_number{i % homes};
  };
}

/// Half of the workers have all tasks, which are too dear to move.
arrangement dear(std::size_t workers) {
  return [workers](task& task, std::size_t i) {
    at_homes(workers / 2)(task, i);
    task.own_notes().move = std::chrono::hours{1};
  };
}

/// Half of the workers have all tasks, and `named` of them may run each; the
/// more there are, the fewer tasks are alike.
arrangement restricted(std::size_t workers, std::size_t named) {
  auto homes = workers / 2;
  named = std::min(named, homes);
  auto choices = std::make_shared<std::deque<libpool::restriction>>();
  for (std::size_t first = 0; first < homes; first += named) {
    auto& choice = choices->emplace_back();
    for (std::size_t i = 0; i < named; ++i)
      choice.only.push_back(libpool::worker_number{(first + i) % homes});
    std::sort(choice.only.begin(), choice.only.end());
  }
  return [choices, homes, named](task& task, std::size_t i) {
    at_homes(homes)(task, i);
    task.own_notes().where = &(*choices)[i % homes / named];
  };
}

/// Half of the workers have all tasks, of which each has its data on one other
/// of them as well.
arrangement with_copies(std::size_t workers) {
  auto homes = workers / 2;
  auto moves = std::make_shared<std::vector<std::vector<duration>>>(homes);
  for (std::size_t i = 0; i < homes; ++i) {
    (*moves)[i].assign(workers, std::chrono::hours{1});
    (*moves)[i][(i + 1) % homes] = duration{0};
  }
  return [moves, homes](task& task, std::size_t i) {
    at_homes(homes)(task, i);
    task.own_notes().moves = &(*moves)[i % homes];
  };
}

/// Per task, all that happens to it.
std::function<void(benchmark::State&)>
turning(const libpool::recipe& how, std::size_t workers,
        const arrangement& arrange = anywhere) {
  return [how, workers, arrange](benchmark::State& state) {
    const std::int64_t batch = 1000;
    busy_pool pool{how, workers, arrange};
    while (state.KeepRunningBatch(batch))
      for (std::int64_t i = 0; i < batch; ++i)
        pool.turn();
  };
}

constexpr std::array<std::size_t, 4> sizes{10, 100, 1000, 10000};

/// Asks one question of pools of several sizes.
template <class Arrange>
bench::question by_size(const std::string& name, const libpool::recipe& how,
                        Arrange arrange) {
  bench::question result{"per task, " + name, 1, {}};
  for (auto workers : sizes)
    result.candidates.push_back({fmt::format("{} workers", workers),
                                 turning(how, workers, arrange(workers))});
  return result;
}

} // namespace

int main(int argc, char** argv) {
  std::vector<bench::question> questions;
  for (const auto& entry : libpool::managed_policies())
    questions.push_back(by_size(std::string{entry.name}, entry,
                                [](std::size_t) { return anywhere; }));
  questions.push_back(
    by_size("shared_queue, each task for the same half of the workers",
            libpool::managed_policy_named("shared_queue"),
            [](std::size_t workers) { return restricted(workers, workers); }));
  const auto& stealing = libpool::managed_policy_named("work_stealing");
  questions.push_back(
    by_size("all at one of 10 workers, stolen", stealing,
            [](std::size_t workers) { return at_homes(workers / 10); }));
  questions.push_back(
    by_size("half of the workers idle, too dear to move", stealing, dear));
  questions.push_back(
    by_size("half of the workers idle, each task for 4 others", stealing,
            [](std::size_t workers) { return restricted(workers, 4); }));
  questions.push_back(
    by_size("half of the workers idle, tasks for all others", stealing,
            [](std::size_t workers) { return restricted(workers, workers); }));
  questions.push_back(by_size("half of the workers idle, data in two places",
                              stealing, with_copies));
  return bench::compare(argc, argv, questions);
}
