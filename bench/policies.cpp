/// The quality of the choices. Each managed policy on the same workloads, four
/// workers, on the simulator's virtual clock: equal figures on every machine.
/// Prints tables of docs/figures.md.

#include "poolsim/simulation.hpp"

#include "libpool/policies/catalogue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <functional>
#include <iterator>
#include <random>
#include <string>
#include <vector>

namespace {

using libpool::duration;
using poolsim::scenario;
using poolsim::task_group;

constexpr std::size_t workers = 4;
constexpr std::size_t warm_up = 80;
constexpr std::size_t flows = 997;
constexpr std::size_t tasks = 4000;

duration ms(double x) {
  return duration{std::llround(x * 1e6)};
}

/// How long tasks take, and how fast the first worker is; all others are of
/// speed 1.
struct workload {
  const char* name;
  double first_speed;
  std::function<duration(std::mt19937_64&)> service;
};

/// Workloads whose tasks take 1 ms on average, or about that.
const std::vector<workload>& workloads() {
  static const std::vector<workload> all{
    {"bimodal", 1,
     [](std::mt19937_64& random) {
       return ms(std::bernoulli_distribution{0.1}(random) ? 5.5 : 0.5);
     }},
    {"lognormal", 1,
     [](std::mt19937_64& random) {
       return ms(std::lognormal_distribution<double>{-0.5, 1}(random));
     }},
    {"alternating", 1,
     [is_long = false](std::mt19937_64&) mutable {
       is_long = !is_long;
       return ms(is_long ? 1.8 : 0.2);
     }},
    {"one worker slow", 0.25, [](std::mt19937_64&) { return ms(1); }},
  };
  return all;
}

double speed_of_all(const workload& load) {
  return workers - 1 + load.first_speed;
}

/// Two tasks for each worker, again and again, until something is known of all;
/// then all others, `gap` apart on average. Many flows, each a key.
scenario make_scenario(const workload& of, const libpool::recipe& how,
                       duration gap) {
  std::mt19937_64 random{1};
  auto service = of.service;
  scenario result;
  result.how = how;
  result.workers.assign(workers, {});
  result.workers.front().speed = of.first_speed;
  for (std::size_t i = 0; i < flows; ++i)
    result.flows.push_back(std::to_string(i));
  auto add = [&](duration at) {
    task_group group;
    group.at = at;
    group.flow = result.tasks.size() % flows;
    group.service = {service(random)};
    result.tasks.push_back(group);
  };
  duration at{0};
  for (std::size_t i = 0; i < warm_up; ++i) {
    add(at);
    if ((i + 1) % (2 * workers) == 0)
      at += ms(200);
  }
  std::exponential_distribution<double> pause{1};
  for (std::size_t i = 0; i < tasks; ++i) {
    add(at);
    at += ms(pause(random) * static_cast<double>(gap.count()) / 1e6);
  }
  return result;
}

/// The makespan, divided by the least that is possible.
double makespan_by_bound(const workload& of, const libpool::recipe& how) {
  auto chosen = make_scenario(of, how, duration{0});
  auto outcome = simulate(chosen);
  duration work{0};
  for (auto i = warm_up; i < chosen.tasks.size(); ++i)
    work += chosen.tasks[i].service.front();
  auto took = outcome.makespan - chosen.tasks.back().at;
  return static_cast<double>(took.count()) * speed_of_all(of)
         / static_cast<double>(work.count());
}

double in_ms(duration x) {
  return static_cast<double>(x.count()) / 1e6;
}

/// Response times, from submission to end, at 80 % of the workers' capacity:
/// the median, and the 99th percentile.
std::string responses(const workload& of, const libpool::recipe& how) {
  auto gap = ms(1 / (0.8 * speed_of_all(of)));
  auto outcome = simulate(make_scenario(of, how, gap));
  std::vector<duration> all;
  for (auto i = warm_up; i < outcome.tasks.size(); ++i)
    all.push_back(outcome.tasks[i].finished - outcome.tasks[i].submitted);
  std::sort(all.begin(), all.end());
  return fmt::format("{:.1f} / {:.1f}", in_ms(all[all.size() / 2]),
                     in_ms(all[all.size() * 99 / 100]));
}

template <class Figure>
void print_table(const char* title, Figure figure) {
  fmt::print("\n{}\n\n| policy |", title);
  for (const auto& each : workloads())
    fmt::print(" {} |", each.name);
  fmt::print("\n| --- |");
  for (std::size_t i = 0; i < workloads().size(); ++i)
    fmt::print(" --- |");
  fmt::print("\n");
  for (const auto& entry : libpool::managed_policies()) {
    fmt::print("| `{}` |", entry.name);
    for (const auto& each : workloads())
      fmt::print(" {} |", figure(each, entry));
    fmt::print("\n");
  }
}

} // namespace

int main() {
  print_table("All tasks at once: makespan by the least possible",
              [](const workload& of, const libpool::recipe& how) {
                return fmt::format("{:.2f}", makespan_by_bound(of, how));
              });
  print_table("Open loop at 80 %: median and 99th percentile of the response "
              "time, ms",
              responses);
}
