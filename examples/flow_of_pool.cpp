/// A flow of CAF 1 with a pool as one of its stages. Each number becomes a flow
/// of one item, the pool's answer, and `flat_map` merges these flows, so many
/// at a time. As the answers go on, it begins with others: so a slow consumer
/// holds up the requests to the pool.
///
/// The requests have to be deferred until `flat_map` begins with them. It makes
/// more than a hundred flows in advance, which would all be under way.

#include "libpool/pool.hpp"

#include <caf/all.hpp>
#include <caf/scheduled_actor/flow.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <iostream>
#include <thread>

using namespace std::chrono_literals;

namespace {

constexpr int numbers = 200;
constexpr std::size_t at_a_time = 6;
constexpr std::size_t on_the_way = 4; // to the consumer

caf::behavior squarer() {
  return {[](int x) { return x * x; }};
}

/// What the flow counts; the source counts requests, the consumer answers.
struct account {
  void asked() {
    ++all_asked;
    most_under_way = std::max(most_under_way, ++under_way);
    most_unused = std::max(most_unused, all_asked - used);
  }

  void answered() {
    --under_way;
  }

  void took(int square) {
    sum += square;
    ++used;
  }

  int all_asked = 0;
  int under_way = 0;
  int most_under_way = 0;
  int most_unused = 0;
  std::atomic<int> used{0};
  long sum = 0;
};

void run(caf::actor_system& system, const caf::actor& pool, account& seen) {
  auto [consumer, launch_consumer] =
    system.spawn_inactive<caf::event_based_actor, caf::detached>();
  auto [source, launch_source] = system.spawn_inactive();
  auto ask = [self = source, pool, &seen](int x) {
    return self->make_observable().defer([self, pool, &seen, x] {
      seen.asked();
      return self->mail(x)
        .request(pool, 10s)
        .as_observable<int>()
        .do_on_next([&seen](int) { seen.answered(); })
        .as_observable();
    });
  };
  auto consume = [&seen](int square) {
    std::this_thread::sleep_for(1ms);
    seen.took(square);
  };
  auto fail = [&system](const caf::error& why) {
    std::cout << libpool::render(why, system) << '\n';
  };
  source->make_observable()
    .iota(1)
    .take(numbers)
    .flat_map(ask, at_a_time)
    .observe_on(consumer, on_the_way, 1)
    .for_each(consume, fail);
  launch_source();
  launch_consumer();
}

} // namespace

int main() {
  caf::actor_system_config config;
  libpool::set_up(config);
  account seen;
  {
    caf::actor_system system{config};
    auto pool = libpool::spawn_pool(system, 4, squarer);
    run(system, pool, seen);
  } // both actors have ended, and nobody refers to the pool
  std::cout << seen.used << " squares, " << seen.sum << " in total\n"
            << "at most " << seen.most_under_way << " requests in flight\n"
            << "at most " << seen.most_unused
            << " requested items not used yet\n";
}
