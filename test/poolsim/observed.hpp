#pragma once

#include "poolsim/reading.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace test {

/// A row of `tasks`. Times are in nanoseconds.
struct observed_task {
  std::size_t id = 0;
  std::string flow;
  std::optional<std::size_t> worker;
  std::int64_t submitted = 0;
  std::optional<std::int64_t> started;
  std::optional<std::int64_t> finished;
  std::string outcome;
  std::uint64_t moves = 0;
  std::uint64_t attempts = 0;
  std::uint64_t retried_errors = 0;
  bool has_joined = false; // the run of another task

  /// The outcome, up to its colon.
  std::string fate() const {
    return outcome.substr(0, outcome.find(':'));
  }
};

/// Whether users cancel tasks.
bool has_cancels(const poolsim::scenario& scenario);

/// Whether tasks may be cancelled while a worker is at them.
bool may_cancel(const poolsim::scenario& scenario);

/// The scenario and the result of a run of poolsim.
struct observed {
  observed(const std::string& scenario_text, const std::string& output);

  /// The number that it gives under that key.
  std::int64_t number(const char* key) const {
    return result.at(key).get<std::int64_t>();
  }

  /// The row of that flow.
  const nlohmann::json& flow(const std::string& name) const;

  /// Until when a task ran that has started.
  std::int64_t end_of(const observed_task& task) const {
    return task.finished.value_or(number("now"));
  }

  /// The entries that the task may stand for: one entry of `tasks`, or any of
  /// the clients of its flow, and where gaps are drawn, any of both.
  const std::vector<const poolsim::work*>&
  works_of(const observed_task& task) const {
    return works[task.id];
  }

  /// The worker of the scenario whose settings the worker has.
  std::size_t like(std::size_t worker) const;

  poolsim::scenario asked;
  nlohmann::json result;
  std::vector<observed_task> tasks;
  std::vector<std::vector<const poolsim::work*>> works;

private:
  void read_tasks();
  void add_stand_ins();
  void match_works();
  void match_flows();
};

} // namespace test
