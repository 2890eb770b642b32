/// The cost that a pool adds to a plain send: plain enqueue, `caf::actor_pool`
/// and ours side by side, dispatch alone, onto workers that drop their
/// messages, and end to end with four workers.

#include "port/dropper.hpp"
#include "port/sending.hpp"
#include "support/comparison.hpp"
#include "support/stage.hpp"

#include <caf/all.hpp>

#include <fmt/format.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace {

/// Counts its messages on a cache line of its own.
class counter final : public caf::event_based_actor {
public:
  struct alignas(64) cell {
    std::atomic<std::uint64_t> handled{0};
  };

  counter(caf::actor_config& cfg, std::shared_ptr<cell> count)
    : caf::event_based_actor(cfg), count_(std::move(count)) {
    // nop
  }

  caf::behavior make_behavior() override {
    return {
      [this](int x) {
        auto n = count_->handled.load(std::memory_order_relaxed);
        count_->handled.store(n + 1, std::memory_order_relaxed);
        return x;
      },
    };
  }

private:
  std::shared_ptr<cell> count_;
};

using bench::actors;
using bench::stage;
using caf_pool = caf::actor_pool;
using our_pool = libpool::actor_pool;

actors make_droppers(caf::actor_system& system, std::size_t n) {
  actors result;
  for (std::size_t i = 0; i < n; ++i) {
    caf::actor_config cfg;
    result.push_back(caf::make_actor<port::dropper, caf::actor>(
      system.next_actor_id(), system.node(), &system, cfg));
  }
  return result;
}

// -- dispatch alone -----------------------------------------------------------

/// The loops that are measured; tools/instructions looks for this name.
struct measured {
  [[gnu::noinline]] static void send(const caf::actor& receiver,
                                     benchmark::State& state) {
    for (auto _ : state)
      port::anon_send(receiver, 42);
  }

  [[gnu::noinline]] static void send_to_each(const actors& receivers,
                                             benchmark::State& state) {
    for (auto _ : state) {
      auto content = caf::make_message(42);
      for (auto& receiver : receivers)
        port::anon_send(receiver, content);
    }
  }
};

std::function<void(benchmark::State&)> sending_to(caf::actor receiver) {
  return [receiver = std::move(receiver)](benchmark::State& state) {
    measured::send(receiver, state);
  };
}

/// A broadcast by hand.
std::function<void(benchmark::State&)> sending_to_each(actors receivers) {
  return [receivers = std::move(receivers)](benchmark::State& state) {
    measured::send_to_each(receivers, state);
  };
}

std::string plural(const std::string& noun, int senders) {
  return fmt::format("{}, {} sender{}", noun, senders, senders == 1 ? "" : "s");
}

void add_dispatch(std::vector<bench::question>& to, stage& four, stage& eight) {
  for (auto senders : {1, 2}) {
    to.push_back(
      {plural("round_robin, dispatch alone", senders),
       senders,
       {{"plain", sending_to(four.workers().front())},
        {"caf", sending_to(four.caf(caf_pool::round_robin()))},
        {"libpool", sending_to(four.ours(our_pool::round_robin()))}}});
    to.push_back({plural("random, dispatch alone", senders),
                  senders,
                  {{"plain", sending_to(four.workers().front())},
                   {"caf", sending_to(four.caf(caf_pool::random()))},
                   {"libpool", sending_to(four.ours(our_pool::random()))}}});
    to.push_back(
      {plural("broadcast to 8, dispatch alone", senders),
       senders,
       {{"plain", sending_to_each(eight.workers())},
        {"caf", sending_to(eight.caf(caf_pool::broadcast()))},
        {"libpool", sending_to(eight.ours(our_pool::broadcast()))}}});
  }
}

// -- end to end ---------------------------------------------------------------

class counters {
public:
  counters(caf::actor_system& system, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
      cells_.push_back(std::make_shared<counter::cell>());
      workers_.push_back(system.spawn<counter>(cells_.back()));
    }
  }

  const actors& workers() const {
    return workers_;
  }

  std::uint64_t handled() const {
    std::uint64_t result = 0;
    for (auto& cell : cells_)
      result += cell->handled.load(std::memory_order_relaxed);
    return result;
  }

private:
  std::vector<std::shared_ptr<counter::cell>> cells_;
  actors workers_;
};

/// Sends batches and waits until each is handled.
template <class Send>
std::function<void(benchmark::State&)> handling(const counters& by, Send send) {
  return [&by, send](benchmark::State& state) mutable {
    constexpr std::uint64_t batch = 2000;
    while (state.KeepRunningBatch(batch)) {
      auto goal = by.handled() + batch;
      for (std::uint64_t i = 0; i < batch; ++i)
        send();
      while (by.handled() < goal)
        std::this_thread::yield();
    }
  };
}

void add_end_to_end(std::vector<bench::question>& to, stage& four,
                    const counters& by) {
  auto plain = [&four, i = std::size_t{0}]() mutable {
    port::anon_send(four.workers()[i++ % four.workers().size()], 42);
  };
  auto through = [](caf::actor pool) {
    return [pool = std::move(pool)] { port::anon_send(pool, 42); };
  };
  to.push_back(
    {"round_robin, end to end, 4 workers",
     1,
     {{"plain", handling(by, plain)},
      {"caf", handling(by, through(four.caf(caf_pool::round_robin())))},
      {"libpool", handling(by, through(four.ours(our_pool::round_robin())))}}});
}

} // namespace

int main(int argc, char** argv) {
  caf::actor_system_config cfg;
  libpool::set_up(cfg);
  caf::actor_system system{cfg};
  counters by{system, 4};
  stage four{system, make_droppers(system, 4)};
  stage eight{system, make_droppers(system, 8)};
  stage live{system, by.workers()};
  std::vector<bench::question> questions;
  add_dispatch(questions, four, eight);
  add_end_to_end(questions, live, by);
  auto status = bench::compare(argc, argv, questions);
  four.close();
  eight.close();
  live.close();
  return status;
}
