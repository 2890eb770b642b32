#pragma once

#include "poolsim/reading.hpp"
#include "poolsim/report.hpp"
#include "poolsim/simulation.hpp"

#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

// Simulations of pools whose workers live on nodes. Times are in ms.
//
// Where nothing else is said there is one node with one slot, 1 ms away. It
// says hello at 0, is welcome at 2, and its demand of two tasks arrives at 3.
// Two tasks of 10 ms arrive at 4, of which one begins. Its result is there at
// 15, a third task arrives at 16, the second one has begun at 14, and so on.

namespace poolsim_nodes_tests {

using libpool::errc;
using poolsim::duration;
using poolsim::fate;
using poolsim::result;
using poolsim::task_row;
using numbers = std::vector<double>;

inline std::string text(const std::string& members) {
  return R"({"policy": "shared_queue", )" + members + "}";
}

inline result simulated(const std::string& members,
                        const poolsim::run_listener& listener = {}) {
  return poolsim::simulate(poolsim::read_scenario(text(members)), listener);
}

/// One node 1 ms away, with further members, and so many tasks of 10 ms.
inline std::string one_node(const std::string& more_of_node, std::size_t tasks,
                            const std::string& more = {}) {
  return R"("nodes": [{"latency": "1ms")" + more_of_node
         + R"(}], "tasks": [{"service": "10ms", "count": )"
         + std::to_string(tasks) + "}]" + more;
}

inline std::string report_of(const std::string& members) {
  std::ostringstream out;
  write_report(out, simulated(members), poolsim::detail::tasks);
  return out.str();
}

/// -1: not yet.
inline numbers times(const result& of, duration task_row::*member) {
  numbers all;
  for (const auto& each : of.tasks) {
    auto time = each.*member;
    all.push_back(
      time == poolsim::not_yet ? -1 : static_cast<double>(time.count()) / 1e6);
  }
  return all;
}

inline numbers starts(const result& of) {
  return times(of, &task_row::started);
}

inline numbers ends(const result& of) {
  return times(of, &task_row::finished);
}

inline std::vector<std::size_t> failed(const result& of) {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < of.tasks.size(); ++i)
    if (of.tasks[i].is == fate::failed)
      all.push_back(i);
  return all;
}

inline std::vector<std::uint32_t> workers(const result& of) {
  std::vector<std::uint32_t> all;
  for (const auto& each : of.tasks)
    all.push_back(each.worker);
  return all;
}

inline double ms(duration time) {
  return static_cast<double>(time.count()) / 1e6;
}

} // namespace poolsim_nodes_tests
