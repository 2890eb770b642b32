/// The workers that numbers mean. All times are in ms.

#include "poolsim/reading.hpp"
#include "poolsim/simulation.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace poolsim_numbers_of_workers_tests {

namespace {

poolsim::result simulated(const std::string& rest) {
  return poolsim::simulate(poolsim::read_scenario(
    R"({"placement": "least_used", "window": 1, )" + rest + "}"));
}

std::vector<int> workers(const poolsim::result& result) {
  std::vector<int> all;
  for (const auto& each : result.tasks)
    all.push_back(static_cast<int>(each.worker));
  return all;
}

using numbers = std::vector<double>;

numbers times(const poolsim::result& result,
              poolsim::duration poolsim::task_row::*member) {
  numbers all;
  for (const auto& each : result.tasks)
    all.push_back(static_cast<double>((each.*member).count()) / 1e6);
  return all;
}

numbers starts(const poolsim::result& result) {
  return times(result, &poolsim::task_row::started);
}

numbers ends(const poolsim::result& result) {
  return times(result, &poolsim::task_row::finished);
}

} // namespace

TEST_CASE("workers are numbered by the time of joining, and then by the order "
          "in the file") {
  // The second and the third group join at 0 and are 0 and 1, the first one
  // joins at 5 and is 2. A task of 1 ms takes 1, 2 and 1/2 ms on them. Task 2,
  // which may only run on worker 2, starts when that joins; task 3 goes home to
  // it.
  auto all =
    simulated(R"("workers": [{"join": "5ms", "speed": 2}, {}, {"speed": 0.5}],
    "tasks": [{"service": "1ms", "count": 2},
              {"service": ["8ms", "8ms", "2ms"], "only": [2]},
              {"at": "6ms", "service": "1ms", "home": 2}])");
  CHECK(workers(all) == std::vector<int>{0, 1, 2, 2});
  CHECK(starts(all) == numbers{0, 0, 5, 6});
  CHECK(ends(all) == numbers{1, 2, 6, 6.5});
}

TEST_CASE("the entries of a list of times to move a task belong to the workers "
          "in the order of their numbers") {
  // Away from its home, worker 0, the task is on worker 1, which joins at 5:
  // its move is the second of the list.
  auto all = simulated(R"("pay_moves": true, "workers": [{"join": "5ms"}, {}],
    "tasks": [{"service": "1ms", "home": 0, "only": [1],
               "move": ["100ms", "3ms"]}])");
  CHECK(starts(all) == numbers{5});
  CHECK(ends(all) == numbers{9});
}

} // namespace poolsim_numbers_of_workers_tests
