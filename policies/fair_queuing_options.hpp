#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/policies/option.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace libpool {

/// Mode of fair queuing. `exact`: one queue for each flow. `kubernetes`: a
/// fixed number of queues, which flows share as in Kubernetes.
enum class fair_mode : std::uint8_t { exact, kubernetes };

/// Options of fair queuing. `options_in` states the meaning and the bounds of
/// each option; docs/policies.md lists them.
struct fair_queuing_options {
  /// Mode: one queue for each flow, or a fixed number of queues; default: one
  /// queue for each flow.
  fair_mode mode = fair_mode::exact;
  /// Assumed service time of a task until the task has ended; above 0; default:
  /// 3 ms.
  duration guess = std::chrono::milliseconds{3};
  /// Share of each flow relative to the other flows, by the name of the flow;
  /// above 0. Flows without an entry have the share 1.
  std::map<std::string, double> shares = {};
  /// Maximum number of waiting tasks of a flow, or of a queue in mode
  /// `kubernetes`; at least 1. Unset: unlimited, or 50 in mode `kubernetes`.
  std::optional<std::size_t> queue_limit = std::nullopt;
  /// Time for which the debt of a flow without tasks is remembered: the service
  /// that the flow has had beyond its share. At least 0; default: 10 s. Mode
  /// `exact` only.
  duration debt_memory = std::chrono::seconds{10};
  /// Maximum number of flows that have a queue each; further flows share
  /// queues. At least 1; default: 100 000. Mode `exact` only.
  std::size_t most_flows = 100'000;
  /// Number of queues; from 1 to 65536; default: 64. Mode `kubernetes` only.
  std::size_t queues = 64;
  /// Number of queues among which each flow chooses; from 1 to `queues`;
  /// default: 6. Mode `kubernetes` only.
  std::size_t hand_size = 6;
};

/// Returns a description of each option in `options`.
std::vector<option> options_in(fair_queuing_options& options);

/// Checks that all options are within their bounds.
///
/// Errors: std::invalid_argument if an option is out of bounds; the error names
///         the option.
void check(const fair_queuing_options& options);

} // namespace libpool
