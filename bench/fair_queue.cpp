/// The cost of fair queuing by the number of flows. First the policy alone: a
/// task is added, taken and ended while two of each flow wait; beside it one
/// queue for all flows, which is not fair, and a scan of all flows, which is
/// how the algorithm is published. Then the heap alone. Then whole pools, which
/// get messages of 64 flows.

#include "port/configuring.hpp"
#include "port/sending.hpp"
#include "support/client.hpp"
#include "support/comparison.hpp"
#include "support/stage.hpp"
#include "support/tally.hpp"

#include "libpool/policies/order/exact_fair_queuing.hpp"
#include "libpool/policies/order/indexed_heap.hpp"
#include "libpool/policies/order/kubernetes_fair_queuing.hpp"

#include <boost/heap/d_ary_heap.hpp>
#include <caf/all.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

using libpool::duration;
using libpool::instant;
using libpool::task;
using libpool::virtual_time;
using namespace std::chrono_literals;

using runner = std::function<void(benchmark::State&)>;

// -- the policy alone ---------------------------------------------------------

/// From 0.5 to 1.5 ms, and where it came from.
duration drawn_service(std::uint64_t& state) {
  state = state * 6364136223846793005 + 1442695040888963407;
  return 500us + duration{static_cast<std::int64_t>((state >> 33U) % 1000000)};
}

/// Tasks of so many flows, two of each.
class tasks_of_flows {
public:
  explicit tasks_of_flows(std::size_t flows) : tasks_(2 * flows) {
    for (std::size_t i = 0; i < tasks_.size(); ++i)
      tasks_[i].flow = libpool::flow_ref{i % flows};
  }

  std::deque<task>& all() {
    return tasks_;
  }

  /// Is accepted, for the first time or once more.
  task& accepted(task& task, instant now) {
    task.number = ++accepted_;
    task.accepted = now;
    task.started = now;
    task.has_arrived = false;
    return task;
  }

private:
  std::deque<task> tasks_;
  std::uint64_t accepted_ = 0;
};

/// An order as a dispatcher uses it.
template <class Order>
class real_order {
public:
  real_order(const libpool::fair_queuing_options& options, std::size_t flows)
    : tasks_(flows), it_(options) {
    it_.seated(4, now_);
    for (auto& each : tasks_.all())
      it_.added(tasks_.accepted(each, now_), now_);
  }

  void turn() {
    now_ += 1us;
    auto& task = *it_.choose(now_);
    it_.dispatched(task, now_);
    it_.unassigned(task, drawn_service(state_), now_);
    it_.added(tasks_.accepted(task, now_), now_);
  }

private:
  tasks_of_flows tasks_;
  Order it_; // goes before the tasks that it knows
  instant now_{};
  std::uint64_t state_ = 1;
};

/// One queue for all, behind a lock.
class locked_fifo {
public:
  explicit locked_fifo(std::size_t flows) : tasks_(flows) {
    for (auto& each : tasks_.all())
      add(each);
  }

  void turn() {
    now_ += 1us;
    auto& task = take();
    served_ += drawn_service(state_);
    add(tasks_.accepted(task, now_));
    benchmark::DoNotOptimize(served_);
  }

private:
  void add(task& task) {
    const std::lock_guard guard{mutex_};
    waiting_.push_back(task);
  }

  task& take() {
    const std::lock_guard guard{mutex_};
    auto& result = waiting_.front();
    waiting_.pop_front();
    return result;
  }

  tasks_of_flows tasks_;
  std::mutex mutex_;
  libpool::task_list waiting_;
  instant now_{};
  duration served_{0};
  std::uint64_t state_ = 1;
};

/// Looks at all flows whenever one is to be chosen.
class plain_scan {
public:
  explicit plain_scan(std::size_t flows) : tasks_(flows), flows_(flows) {
    for (std::size_t i = 0; i < tasks_.all().size(); ++i)
      flows_[i % flows].waiting.push_back(&tasks_.all()[i]);
  }

  void turn() {
    auto& next = *std::min_element(
      flows_.begin(), flows_.end(),
      [](const flow& x, const flow& y) { return x.next < y.next; });
    auto& task = *next.waiting.front();
    next.waiting.pop_front();
    clock_ = std::max(clock_, next.next);
    next.next += drawn_service(state_).count();
    next.waiting.push_back(&tasks_.accepted(task, {}));
  }

private:
  struct flow {
    std::deque<task*> waiting;
    std::int64_t next = 0;
  };

  tasks_of_flows tasks_;
  std::vector<flow> flows_;
  std::int64_t clock_ = 0;
  std::uint64_t state_ = 1;
};

/// Turns of an object that is made when it is first needed, since it is large.
template <class Make>
runner turning(Make make, std::int64_t batch) {
  using made = decltype(make());
  auto it = std::make_shared<made>();
  return [=](benchmark::State& state) {
    if (*it == nullptr)
      *it = make();
    while (state.KeepRunningBatch(batch))
      for (std::int64_t i = 0; i < batch; ++i)
        (*it)->turn();
  };
}

template <class Order>
runner policy_alone(const libpool::fair_queuing_options& options,
                    std::size_t flows) {
  return turning(
    [=] { return std::make_unique<real_order<Order>>(options, flows); }, 1000);
}

bench::question alone(std::size_t flows) {
  libpool::fair_queuing_options exact;
  exact.most_flows = 2 * flows;
  libpool::fair_queuing_options published;
  published.queues = std::min<std::size_t>(flows, 65536);
  published.hand_size = 1;
  published.queue_limit = 4 * flows;
  auto fifo = [=] { return std::make_unique<locked_fifo>(flows); };
  auto scan = [=] { return std::make_unique<plain_scan>(flows); };
  bench::question result{
    fmt::format("add, take and end, flows: {}", flows),
    1,
    {{"one queue, mutex", turning(fifo, 1000)},
     {"libpool exact", policy_alone<libpool::exact_fair_queuing>(exact, flows)},
     {"libpool kubernetes",
      policy_alone<libpool::kubernetes_fair_queuing>(published, flows)}}};
  if (flows <= 65536)
    result.candidates.push_back(
      {"plain scan", turning(scan, flows <= 64 ? 1000 : 1)});
  return result;
}

// -- the heap alone -----------------------------------------------------------

/// As large as the record of a flow in a policy.
struct key_of_flow {
  std::uint64_t key = 0;
  std::array<std::uint64_t, 31> rest{};
};

struct by_nothing {
  bool operator()(std::uint32_t, std::uint32_t) const noexcept {
    return false;
  }
};

/// Moves keys as flows do: the first one goes on by a random step, another one
/// by another.
template <class Move>
void move_keys(benchmark::State& state, std::vector<key_of_flow>& keys,
               const std::function<key_of_flow&()>& first, Move move) {
  constexpr std::int64_t batch = 1000;
  std::uint64_t draws = 1;
  while (state.KeepRunningBatch(batch))
    for (std::int64_t i = 0; i < batch; ++i) {
      auto& turn = first();
      turn.key += static_cast<std::uint64_t>(drawn_service(draws).count());
      move(turn);
      auto& other = keys[(draws >> 20U) % keys.size()];
      other.key += static_cast<std::uint64_t>(drawn_service(draws).count());
      move(other);
    }
}

runner our_heap(std::size_t size) {
  return [size](benchmark::State& state) {
    libpool::indexed_heap heap{by_nothing{}};
    std::vector<key_of_flow> keys(size);
    auto put = [&](key_of_flow& key) {
      heap.put(static_cast<std::uint32_t>(&key - keys.data()),
               virtual_time{key.key});
    };
    for (auto& each : keys)
      put(each);
    move_keys(
      state, keys, [&]() -> key_of_flow& { return keys[heap.top()]; }, put);
  };
}

struct goes_later {
  bool operator()(const key_of_flow* x, const key_of_flow* y) const noexcept {
    return x->key > y->key;
  }
};

template <class Heap>
runner boosts_heap(std::size_t size) {
  return [size](benchmark::State& state) {
    Heap heap;
    std::vector<key_of_flow> keys(size);
    std::vector<typename Heap::handle_type> handles;
    handles.reserve(size);
    for (auto& each : keys)
      handles.push_back(heap.push(&each));
    move_keys(
      state, keys, [&]() -> key_of_flow& { return *heap.top(); },
      [&](key_of_flow& key) {
        heap.update(handles[static_cast<std::size_t>(&key - keys.data())]);
      });
  };
}

bench::question heaps(std::size_t size) {
  using boost_d_ary =
    boost::heap::d_ary_heap<key_of_flow*, boost::heap::arity<4>,
                            boost::heap::mutable_<true>,
                            boost::heap::compare<goes_later>>;
  return {fmt::format("two keys change, of {}", size),
          1,
          {{"libpool indexed_heap", our_heap(size)},
           {"Boost d_ary_heap, 4", boosts_heap<boost_d_ary>(size)}}};
}

// -- whole pools --------------------------------------------------------------

using our_pool = libpool::actor_pool;

/// Names and policies; two of the policies ask for the flow of a message.
std::vector<std::pair<std::string, our_pool::policy>> policies() {
  libpool::managed_options untimed;
  untimed.measure_times = false;
  libpool::flow_options by_number;
  by_number.flow_of = libpool::flow_by<int>();
  auto published = by_number;
  published.mode = libpool::fair_mode::kubernetes;
  published.queue_limit = 1'000'000;
  return {{"shared_queue, untimed", our_pool::shared_queue(untimed)},
          {"shared_queue", our_pool::shared_queue()},
          {"fair_queuing by sender", our_pool::fair_queuing()},
          {"fair_queuing", our_pool::fair_queuing(by_number)},
          {"kubernetes", our_pool::fair_queuing(published)}};
}

bench::question tiny_messages(bench::tally& count, bench::stage& four) {
  bench::question result{
    "tiny messages end to end, 4 workers, 64 flows", 1, {}};
  for (const auto& [name, how] : policies()) {
    auto send = [pool = four.ours(how), i = 0]() mutable {
      port::anon_send(pool, i++ % 64);
    };
    result.candidates.push_back({name, bench::handling(count, send)});
  }
  return result;
}

bench::question requests(caf::actor_system& system, bench::stage& four) {
  bench::question result{"64 outstanding requests, 4 workers, 64 flows", 1, {}};
  for (const auto& [name, how] : policies())
    result.candidates.push_back(
      {name, bench::calling(system, {{four.ours(how)}, 1, 64})});
  return result;
}

} // namespace

int main(int argc, char** argv) {
  caf::actor_system_config cfg;
  libpool::set_up(cfg);
  port::set_threads(cfg, 2);
  caf::actor_system system{cfg};
  bench::tally count;
  bench::tally answers;
  bench::stage four{system, bench::make_echoes(system, 4, count)};
  bench::stage asked{system, bench::make_echoes(system, 4, answers)};
  std::vector<bench::question> questions;
  for (std::size_t flows : {1U, 64U, 4096U, 10000U, 65536U, 1000000U})
    questions.push_back(alone(flows));
  for (std::size_t size : {64U, 4096U, 65536U})
    questions.push_back(heaps(size));
  questions.push_back(tiny_messages(count, four));
  questions.push_back(requests(system, asked));
  auto status = bench::compare(argc, argv, questions);
  four.close();
  asked.close();
  return status;
}
