#pragma once

#include "libpool/actors/content_function.hpp"
#include "libpool/core/flow.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/core/limits.hpp"
#include "libpool/policies/order/fair_queuing_options.hpp"
#include "libpool/policies/order/priority_options.hpp"
#include "libpool/policies/placement/estimate_options.hpp"
#include "libpool/policies/placement/placement_options.hpp"
#include "libpool/policies/stealing/cost_aware_options.hpp"

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

/// Option of `actor_pool::priority`: the function that returns the priority of
/// a message.
struct priority_function {
  /// Returns the priority of a message; the message with the highest priority
  /// goes first. Unset: 1 for messages of the urgent category, 0 for other
  /// messages.
  content_function<std::int64_t> priority_of = nullptr;
};

/// Options of `actor_pool::fair_queuing` about flows and seats. A flow is the
/// messages of one tenant or client. A seat is a place for a message at a
/// worker.
struct flow_functions {
  /// Returns the flow of a message, for example its tenant or its client. While
  /// another flow waits, no flow gets more than its share of the workers' time.
  /// Unset: each sender is a flow, identified by the actor id of the sender.
  /// `flow_by` makes such a function if an element of the message names the
  /// flow.
  content_function<flow_key> flow_of = nullptr;
  /// Returns the width of a message: the number of seats, which are places for
  /// messages at workers, that the message takes; at least 1. A message waits
  /// until this number of seats is free. Unset: 1 for all messages. `width_by`
  /// makes such a function if an element of the message is the width.
  content_function<std::size_t> width_of = nullptr;
  /// Number of seats of each worker, which are places for messages; at least 1.
  /// A worker can have several messages at the same time if their widths add up
  /// to at most this number. Replaces `managed_options::window`. More than one
  /// seat is useful with `busy_until::answer`, for workers that answer after
  /// their handlers have returned. Blocking workers always have one seat.
  std::size_t seats_per_worker = 1;
  /// Reaction to a message that takes more seats than all workers have
  /// together. `clamp`: the message takes all seats. `refuse`: the message is
  /// refused.
  libpool::too_wide too_wide = too_wide::clamp;
  /// Maximum number of flows that `pool_stats::flows` lists. Flows with the
  /// most waiting messages come first.
  std::size_t top_flows = 32;
};

/// Option of `actor_pool::consistent_hash`: the function that returns the key
/// of a message.
struct key_function {
  /// Returns the key of a message, which names the data that the message is
  /// about; std::nullopt for a message without a key. While a message is in
  /// flight, messages with the same key go to the same worker, which handles
  /// these messages one after the other. Required by
  /// `actor_pool::consistent_hash`.
  content_function<std::optional<std::uint64_t>> key_of = nullptr;
};

/// Functions that return the kind or the service time of a message, for
/// policies that estimate how long messages take.
struct kind_functions {
  /// Returns the kind of a message. Messages of one kind take about the same
  /// time. Unset: messages with the same types are of one kind.
  content_function<std::uint64_t> kind_of = nullptr;
  /// Returns the expected service time of a message, at least 0, which is used
  /// instead of the estimate for the kind of the message. std::nullopt: not
  /// known.
  content_function<std::optional<duration>> estimate_of = nullptr;
};

/// Functions that state which worker has the data of a message, and what it
/// costs to handle the message on another worker. Used by
/// `actor_pool::work_stealing`.
struct home_functions : kind_functions {
  /// Returns the home of a message: the worker that has the data of the
  /// message. Workers are numbered from 0 in the order in which they joined;
  /// std::nullopt for a message without a home. With eager assignment, which
  /// chooses a worker when a message arrives, the message goes to its home. If
  /// the pool has no such worker, the message is assigned like a message
  /// without a home.
  content_function<std::optional<std::size_t>> home_of = nullptr;
  /// Returns the additional time that a message takes on a worker that does not
  /// have the data of the message; at least 0. Unset: 0 for all messages.
  /// `transfer_time` computes such a time from a number of bytes.
  content_function<duration> move_cost = nullptr;
};

/// Option of policies that divide time by weights: the function that returns
/// the weight of a worker.
struct weight_function {
  /// Returns the weight of a worker that joins, as a time above 0, such as
  /// `std::chrono::milliseconds{20}`: the service time of each turn of the
  /// worker. A worker with twice the weight gets twice the service time. Unset:
  /// all workers have equal shares.
  std::function<duration(const caf::actor&)> weight_of = nullptr;
};

/// All functions that parts of policies can use, for policies that the user
/// composes of parts, see `actor_pool::managed`.
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
