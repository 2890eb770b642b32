#pragma once

#include "times.hpp"

#include "libpool/core/errc.hpp"
#include "libpool/core/ledger.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace poolsim {

/// The fate of a task, as far as it has come.
enum class fate : std::uint8_t {
  waiting,
  assigned, ///< bound to a worker, not started
  running,
  completed,
  failed,
  cancelled,
  refused,
};

/// Of a time that has not come.
constexpr duration not_yet{-1};

constexpr auto nobody = std::numeric_limits<std::uint32_t>::max();

/// The row of a task. There may be millions, so it is small.
struct task_row {
  duration submitted = not_yet;
  duration started = not_yet;
  duration finished = not_yet;
  std::uint32_t flow = 0; ///< counts the flows of the result
  std::uint32_t worker = nobody;
  std::uint32_t moves = 0;
  fate is = fate::waiting;
  /// Why, unless it is completed or open.
  libpool::errc why{};
};

/// The mean of some times and their quantiles.
struct spread {
  duration mean = not_yet;
  duration p50 = not_yet;
  duration p95 = not_yet;
  duration p99 = not_yet;
};

/// How long tasks took.
struct latencies {
  /// From submission to start, of tasks that have started.
  spread wait;
  /// From submission to the end, of tasks that have completed.
  spread response;
};

struct worker_row {
  /// Tasks, in time.
  std::uint64_t completed = 0;
  /// Sum of the times that its tasks ran, to their end or not.
  duration busy{0};
  /// Numbers of tasks.
  std::vector<std::size_t> running;
  std::vector<std::size_t> queued;
};

struct flow_row {
  std::string name;
  std::uint64_t submitted = 0;
  std::uint64_t completed = 0;
  std::uint64_t failed = 0;
  std::uint64_t cancelled = 0;
  std::uint64_t refused = 0;
  std::uint64_t waiting = 0;
  /// One for each window.
  std::vector<double> mean_seats;
  latencies latency;
};

/// The fate of a message that is handled by several tasks.
enum class message_fate : std::uint8_t { open, answered, failed, refused };

struct message_row {
  duration submitted = not_yet;
  duration finished = not_yet;
  std::size_t flow = 0; ///< counts the flows of the result
  message_fate is = message_fate::open;
  /// Why it has failed or was refused.
  libpool::errc why{};
  /// Numbers of its tasks.
  std::vector<std::size_t> tasks;
};

/// The messages of a scenario that gathers.
struct message_books {
  std::vector<message_row> rows;
  std::uint64_t answered = 0;
  std::uint64_t failed = 0;
  std::uint64_t refused = 0;
  std::uint64_t open = 0;
  /// Workers that were asked beside the first ones.
  std::uint64_t asked_again = 0;
  /// From submission to the answer, of messages that were answered.
  spread response;
};

/// What happened between a pool and its nodes.
struct node_books {
  std::uint64_t sessions = 0;
  /// Tasks that nodes had when they were lost, and that came back unbegun.
  std::uint64_t lost = 0;
  std::uint64_t given_back = 0;
  /// Letters and ends of tasks that counted for nothing.
  std::uint64_t strays = 0;
  /// That were sent, both ways.
  std::uint64_t letters = 0;
  /// Of contents and of results that were sent.
  std::uint64_t bytes = 0;
  std::uint64_t result_bytes = 0;
  /// Of all slots together: as many as were free, but no more than tasks that
  /// had not begun.
  duration idle{0};
};

/// The result of a simulation.
struct result {
  duration now{0};
  duration makespan{0};
  std::uint64_t steals = 0;
  /// How often workers were left several tasks, if they may be.
  std::optional<std::uint64_t> leases;
  std::vector<task_row> tasks;
  std::vector<worker_row> workers;
  /// In the order of their first submissions; the rest, as written.
  std::vector<flow_row> flows;
  libpool::ledger books;
  latencies latency;
  /// Where messages are gathered.
  std::optional<message_books> messages;
  /// Where workers live on nodes.
  std::optional<node_books> nodes;
};

/// A worker at a task, from `started` to `ended`. A task may run again.
struct task_run {
  enum class ending : std::uint8_t {
    completed,
    interrupted, ///< its worker left
    crashed,     ///< its worker died
    overdue,     ///< it went on after its deadline
    still_running,
  };

  std::size_t task = 0;
  std::size_t flow = 0; ///< counts the flows of the scenario
  std::size_t worker = 0;
  std::size_t seats = 1;
  duration submitted{0};
  duration started{0};
  duration ended{0};
  ending how = ending::completed;
  /// How often another worker had taken it over.
  std::uint32_t steals = 0;
};

/// Is told of each run when that has ended, or when the simulation has.
using run_listener = std::function<void(const task_run&)>;

} // namespace poolsim
