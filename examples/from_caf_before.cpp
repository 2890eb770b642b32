#include <caf/all.hpp>

#include <iostream>
#include <utility>
#include <vector>

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
void split(std::vector<std::pair<caf::actor, caf::message>>& tasks,
           caf::message& range) {
  auto first = range.get_as<int>(0);
  auto size = (range.get_as<int>(1) - first) / static_cast<int>(tasks.size());
  for (auto& task : tasks) {
    task.second = caf::make_message(first, first + size);
    first += size;
  }
}

void join(int& sum, caf::message& part) {
  sum += part.get_as<int>(0);
}

int main() {
  caf::actor_system_config config;
  caf::actor_system system{config};
  caf::scoped_execution_unit host{&system};

  auto spawn_squarer = [&] { return system.spawn(squarer); };
  auto pool = caf::actor_pool::make(&host, 4, spawn_squarer,
                                    caf::actor_pool::round_robin());
  auto sums = caf::actor_pool::make(
    &host, 4, spawn_squarer, caf::actor_pool::split_join<int>(join, split));

  caf::scoped_actor self{system};
  auto print = [](int result) { std::cout << result << '\n'; };
  auto print_error = [&](const caf::error& why) {
    std::cerr << system.render(why) << '\n';
  };
  self->request(pool, caf::infinite, 7).receive(print, print_error);
  self->request(sums, caf::infinite, 0, 100).receive(print, print_error);

  self->send_exit(pool, caf::exit_reason::user_shutdown);
  self->send_exit(sums, caf::exit_reason::user_shutdown);
}
