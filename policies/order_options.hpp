#pragma once

#include "libpool/core/instant.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace libpool {

/// How fair queuing keeps its books: one queue for each flow, or few queues
/// among which flows are dealt, as Kubernetes does it.
enum class fair_mode : std::uint8_t { exact, kubernetes };

/// What orders can be told, all within its bounds. Each takes what the
/// catalogue lists for it.
struct order_options {
  /// Waiting for this long lifts a task by one level of priority; none: never.
  /// Above 0.
  std::optional<duration> age_step = std::nullopt;

  // -- fair queuing -----------------------------------------------------------

  fair_mode mode = fair_mode::exact;
  /// What a task is taken to cost until it has ended; above 0.
  duration guess = std::chrono::milliseconds{3};
  /// By the names of flows, what each gets compared with the others; 1 for
  /// those that are not listed. Above 0.
  std::map<std::string, double> shares = {};
  /// Of tasks that wait, in a flow or in one of the queues; at least 1. None:
  /// no limit in mode exact, 50 in mode kubernetes.
  std::optional<std::size_t> queue_limit = std::nullopt;

  // Mode exact only:

  /// For how long a flow that has nothing to do is remembered for having had
  /// too much.
  duration debt_memory = std::chrono::seconds{10};
  /// So many flows have queues of their own; further ones share some. At least
  /// 1.
  std::size_t most_flows = 100'000;

  // Mode kubernetes only:

  /// How many queues there are; from 1 to 65536.
  std::size_t queues = 64;
  /// Among how many of them a flow chooses; from 1 to `queues`, and so few that
  /// a hash of 60 bits has a number for each hand.
  std::size_t hand_size = 6;
};

/// Throws std::invalid_argument naming the option that is out of bounds.
void check(const order_options& options);

} // namespace libpool
