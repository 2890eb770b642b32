/// The cost of having four workers handle parts of a message, and of making one
/// answer of theirs. An event-based client keeps some messages outstanding.
/// Either it asks the workers itself and counts the answers, or a pool does.
/// Pools of threads do so with functions: the last of four that ends begins the
/// next four.

#include "port/caf_pool.hpp"
#include "port/caf_split_join.hpp"
#include "port/configuring.hpp"
#include "support/client.hpp"
#include "support/comparison.hpp"
#include "support/rivals.hpp"
#include "support/stage.hpp"

#include <caf/all.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

using our_pool = libpool::actor_pool;

constexpr std::size_t width = 4;

class echo final : public caf::event_based_actor {
public:
  using caf::event_based_actor::event_based_actor;

  caf::behavior make_behavior() override {
    return {[](int x) { return x; }};
  }
};

bench::actors make_echoes(caf::actor_system& system, std::size_t n) {
  bench::actors result;
  for (std::size_t i = 0; i < n; ++i)
    result.push_back(system.spawn<echo>());
  return result;
}

// -- pools of actors ----------------------------------------------------------

void add(int& to, caf::message& x) {
  to += x.get_as<int>(0);
}

/// Four workers, which take turns.
void to_four(std::vector<std::pair<caf::actor, caf::message>>& tasks,
             caf::message& message) {
  auto first = width * static_cast<std::size_t>(message.get_as<int>(0));
  for (std::size_t i = 0; i < width; ++i)
    tasks[(first + i) % tasks.size()].second = message;
}

std::vector<caf::message> into_four(caf::message& message) {
  return std::vector<caf::message>(width, message);
}

/// The shared queue without a look at the clock.
our_pool::policy managed() {
  libpool::managed_options untimed;
  untimed.measure_times = false;
  return our_pool::managed_split_join<int>(add, into_four, 0, {},
                                           our_pool::shared_queue(untimed));
}

// -- pools of threads ---------------------------------------------------------

/// Gathers that go on until there were enough.
template <class Pool>
class rounds {
public:
  rounds(Pool& pool, std::int64_t count) : pool_(pool), missing_(count) {
    // nop
  }

  void run(std::int64_t outstanding) {
    auto result = finished_.get_future();
    to_begin_ = missing_.load();
    for (std::int64_t i = 0; i < outstanding; ++i)
      begin();
    result.get();
  }

private:
  void begin() {
    if (to_begin_.fetch_sub(1) <= 0)
      return;
    auto parts = std::make_shared<std::atomic<std::size_t>>(width);
    for (std::size_t i = 0; i < width; ++i)
      pool_.post([this, parts] {
        if (parts->fetch_sub(1) == 1)
          end();
      });
  }

  void end() {
    begin();
    if (missing_.fetch_sub(1) == 1)
      finished_.set_value();
  }

  Pool& pool_;
  std::atomic<std::int64_t> missing_;
  std::atomic<std::int64_t> to_begin_{0};
  std::promise<void> finished_;
};

template <class Pool>
std::function<void(benchmark::State&)> in_rounds(Pool& pool,
                                                 std::int64_t outstanding) {
  return [&pool, outstanding](benchmark::State& state) {
    constexpr std::int64_t batch = 2000;
    while (state.KeepRunningBatch(batch))
      rounds<Pool>{pool, batch}.run(outstanding);
  };
}

/// CAF's pool splits among all of its workers: so four of them make a pool
/// each, and these take turns. None if it has no such pool.
bench::actors caf_teams(caf::actor_system& system, const bench::stage& on) {
  bench::actors result;
  auto how = port::caf_split_join<int>(add);
  if (!how)
    return result;
  for (std::size_t first = 0; first < on.workers().size(); first += width) {
    auto next = on.workers().begin() + static_cast<std::ptrdiff_t>(first);
    result.push_back(port::make_caf_pool(
      system, width, [&next] { return *next++; }, *how));
  }
  return result;
}

// -- questions ----------------------------------------------------------------

bench::question scatter(caf::actor_system& system, bench::stage& on,
                        bench::rivals& others, std::int64_t outstanding) {
  auto call = [&](bench::actors targets, std::size_t n) {
    return bench::calling(system, {std::move(targets), n, outstanding});
  };
  auto ask = [&](caf::actor pool) { return call({std::move(pool)}, 1); };
  bench::question result{
    fmt::format("4 parts, {} workers, {} outstanding", on.workers().size(),
                outstanding),
    1,
    {{"by hand", call(on.workers(), width)},
     {"libpool split_join, direct",
      ask(on.ours(our_pool::split_join<int>(add, to_four)))},
     {"libpool split_join, managed, timed",
      ask(on.ours(our_pool::managed_split_join<int>(add, into_four)))},
     {"libpool split_join, managed", ask(on.ours(managed()))},
     {"libpool quorum 4 of 4, managed",
      ask(on.ours(our_pool::quorum<int>(width, width, add)))},
     {"libpool first_success of 4, managed",
      ask(on.ours(our_pool::first_success(width)))}}};
  if (auto teams = caf_teams(system, on); !teams.empty())
    result.candidates.insert(result.candidates.begin() + 1,
                             {"caf", call(std::move(teams), 1)});
  others.each([&](const char* name, auto& pool) {
    result.candidates.push_back({name, in_rounds(pool, outstanding)});
  });
  return result;
}

} // namespace

int main(int argc, char** argv) {
  // CAF's default, which not every version of it tells.
  const std::size_t threads = std::max(std::thread::hardware_concurrency(), 4U);
  caf::actor_system_config cfg;
  libpool::set_up(cfg);
  port::set_threads(cfg, threads);
  caf::actor_system system{cfg};
  bench::stage four{system, make_echoes(system, width)};
  bench::stage many{system, make_echoes(system, 64)};
  bench::rivals others{threads};
  std::vector<bench::question> questions;
  for (auto* on : {&four, &many})
    for (auto outstanding : {1, 64})
      questions.push_back(scatter(system, *on, others, outstanding));
  auto status = bench::compare(argc, argv, questions);
  four.close();
  many.close();
  return status;
}
