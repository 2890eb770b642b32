/// Requests from threads that are not actors: each thread has a
/// `caf::scoped_actor` and waits, or gets a `std::future`.

#include "libpool/pool.hpp"

#include <caf/all.hpp>

#include <array>
#include <chrono>
#include <exception>
#include <future>
#include <iostream>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

caf::behavior squarer() {
  return {[](int x) { return x * x; }};
}

// Asks the pool and waits for the answer. Throws if the answer is an error.
int wait_for_square(caf::actor_system& system, const caf::actor& pool, int x) {
  caf::scoped_actor self{system};
  auto square = 0;
  self->request(pool, caf::infinite, x)
    .receive([&](int result) { square = result; },
             [&](const caf::error& why) {
               throw std::runtime_error{libpool::render(why, system)};
             });
  return square;
}

// Asks the pool and returns at once. An actor that lives until the answer comes
// waits in place of a thread.
std::future<int> square_later(caf::actor_system& system, const caf::actor& pool,
                              int x) {
  auto promise = std::make_shared<std::promise<int>>();
  system.spawn([=](caf::event_based_actor* self) {
    self->request(pool, caf::infinite, x)
      .then([=](int result) { promise->set_value(result); },
            [=](const caf::error& why) {
              std::runtime_error failure{libpool::render(why, self->system())};
              promise->set_exception(std::make_exception_ptr(failure));
            });
  });
  return promise->get_future();
}

int main() {
  caf::actor_system_config config;
  libpool::set_up(config);
  caf::actor_system system{config};
  libpool::managed_options options;
  options.workers = 4;
  options.deadline = std::chrono::seconds{10}; // each wait ends
  auto pool = libpool::spawn_pool(system, options, squarer);

  std::array<int, 4> squares{};
  std::vector<std::thread> threads;
  for (auto& square : squares)
    threads.emplace_back([&, x = static_cast<int>(threads.size())] {
      square = wait_for_square(system, pool, x);
    });
  for (auto& each : threads)
    each.join();

  std::vector<std::future<int>> later;
  for (auto x = 4; x < 100; ++x)
    later.push_back(square_later(system, pool, x));
  auto sum = std::accumulate(squares.begin(), squares.end(), 0);
  for (auto& each : later)
    sum += each.get();
  std::cout << sum << '\n';
}
