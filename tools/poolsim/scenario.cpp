#include "scenario.hpp"

#include <algorithm>
#include <cmath>

namespace poolsim {

namespace {

/// One for all workers, or one for each.
duration entry_of(const std::vector<duration>& all, std::size_t worker) {
  return all.size() == 1 ? all.front() : all[worker];
}

duration at_speed(duration service, double speed) {
  if (speed == 1)
    return service;
  auto result = std::round(static_cast<long double>(service.count()) / speed);
  if (result >= static_cast<long double>(longest_work.count()))
    return longest_work;
  return duration{static_cast<std::int64_t>(result)};
}

duration moving_time(const scenario& scenario, const work& task,
                     std::size_t worker) {
  if (!scenario.pay_moves || task.move.empty() || !task.home
      || *task.home == worker)
    return duration{0};
  return entry_of(task.move, worker);
}

} // namespace

std::size_t most_tasks_of_message(const scenario& scenario) {
  using target = libpool::scatter::target;
  if (scenario.gather == nullptr)
    return 1;
  auto asks = scenario.gather->asks();
  if (asks.to == target::parts)
    return scenario.parts;
  auto workers = scenario.workers.size() + scenario.stand_ins;
  if (scenario.autoscale)
    workers += scenario.autoscale->most;
  if (asks.to == target::everybody || asks.asks_more)
    return workers;
  auto more = scenario.gather->has_patience() ? std::size_t{1} : 0;
  return std::min(workers, asks.asked + more);
}

duration run_time(const scenario& scenario, const work& task,
                  std::size_t worker) {
  return run_time(scenario, task, entry_of(task.service, worker), worker);
}

duration run_time(const scenario& scenario, const work& task, duration service,
                  std::size_t worker) {
  auto time = at_speed(service, scenario.workers[worker].speed);
  return std::min(longest_work, time + moving_time(scenario, task, worker));
}

} // namespace poolsim
