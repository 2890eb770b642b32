#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/export.hpp"
#include "libpool/policies/option.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace libpool {

/// Mode of fair queuing. `exact`: each flow has a queue of its own.
/// `kubernetes`: a fixed number of queues, which flows share, as in Kubernetes.
/// A flow is, for example, the tasks of one client.
enum class fair_mode : std::uint8_t { exact, kubernetes };

/// Options of the order `fair_queuing`, also listed in docs/policies.md.
struct fair_queuing_options {
  /// Mode: one queue for each flow (`exact`), or a fixed number of queues that
  /// flows share (`kubernetes`); default: `exact`.
  fair_mode mode = fair_mode::exact;
  /// Assumed service time of a task, which counts until the task has ended;
  /// above 0; default: 3 ms.
  duration guess = std::chrono::milliseconds{3};
  /// Share of the workers' time that each flow gets, relative to the other
  /// flows, by the name of the flow; above 0. Flows without an entry have the
  /// share 1.
  std::map<std::string, double> shares = {};
  /// Maximum number of waiting tasks of a flow, or of a queue in mode
  /// `kubernetes`; at least 1. Unset: unlimited, or 50 in mode `kubernetes`.
  std::optional<std::size_t> queue_limit = std::nullopt;
  /// Time for which the pool remembers that a flow without tasks has had more
  /// than its share. At least 0; default: 10 s. Mode `exact` only.
  duration debt_memory = std::chrono::seconds{10};
  /// Maximum number of flows that have a queue each; further flows share
  /// queues. At least 1; default: 100 000. Mode `exact` only.
  std::size_t most_flows = 100'000;
  /// Number of queues; from 1 to 65536; default: 64. Mode `kubernetes` only.
  std::size_t queues = 64;
  /// Number of queues that the tasks of one flow may use; a new task waits in
  /// the queue with the least work. From 1 to `queues`; default: 6. Mode
  /// `kubernetes` only.
  std::size_t hand_size = 6;
};

/// Returns a description of each option: its name, its meaning, its bounds and
/// a reference to its value in `options`.
LIBPOOL_EXPORT std::vector<option> options_in(fair_queuing_options& options);

/// Checks that all options are within their bounds.
///
/// Errors: std::invalid_argument if an option is out of bounds; the error names
///         the option.
LIBPOOL_EXPORT void check(const fair_queuing_options& options);

} // namespace libpool
