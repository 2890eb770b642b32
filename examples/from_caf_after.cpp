#include "libpool/pool.hpp"

#include <caf/all.hpp>

#include <iostream>

// Squares a number, or adds up the squares of a range.
caf::behavior squarer() {
  return {
    [](int x) { return x * x; },
    [](int first, int last) {
      auto sum = 0;
      for (auto x = first; x < last; ++x)
        sum += x * x;
      return sum;
    },
  };
}

// Gives each worker an equal part of a range.
void split(libpool::worker_tasks& tasks, caf::message& range) {
  auto first = range.get_as<int>(0);
  auto size = (range.get_as<int>(1) - first) / static_cast<int>(tasks.size());
  for (auto& task : tasks) {
    task.second = caf::make_message(first, first + size);
    first += size;
  }
}

void join(int& sum, const int& part) {
  sum += part;
}

int main() {
  caf::actor_system_config config;
  libpool::set_up(config);
  caf::actor_system system{config};

  using libpool::actor_pool;
  auto pool = libpool::spawn_pool(system, 4, actor_pool::round_robin(),
                                  squarer);
  auto sums = libpool::spawn_pool(
    system, 4, actor_pool::split_join<int>(join, split), squarer);

  caf::scoped_actor self{system};
  auto print = [](int result) { std::cout << result << '\n'; };
  auto print_error = [&](const caf::error& why) {
    std::cerr << libpool::render(why, system) << '\n';
  };
  self->request(pool, caf::infinite, 7).receive(print, print_error);
  self->request(sums, caf::infinite, 0, 100).receive(print, print_error);
}
