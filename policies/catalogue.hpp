#pragma once

#include "libpool/core/dispatcher.hpp"
#include "libpool/policies/part.hpp"

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace libpool {

/// Returns the policies of direct pools. A direct pool passes each message on
/// in the thread of the sender, and keeps no record of the message.
const std::vector<policy_entry>& direct_policies();

/// Returns the gather plans, by which a managed pool handles one message with
/// several tasks. Each gather plan can be combined with each policy of managed
/// pools.
const std::vector<gather_entry>& gathering_policies();

/// Returns all orders that recipes can name.
const std::vector<order_entry>& orders();
/// Returns all placements that recipes can name.
const std::vector<placement_entry>& placements();
/// Returns all stealing policies that recipes can name.
const std::vector<stealing_entry>& stealings();

/// A policy of managed pools, composed of parts that are chosen by name: an
/// order, a placement, an assignment and optionally a stealing policy.
struct recipe : policy_entry { // user-defined recipes need no name
  /// Order, which decides which waiting task goes next; default: `fifo`.
  chosen<libpool::order> order = "fifo";
  /// Placement, which decides which worker gets a task; default: `round_robin`.
  chosen<libpool::placement> placement = "round_robin";
  /// Assignment of tasks to workers, lazy or eager. Unset: the assignment that
  /// the order requires, or eager if the order requires none.
  std::optional<libpool::assignment> assignment = std::nullopt;
  /// Stealing policy, by which idle workers take over tasks of other workers.
  /// Unset: no task is stolen.
  std::optional<chosen<libpool::stealing>> stealing = std::nullopt;
};

/// Returns the predefined policies of managed pools. Each recipe has a name.
const std::vector<recipe>& managed_policies();

/// Returns the predefined recipe `name`.
///
/// Errors: std::invalid_argument if the name is unknown; the error lists the
///         known names.
const recipe& managed_policy_named(std::string_view name);

/// Returns the assignment of the recipe. If `how.assignment` is unset, the
/// result is the assignment that the order requires, or eager if the order
/// requires none.
assignment assignment_of(const recipe& how);

/// Returns the window of a worker that runs up to `seats` tasks at once, for
/// pools whose options set no window. The window is `seats` for the shared
/// queue (`fifo`, `least_used`, lazy), for recipes with a stealing policy, and
/// for orders that require lazy assignment. Otherwise the window is the larger
/// of 2 and `seats`, so that a worker with one seat already has its next task
/// when a task ends.
std::size_t default_window(const recipe& how, std::size_t seats);

/// Returns the recipe `how`, simplified for a pool whose tasks have no home, no
/// restriction and no known cost. In such a pool, stealing only corrects eager
/// assignment. If `how` has a stealing policy, and its placement
/// `lets_workers_go_on`, the result has lazy assignment and no stealing policy.
/// Otherwise the result is `how`.
recipe without_homes(recipe how);

/// Makes the parts of a recipe: the order, the placement, and the stealing
/// policy if the recipe has one.
///
/// Errors: std::invalid_argument if an option is out of bounds, or if a part
///         requires a different assignment from that of the recipe. The error
///         names the option or the part.
composition compose(const recipe& how);

} // namespace libpool
