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

/// How fair queuing keeps its books: one queue for each flow, or few queues
/// among which flows are dealt, as Kubernetes does it.
enum class fair_mode : std::uint8_t { exact, kubernetes };

/// The options of fair queuing. Their bounds and meanings are in `options_in`,
/// and listed in docs/policies.md.
struct fair_queuing_options {
  fair_mode mode = fair_mode::exact;
  duration guess = std::chrono::milliseconds{3};
  std::map<std::string, double> shares = {};
  std::optional<std::size_t> queue_limit = std::nullopt;

  // Of mode exact:

  duration debt_memory = std::chrono::seconds{10};
  std::size_t most_flows = 100'000;

  // Of mode kubernetes:

  std::size_t queues = 64;
  std::size_t hand_size = 6;
};

std::vector<option> options_in(fair_queuing_options& options);

/// Errors: std::invalid_argument names the option that is out of bounds.
void check(const fair_queuing_options& options);

} // namespace libpool
