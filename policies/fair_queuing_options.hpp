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
  fair_mode mode = fair_mode::exact;
  duration guess = std::chrono::milliseconds{3};
  std::map<std::string, double> shares = {};
  std::optional<std::size_t> queue_limit = std::nullopt;

  // Only in mode exact:

  duration debt_memory = std::chrono::seconds{10};
  std::size_t most_flows = 100'000;

  // Only in mode kubernetes:

  std::size_t queues = 64;
  std::size_t hand_size = 6;
};

/// Returns a description of each option in `options`.
std::vector<option> options_in(fair_queuing_options& options);

/// Checks the bounds of all options.
///
/// Errors: std::invalid_argument names the option that is out of bounds.
void check(const fair_queuing_options& options);

} // namespace libpool
