#pragma once

#include "libpool/core/dispatcher.hpp"
#include "libpool/policies/part.hpp"

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace libpool {

/// The direct policies: each message is dispatched in its sender's thread,
/// without bookkeeping. Tables, programs and tests take their lists of policies
/// from this header.
const std::vector<policy_entry>& direct_policies();

/// The policies by which a managed pool handles one message with several tasks.
/// Each can be combined with any other managed policy.
const std::vector<gather_entry>& gathering_policies();

/// Returns the orders from which recipes are made.
const std::vector<order_entry>& orders();
/// Returns the placements from which recipes are made.
const std::vector<placement_entry>& placements();
/// Returns the stealings from which recipes are made.
const std::vector<stealing_entry>& stealings();

/// The order, placement and stealing of a managed pool, by name. The pool keeps
/// each message until a worker has room for it, and settles it exactly once,
/// even if workers crash or leave.
struct recipe : policy_entry { // user-defined recipes need no name
  /// Decides which waiting task goes next.
  chosen<libpool::order> order = "fifo";
  /// Decides which worker gets a task.
  chosen<libpool::placement> placement = "round_robin";
  /// When tasks are assigned to workers; unset: as the order requires,
  /// otherwise eager.
  std::optional<libpool::assignment> assignment = std::nullopt;
  /// How idle workers take over tasks; unset: they do not.
  std::optional<chosen<libpool::stealing>> stealing = std::nullopt;
};

/// The named recipes: the policies of managed pools.
const std::vector<recipe>& managed_policies();

/// Returns the recipe of that name.
///
/// Errors: std::invalid_argument lists the known names.
const recipe& managed_policy_named(std::string_view name);

/// Returns the assignment of the recipe; if unset, the one that its order
/// requires, otherwise eager.
assignment assignment_of(const recipe& how);

/// Returns the window of a worker that runs up to `seats` tasks at once, for
/// pools whose options set no window. The window is `seats` for the shared
/// queue, for recipes with stealing and for orders that require lazy
/// assignment. Otherwise the window is the larger of 2 and `seats`, so that a
/// worker with one seat has its next task at hand.
std::size_t default_window(const recipe& how, std::size_t seats);

/// Returns the recipe for a pool whose tasks have no home, no restriction and
/// no known cost. If `how` has a stealing and a placement that lets workers go
/// on with the next task in the order, the result assigns tasks lazily and has
/// no stealing: with eager assignment tasks would only have to be stolen later.
/// Otherwise returns `how`.
recipe without_homes(recipe how);

/// Makes the order, the placement and the stealing of a recipe.
///
/// Errors: std::invalid_argument names the option that is out of bounds, or the
///         part that requires another assignment.
composition compose(const recipe& how);

} // namespace libpool
