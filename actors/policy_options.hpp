#pragma once

#include "libpool/actors/caf/port/types.hpp"
#include "libpool/core/dispatcher.hpp"
#include "libpool/core/flow.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/policies/consistent_hash.hpp"
#include "libpool/policies/cost_aware_options.hpp"
#include "libpool/policies/estimate_options.hpp"
#include "libpool/policies/fair_queuing_options.hpp"
#include "libpool/policies/join_shortest_estimated_queue.hpp"
#include "libpool/policies/priority.hpp"

#include <caf/actor.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

namespace libpool {

// Functions of the user that describe messages and workers to policies of
// managed pools. The functions are called in one thread at a time, and must not
// wait for the pool. If a function throws, the message is refused with
// `errc::policy_failed`, whose context names the function: "priority_of threw:
// …". While all workers are busy with tiny messages, the functions are called
// for a waiting message only when a message has ended.

/// Function that `actor_pool::priority` uses.
struct priority_function {
  /// Returns the priority of a message; the message with the highest priority
  /// goes first. Unset: 1 for messages of the urgent category, 0 for other
  /// messages.
  std::function<std::int64_t(const message_content&)> priority_of = nullptr;
};

/// Functions that `actor_pool::fair_queuing` uses, and options about flows and
/// seats.
struct flow_functions {
  /// Returns the flow of a message. While another flow waits, no flow gets more
  /// than its share. Unset: each sender has its own flow, which is identified
  /// by the actor id. If an element of the message names the flow, see
  /// `flow_by`.
  std::function<flow_key(const message_content&)> flow_of = nullptr;
  /// Returns the number of seats that a message takes, at least 1. Unset: 1 for
  /// all messages. A message waits until all of its seats are free. See
  /// `width_by`.
  std::function<std::size_t(const message_content&)> width_of = nullptr;
  /// Number of seats of each worker: the maximum sum of the widths of its
  /// messages; at least 1. Replaces `managed_options::window`. More than one
  /// seat is useful with `busy_until::answer`, for workers that answer after
  /// their handlers have returned. Blocking workers always have one seat.
  std::size_t seats_per_worker = 1;
  /// Reaction to a message that takes more seats than all workers have.
  libpool::too_wide too_wide = too_wide::clamp;
  /// Maximum number of flows in `pool_stats::flows`; the flows with the longest
  /// queues come first.
  std::size_t top_flows = 32;
};

/// Function that `actor_pool::consistent_hash` uses.
struct key_function {
  /// Returns the key of a message; std::nullopt for a message without a key.
  /// While a message is in flight, messages with the same key go to the same
  /// worker, which handles these messages one after the other. Required by
  /// `actor_pool::consistent_hash`.
  std::function<std::optional<std::uint64_t>(const message_content&)> key_of =
    nullptr;
};

/// Functions that policies with estimates of service times use.
struct kind_functions {
  /// Returns the kind of a message. Messages of one kind take about the same
  /// time. Unset: messages with the same types are of one kind.
  std::function<std::uint64_t(const message_content&)> kind_of = nullptr;
  /// Returns the service time of a message, at least 0, in place of the
  /// estimate by kind; std::nullopt if the service time is not known.
  std::function<std::optional<duration>(const message_content&)> estimate_of =
    nullptr;
};

/// Functions that `actor_pool::work_stealing` uses.
struct home_functions : kind_functions {
  /// Returns the home of a message: the number of the worker that has the data
  /// of the message, from 0 in the order in which workers joined; std::nullopt
  /// for a message without a home. With eager assignment, the message is
  /// assigned to that worker. If the pool has no such worker, the message is
  /// assigned like a message without a home.
  std::function<std::optional<std::size_t>(const message_content&)> home_of =
    nullptr;
  /// Returns the cost of handling a message at a worker other than its home; at
  /// least 0. Unset: 0 for all messages. See `transfer_time`.
  std::function<duration(const message_content&)> move_cost = nullptr;
};

/// Function that policies with weights use.
struct weight_function {
  /// Returns the weight of a worker that joins; above 0. Unset: all workers
  /// have equal shares.
  std::function<duration(const caf::actor&)> weight_of = nullptr;
};

/// All functions that policies can use, for policies that the user composes of
/// parts.
struct message_functions : priority_function,
                           flow_functions,
                           key_function,
                           home_functions,
                           weight_function {};

// Options of single policies: the options of the algorithm, which are listed in
// docs/policies.md, and the functions above.

struct rank_options : priority_options, priority_function {};
struct flow_options : fair_queuing_options, flow_functions {};
struct key_options : consistent_hash_options, key_function {};
struct home_options : cost_aware_options, home_functions {};
struct kind_options : shortest_queue_options, kind_functions {};
struct weight_options : estimate_options, weight_function {};

} // namespace libpool
