#pragma once

#include "distribution.hpp"
#include "node_settings.hpp"
#include "times.hpp"

#include "libpool/policies/catalogue.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace poolsim {

/// The workers and the tasks of one scenario are at most so many.
constexpr std::size_t most_workers = 1'000'000;
constexpr std::size_t most_tasks = 100'000'000;

/// All tasks of a scenario take at most that long together, so that no sum of
/// times overflows.
constexpr duration longest_work{std::int64_t{1} << 62};

/// One worker.
struct worker_settings {
  /// Zero: not given.
  duration weight{0};
  double speed = 1;
  std::size_t seats = 1;
  duration join{0};
  /// Goes in good order then, or dies: one of these, or stays.
  std::optional<duration> leave;
  std::optional<duration> crash;
};

/// When the worker goes, whichever way.
inline std::optional<duration> departure_of(const worker_settings& settings) {
  return settings.crash ? settings.crash : settings.leave;
}

/// Whether the one worker joins before the other one.
inline bool joins_sooner(const worker_settings& x, const worker_settings& y) {
  return x.join < y.join;
}

/// Some workers that tasks are to run on.
struct worker_choice {
  /// Ascending, each once.
  std::vector<std::size_t> only;
  bool loose = false;
};

/// The work of one entry: the members that all its tasks have in common.
struct work {
  /// Counts the flows of the scenario.
  std::size_t flow = 0;
  /// One for all workers, or one for each, at speed 1; none: drawn.
  std::vector<duration> service;
  std::optional<distribution> draws;
  std::size_t width = 1;
  /// From submission.
  std::optional<duration> deadline;
  std::int64_t priority = 0;
  std::string kind;
  std::optional<duration> estimate;
  std::optional<std::size_t> home;
  /// Counts the choices of the scenario.
  std::optional<std::size_t> where;
  /// One for all workers but the home, or one for each; none: nothing.
  std::vector<duration> move;
  /// Of the content, and of the result, where they travel.
  size_choice bytes;
  size_choice result_bytes;
};

/// An entry of `tasks`.
struct task_group : work {
  duration at{0};
  std::size_t count = 1;
  duration every{0};
  /// In place of that, if it is drawn.
  std::optional<distribution> gaps;
};

/// An entry of `clients`.
struct client : work {
  std::size_t threads = 1;
  std::size_t calls = 1;
  duration think{0};
  duration start{0};
  duration stagger{0};
};

/// A checked scenario.
struct scenario {
  std::uint64_t seed = 1;
  std::optional<duration> until;
  /// In the order in which they join, which numbers them. On nodes, if there
  /// are any.
  std::optional<node_settings> nodes;
  std::vector<worker_settings> workers = {worker_settings{}};
  libpool::recipe how;
  /// How messages are handled by several tasks each, if they are; cloned for
  /// each simulation. And the parts of each, if it asks for parts.
  std::shared_ptr<const libpool::gather_plan> gather;
  std::size_t parts = 1;
  std::optional<std::size_t> window;
  std::size_t capacity = std::numeric_limits<std::size_t>::max();
  /// How often a task runs again that crashed with its worker, and after how
  /// many crashes it fails anyway; 0: none.
  unsigned retries = 0;
  unsigned poison_after = 0;
  /// Of tasks that have none of their own.
  std::optional<duration> deadline;
  bool pay_moves = false;
  /// Whether busy workers are left several tasks at a time.
  bool leases = false;
  std::vector<task_group> tasks;
  std::vector<client> clients;
  /// None: all of the time.
  std::vector<std::pair<duration, duration>> measure;
  bool measures_all = true;

  /// In the order in which they are written.
  std::vector<std::string> flows;
  std::vector<worker_choice> choices;
};

/// How many tasks are made of a message, at most, unless workers leave.
std::size_t most_tasks_of_message(const scenario& of);

/// For how long the worker is at such a task; `longest_work` if it is longer.
///
/// @pre its service is not drawn
duration run_time(const scenario& scenario, const work& task,
                  std::size_t worker);

/// For how long the worker is at a task whose service was drawn.
duration run_time(const scenario& scenario, const work& task, duration service,
                  std::size_t worker);

} // namespace poolsim
