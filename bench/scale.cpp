/// What does a choice cost, the more workers there are? The dispatcher and a
/// policy alone: no actors, no threads, a virtual clock.

#include "support/comparison.hpp"

#include "libpool/core/dispatcher.hpp"
#include "libpool/policies/catalogue.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
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

/// A pool whose workers are all busy all the time: whenever one ends a task
/// another one comes. Services differ, so that workers do.
class busy_pool {
public:
  /// If there are homes, all tasks are at the first so many workers.
  busy_pool(const libpool::recipe& how, std::size_t workers,
            std::size_t homes = 0)
    : window_(default_window(how, 1)), pool_(libpool::compose(how), {}) {
    for (std::size_t i = 0; i < workers; ++i) {
      auto& who = workers_.emplace_back();
      who.number = libpool::worker_number{i};
      who.window = window_;
      pool_.joined(who, now_);
    }
    for (std::size_t i = 0; i < workers * (window_ + 1); ++i) {
      auto& what = tasks_.emplace_back();
      if (homes > 0)
        what.home = libpool::worker_number{i % homes};
      submit(what);
    }
    decide();
  }

  busy_pool(const busy_pool&) = delete;
  busy_pool& operator=(const busy_pool&) = delete;

  /// Ends a task, and submits it anew.
  void turn() {
    auto [when, what] = running_.top();
    running_.pop();
    now_ = when;
    auto& who = *what->on;
    pool_.finished(*what, libpool::ending::completed, now_);
    start(who);
    submit(*what);
    decide();
  }

private:
  using ends = std::pair<instant, task*>;

  void submit(task& what) {
    pool_.submitted(what, now_);
  }

  void decide() {
    pool_.dispatch(now_);
    for (auto& each : pool_.decisions())
      if (each.is == libpool::decision::kind::send
          && &each.who->mailbox.front() == each.what)
        start(*each.who);
    pool_.decisions().clear();
  }

  /// Has the worker begin with the first of its mailbox.
  void start(worker& who) {
    if (who.mailbox.empty())
      return;
    auto& what = who.mailbox.front();
    if (what.is != task::condition::sent)
      return;
    pool_.started(what, now_);
    running_.emplace(now_ + service(who), &what);
  }

  /// 0.1 to 0.2 ms, and four times that on every fourth worker.
  duration service(const worker& who) {
    state_ = state_ * 6364136223846793005 + 1442695040888963407;
    auto extra = static_cast<std::int64_t>((state_ >> 33) % 100000);
    auto slow = static_cast<std::uint64_t>(who.number) % 4 == 0;
    return duration{(100000 + extra) * (slow ? 4 : 1)};
  }

  std::size_t window_;
  instant now_{};
  std::uint64_t state_ = 1;
  std::deque<task> tasks_; // outlive the workers, in whose lists they are
  std::deque<worker> workers_;
  std::priority_queue<ends, std::vector<ends>, std::greater<>> running_;
  dispatcher pool_; // goes before the tasks and workers that it knows
};

/// Per task, all that happens to it.
std::function<void(benchmark::State&)> turning(const libpool::recipe& how,
                                               std::size_t workers,
                                               std::size_t homes = 0) {
  return [how, workers, homes](benchmark::State& state) {
    constexpr std::int64_t batch = 10000;
    busy_pool pool{how, workers, homes};
    while (state.KeepRunningBatch(batch))
      for (std::int64_t i = 0; i < batch; ++i)
        pool.turn();
  };
}

} // namespace

int main(int argc, char** argv) {
  constexpr std::array<std::size_t, 4> sizes{10, 100, 1000, 10000};
  std::vector<bench::question> questions;
  for (const auto& entry : libpool::managed_policies()) {
    questions.push_back({"per task, " + std::string{entry.name}, 1, {}});
    for (auto workers : sizes)
      questions.back().candidates.push_back(
        {std::to_string(workers) + " workers", turning(entry.how, workers)});
  }
  questions.push_back({"per task, all at one of 10 workers, stolen", 1, {}});
  for (auto workers : sizes)
    questions.back().candidates.push_back(
      {std::to_string(workers) + " workers",
       turning(libpool::managed_policy_named("work_stealing").how, workers,
               workers / 10)});
  return bench::compare(argc, argv, questions);
}
