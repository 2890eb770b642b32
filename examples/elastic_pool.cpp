/// A pool that makes workers while messages wait, and retires them when it is
/// idle.

#include "libpool/pool.hpp"
#include "port/sending.hpp"

#include <caf/all.hpp>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <thread>

using namespace std::chrono_literals;
using libpool::actor_pool;

caf::behavior slow_squarer(caf::event_based_actor*) {
  return {[](int x) {
    std::this_thread::sleep_for(5ms);
    return x * x;
  }};
}

void run(caf::actor_system& system) {
  libpool::managed_options options;
  options.autoscale = libpool::autoscale{0, 4, 10ms, 200ms, 20ms};
  auto pool = libpool::spawn_pool(system, options, slow_squarer);
  std::cout << actor_pool::stats(pool).workers << " workers\n";

  for (auto x = 0; x < 200; ++x)
    port::anon_send(pool, x);
  std::size_t most = 0;
  while (actor_pool::summary(pool).tasks.completed < 200) {
    most = std::max(most, actor_pool::summary(pool).wanted);
    std::this_thread::sleep_for(1ms);
  }
  std::cout << (most > 1 ? "several" : "too few") << " wanted while messages "
            << "waited\n";

  while (actor_pool::summary(pool).workers > 0)
    std::this_thread::sleep_for(10ms);
  std::cout << "0 workers: " << actor_pool::summary(pool).wanted_why << "\n";
}

int main() {
  caf::actor_system_config config;
  libpool::set_up(config);
  caf::actor_system system{config};
  run(system);
}
