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

/// The queues of fair queuing. `exact`: one queue for each flow. `kubernetes`:
/// a fixed number of queues, among which flows are dealt as in Kubernetes.
enum class fair_mode : std::uint8_t { exact, kubernetes };

/// Options of fair queuing. `options_in` states the meaning and the bounds of
/// each option; docs/policies.md lists them.
struct fair_queuing_options {
  /// Whether each flow has a queue.
  fair_mode mode = fair_mode::exact;
  /// Service time that a task is taken to need until it has ended; above 0.
  duration guess = std::chrono::milliseconds{3};
  /// Share of each flow compared with the others, by the name of the flow,
  /// above 0; 1 for flows without an entry.
  std::map<std::string, double> shares = {};
  /// Maximum number of waiting tasks of a flow, or of one of the queues in mode
  /// `kubernetes`; unset: unlimited, or 50 in mode `kubernetes`.
  std::optional<std::size_t> queue_limit = std::nullopt;

  // Only in mode exact:

  /// Time for which a flow without tasks is remembered for having had too much
  /// service.
  duration debt_memory = std::chrono::seconds{10};
  /// Maximum number of flows with queues of their own; further flows share
  /// queues.
  std::size_t most_flows = 100'000;

  // Only in mode kubernetes:

  /// Number of queues.
  std::size_t queues = 64;
  /// Number of queues among which a flow chooses; at most `queues`.
  std::size_t hand_size = 6;
};

/// Returns a description of each option in `options`.
std::vector<option> options_in(fair_queuing_options& options);

/// Checks the bounds of all options.
///
/// Errors: std::invalid_argument names the option that is out of bounds.
void check(const fair_queuing_options& options);

} // namespace libpool
