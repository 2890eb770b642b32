#include "libpool/pool.hpp"

#include <caf/all.hpp>

#include <atomic>
#include <chrono>
#include <iostream>
#include <stdexcept>
#include <string>

// Squares numbers. The first attempt at 3 crashes the worker.
caf::behavior squarer() {
  return {[](int x) {
    static std::atomic<bool> was_tried{false};
    if (x == 3 && !was_tried.exchange(true))
      throw std::runtime_error{"bad luck"};
    return x * x;
  }};
}

int main() {
  caf::actor_system_config config;
  libpool::set_up(config);
  caf::actor_system system{config};

  libpool::managed_options options;
  options.workers = 4;
  options.on_crash = libpool::retry{1};
  options.restart.max = 5; // crashed workers are replaced
  options.deadline = std::chrono::seconds{10};
  auto pool = libpool::spawn_pool(system, options, squarer);

  std::string squares;
  caf::scoped_actor self{system};
  for (auto x = 1; x <= 5; ++x)
    self->request(pool, caf::infinite, x)
      .receive([&](int square) { squares += std::to_string(square) + ' '; },
               [&](const caf::error& why) {
                 std::cerr << libpool::render(why, system) << '\n';
               });

  auto stats = libpool::actor_pool::stats(pool);
  std::cout << squares << "\naccepted " << stats.tasks.accepted
            << ", completed " << stats.tasks.completed << ", failed "
            << stats.tasks.failed << ", retries " << stats.retries << '\n';
  caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
}
