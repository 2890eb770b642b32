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

// Functions by which policies of managed pools ask the user about messages and
// workers. They are called in one thread at a time, and must not wait for the
// pool. If a function throws, the message is refused with
// `errc::policy_failed`, whose context names the function: "priority_of threw:
// …". While all workers are busy with tiny messages, functions are called for
// further messages only when one of the messages has ended.

/// The function of `priority`.
struct priority_function {
  /// Priority of a message; the highest goes first. Unset: 1 for messages of
  /// the urgent category, 0 for other messages.
  std::function<std::int64_t(const message_content&)> priority_of = nullptr;
};

/// The functions of `fair_queuing`, and its options that go with them.
struct flow_functions {
  /// Flow of a message. While another flow waits, no flow gets more than its
  /// share. Unset: the flow of the sender, by its actor id. See `flow_by` for
  /// flows that are named by an element of the message.
  std::function<flow_key(const message_content&)> flow_of = nullptr;
  /// Number of seats that a message takes, at least 1; unset: 1. A message
  /// waits until all of its seats are free. See `width_by`.
  std::function<std::size_t(const message_content&)> width_of = nullptr;
  /// Number of seats of a worker: maximum sum of the widths of its messages, in
  /// place of `managed_options::window`; at least 1. More than one seat is
  /// useful for workers that answer later, with `busy_until::answer`. Other
  /// workers handle one message at a time. Blocking workers always have one
  /// seat.
  std::size_t seats_per_worker = 1;
  /// What happens to messages that are wider than the seats of all workers.
  libpool::too_wide too_wide = too_wide::clamp;
  /// Maximum number of flows in `pool_stats::flows`, the longest queues first.
  std::size_t top_flows = 32;
};

/// The function of `consistent_hash`.
struct key_function {
  /// Key of a message, if it has one. While a message is in flight, messages
  /// with the same key go to the same worker; they are handled one after the
  /// other. Required by `consistent_hash`.
  std::function<std::optional<std::uint64_t>(const message_content&)> key_of =
    nullptr;
};

/// The functions of policies that estimate service times.
struct kind_functions {
  /// Kind of a message. Messages of one kind take about the same time. Unset:
  /// messages with the same types are of one kind.
  std::function<std::uint64_t(const message_content&)> kind_of = nullptr;
  /// Service time of a message if it is known, in place of the estimate by
  /// kind; at least 0.
  std::function<std::optional<duration>(const message_content&)> estimate_of =
    nullptr;
};

/// The functions of `work_stealing`.
struct home_functions : kind_functions {
  /// Number of the worker that has the data of a message, if any, from 0 in the
  /// order in which workers joined. With eager assignment, the message is
  /// assigned to that worker. If that worker does not exist, the message is
  /// assigned as without a home.
  std::function<std::optional<std::size_t>(const message_content&)> home_of =
    nullptr;
  /// Cost of handling a message at a worker other than its home; at least 0;
  /// unset: 0. See `transfer_time`.
  std::function<duration(const message_content&)> move_cost = nullptr;
};

/// The function of policies with weights.
struct weight_function {
  /// Weight of a worker that is added; above 0. Unset: all workers have equal
  /// shares.
  std::function<duration(const caf::actor&)> weight_of = nullptr;
};

/// All of these functions, for policies that the user composes.
struct message_functions : priority_function,
                           flow_functions,
                           key_function,
                           home_functions,
                           weight_function {};

// The options of policies that use these functions: the options of the
// algorithm, which are listed in docs/policies.md, and the functions.

struct rank_options : priority_options, priority_function {};
struct flow_options : fair_queuing_options, flow_functions {};
struct key_options : consistent_hash_options, key_function {};
struct home_options : cost_aware_options, home_functions {};
struct kind_options : shortest_queue_options, kind_functions {};
struct weight_options : estimate_options, weight_function {};

} // namespace libpool
