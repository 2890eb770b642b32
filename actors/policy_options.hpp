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

// What policies of managed pools ask the user about messages and workers. All
// functions are called in one thread at a time, and must not wait for the pool.
// A message of which one throws is refused with `errc::policy_failed`, which
// says so: "priority_of threw: …". While all workers are busy with tiny
// messages, functions are asked about further ones when one of these has ended.

struct priority_function {
  /// The priority of a message, the higher goes first; none: 1 for messages of
  /// the urgent category, 0 for others.
  std::function<std::int64_t(const message_content&)> priority_of = nullptr;
};

struct flow_functions {
  /// The flow of a message: none of them gets more than its share while another
  /// one waits. None: its sender's, by the number that this has as an actor.
  /// See `flow_by` for flows that are named by an element of the message.
  std::function<flow_key(const message_content&)> flow_of = nullptr;
  /// How many seats a message takes, at least 1; none: 1. A wide message waits
  /// until it has all of them. See `width_by`.
  std::function<std::size_t(const message_content&)> width_of = nullptr;
  /// How many messages a worker has at once, by their widths, in place of the
  /// window. Most workers handle one after the other; more than 1 is for
  /// workers that answer later, with `busy_until::answer`. Blocking workers
  /// always have one. At least 1.
  std::size_t seats_per_worker = 1;
  /// What happens to messages that are wider than the seats of all workers.
  libpool::too_wide too_wide = too_wide::clamp;
  /// How many flows `stats` tells of, at most, the longest queues first.
  std::size_t top_flows = 32;
};

struct key_function {
  /// The key of a message, if it has one; has to be given. Messages of one key
  /// belong together.
  std::function<std::optional<std::uint64_t>(const message_content&)> key_of =
    nullptr;
};

struct kind_functions {
  /// Messages of one kind take about as long; none: messages of the same types
  /// are of one kind.
  std::function<std::uint64_t(const message_content&)> kind_of = nullptr;
  /// How long a message is known to take, if it is, in place of an estimate by
  /// kind.
  std::function<std::optional<duration>(const message_content&)> estimate_of =
    nullptr;
};

struct home_functions : kind_functions {
  /// The worker that has the data of a message, if any, counted from 0 as they
  /// joined: the message goes there, where messages are bound eagerly. If there
  /// is no such worker, it goes where it would without.
  std::function<std::optional<std::size_t>(const message_content&)> home_of =
    nullptr;
  /// The cost of having another worker than its home handle a message, at least
  /// 0; none: nothing. See `transfer_time`.
  std::function<duration(const message_content&)> move_cost = nullptr;
};

struct weight_function {
  /// The weight of a worker that is added, above 0; none: all have the same
  /// share.
  std::function<duration(const caf::actor&)> weight_of = nullptr;
};

/// All of these functions, for policies that are composed by the user.
struct message_functions : priority_function,
                           flow_functions,
                           key_function,
                           home_functions,
                           weight_function {};

// The options of the policies that ask: those of the algorithm, listed in
// docs/policies.md, and the functions.

struct rank_options : priority_options, priority_function {};
struct flow_options : fair_queuing_options, flow_functions {};
struct key_options : consistent_hash_options, key_function {};
struct home_options : cost_aware_options, home_functions {};
struct kind_options : shortest_queue_options, kind_functions {};
struct weight_options : estimate_options, weight_function {};

} // namespace libpool
