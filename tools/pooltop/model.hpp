#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace pooltop {

/// A number from the server; unset if the server did not send it.
using value = std::optional<double>;

/// Number of occurrences of each reason, the most frequent first.
using reasons = std::vector<std::pair<std::string, double>>;

struct percentiles {
  value p50;
  value p95;
  value p99;
};

/// Values of the recent past, as the server measures them.
struct window {
  value seconds;
  value arrived_per_s;
  value completed_per_s;
  value failed_per_s;
  value refused_per_s;
  percentiles wait_ms;
  percentiles service_ms;
};

/// A problem that the server reports, as a sentence.
struct finding {
  std::string sentence;
  bool loses_tasks = false; ///< Tasks are lost, not only slow.
};

struct flow {
  std::string name;
  value waiting;
  value running;
  value served;
  value seat_s;
  value share;
  value lag_ms;
  value mean_wait_ms;
  value waiting_for_s;
};

struct member {
  value number;
  std::string name;
  std::string state;
  value in_flight;
  value busy_share;
  value completed;
  value failed;
  value stolen;
  value mean_ms;
  value max_ms;
  value running_for_s;
};

struct node {
  std::string name;
  value slots;
  value in_flight;
  value round_trip_ms;
  value bytes_per_s;
};

struct pool {
  std::string name;
  std::string policy;
  value workers;
  value busy;
  value leaving;
  value slots;
  value waiting;
  value running;
  value held;
  value overdue;
  value capacity;
  value accepted;
  value refused;
  value completed;
  value failed;
  value cancelled;
  value answered_with_error;
  std::vector<finding> matters; ///< the gravest first
  reasons refusals;
  reasons errors;
  value retries;
  value restarts;
  value removed;
  value crashed;
  value ended;
  value stolen;
  value gathered;
  value hedged;
  value oldest_waiting_s;
  value longest_running_s;
  window recent;
  std::vector<flow> flows;
  std::vector<member> members;
  value all_members; ///< total number, if not all are sent
  std::vector<node> nodes;
};

struct stage {
  std::string name;
  value credit;
  value held;
  value answered;
  value failed;
};

struct pipeline {
  std::string name;
  std::vector<finding> matters;
  value accepted;
  value completed;
  value failed;
  value in_line;
  value waiting;
  std::vector<stage> stages;
};

/// State of a server's pools at one time. All texts are escaped for a terminal.
struct snapshot {
  std::string version;
  std::vector<pool> pools;
  std::vector<pipeline> pipelines;
};

} // namespace pooltop
