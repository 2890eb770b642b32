#pragma once

#include "poolsim/reading.hpp"
#include "poolsim/report.hpp"
#include "poolsim/simulation.hpp"

#include <nlohmann/json.hpp>

#include <sstream>
#include <string>
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

/// Each task: the time of its submission, its start and its end, its worker,
/// and its outcome unless it has completed.
inline std::string story_of(const poolsim::result& result) {
  std::ostringstream out;
  auto time = [](const nlohmann::json& each) {
    return each.get<double>() / 1e6;
  };
  const auto told = nlohmann::json::parse(report_of(result));
  for (const auto& each : told.at("tasks")) {
    out << (each["id"] == 0 ? "" : "; ") << time(each["submitted"]) << ':';
    if (!each["started"].is_null())
      out << ' ' << time(each["started"]) << '-';
    else if (!each["finished"].is_null())
      out << " -";
    if (!each["finished"].is_null())
      out << time(each["finished"]);
    if (!each["worker"].is_null())
      out << " on " << each["worker"];
    if (each["outcome"] != "completed")
      out << ' ' << each["outcome"].get<std::string>();
  }
  return out.str();
}

} // namespace test
