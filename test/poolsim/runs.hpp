#pragma once

#include "poolsim/reading.hpp"
#include "poolsim/report.hpp"
#include "poolsim/simulation.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace test {

using numbers = std::vector<double>;

/// Runs the scenario with these members.
inline poolsim::result simulated(const std::string& members,
                                 const poolsim::run_listener& listener = {}) {
  return poolsim::simulate(poolsim::read_scenario("{" + members + "}"),
                           listener);
}

inline std::string report_of(const poolsim::result& result) {
  std::ostringstream out;
  write_report(out, result, poolsim::detail::tasks);
  return out.str();
}

/// Numbers of milliseconds; -1: not yet.
inline double ms(poolsim::duration time) {
  return time == poolsim::not_yet ? -1
                                  : static_cast<double>(time.count()) / 1e6;
}

inline numbers times(const poolsim::result& result,
                     poolsim::duration poolsim::task_row::*member) {
  numbers all;
  for (const auto& each : result.tasks)
    all.push_back(ms(each.*member));
  return all;
}

inline numbers starts(const poolsim::result& result) {
  return times(result, &poolsim::task_row::started);
}

inline numbers ends(const poolsim::result& result) {
  return times(result, &poolsim::task_row::finished);
}

/// The worker of each task; -1: none.
inline std::vector<int> workers(const poolsim::result& result) {
  std::vector<int> all;
  for (const auto& each : result.tasks)
    all.push_back(
      each.worker == poolsim::nobody ? -1 : static_cast<int>(each.worker));
  return all;
}

/// Returns the scenario with each time in ms or us divided by 1000.
inline std::string a_thousand_times_faster(std::string scenario) {
  for (auto [from, to] : {std::pair{"us\"", "ns\""}, {"ms\"", "us\""}})
    for (auto at = scenario.find(from); at != std::string::npos;
         at = scenario.find(from, at + 1))
      scenario.replace(at, 3, to);
  return scenario;
}

/// Visits the pairs of lines in a file that are not empty and no comments.
template <class Visit>
void for_each_pair_in(const std::string& path, Visit visit) {
  std::ifstream in{path};
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);)
    if (!line.empty() && line[0] != '#')
      lines.push_back(line);
  REQUIRE(!lines.empty());
  REQUIRE(lines.size() % 2 == 0);
  for (std::size_t i = 0; i < lines.size(); i += 2) {
    CAPTURE(lines[i]);
    visit(lines[i], lines[i + 1]);
  }
}

} // namespace test
