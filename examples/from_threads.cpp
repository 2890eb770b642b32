/// Requests from threads that are not actors, such as `main`: each one gets a
/// `std::future`.

#include "libpool/actors/submit.hpp"
#include "libpool/pool.hpp"

#include <caf/all.hpp>

#include <array>
#include <chrono>
#include <iostream>
#include <numeric>
#include <thread>
#include <vector>

// Squares numbers up to 1,000.
caf::behavior squarer() {
  return {[](int x) -> caf::result<int> {
    if (x > 1000)
      return caf::make_error(caf::sec::invalid_argument);
    return x * x;
  }};
}

// Asks the pool, and waits for the answer.
int square_of(const caf::actor& pool, int x) {
  return libpool::submit<int>(pool, x).get();
}

// Asks the pool for all squares at once, and waits for them together. Throws if
// one of the answers is an error.
int sum_of_squares(const caf::actor& pool, const std::vector<int>& numbers) {
  auto pending = libpool::submit_all<int>(pool, numbers);
  auto squares = libpool::results_of(pending.get());
  return std::accumulate(squares.begin(), squares.end(), 0);
}

// Asks for all squares at once, and looks at each answer.
int number_of_failures(const caf::actor& pool,
                       const std::vector<int>& numbers) {
  auto failures = 0;
  for (const auto& square : libpool::submit_all<int>(pool, numbers).get())
    if (!square) // then square.error() says why
      ++failures;
  return failures;
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
      square = square_of(pool, x);
    });
  for (auto& each : threads)
    each.join();

  std::vector<int> numbers(96);
  std::iota(numbers.begin(), numbers.end(), 4);
  std::cout << std::accumulate(squares.begin(), squares.end(), 0)
                 + sum_of_squares(pool, numbers)
            << '\n';

  try {
    square_of(pool, 1001);
  } catch (const libpool::request_failed& failed) {
    if (failed.error() == caf::sec::invalid_argument)
      std::cout << "too large\n";
  }
  std::cout << number_of_failures(pool, {1, 1002, 3}) << " failure\n";
}
