#pragma once

#include "libpool/core/dispatcher.hpp"
#include "libpool/policies/part.hpp"

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace libpool {

/// The direct policies: each message is dispatched in its sender's thread, with
/// no bookkeeping. Tables, programs and tests take their lists from here.
const std::vector<policy_entry>& direct_policies();

/// The policies by which a managed pool handles a message by several tasks,
/// over any of the others.
const std::vector<gather_entry>& gathering_policies();

const std::vector<order_entry>& orders();
const std::vector<placement_entry>& placements();
const std::vector<stealing_entry>& stealings();

/// The order, the placement and the stealing of a managed pool, by name. The
/// pool keeps each message until a worker has room for it, and settles it once
/// whatever becomes of the workers.
struct recipe : policy_entry { // recipes of one's own need no name
  chosen<libpool::order> order = "fifo";
  chosen<libpool::placement> placement = "round_robin";
  /// None: as the policy has it.
  std::optional<libpool::assignment> assignment = std::nullopt;
  std::optional<chosen<libpool::stealing>> stealing = std::nullopt;
};

/// The recipes that have a name: the policies of managed pools.
const std::vector<recipe>& managed_policies();

/// Errors: std::invalid_argument names the choices.
const recipe& managed_policy_named(std::string_view name);

/// How a pool of this recipe binds its tasks.
assignment assignment_of(const recipe& how);

/// The window of a worker that runs so many tasks at once, unless the options
/// give another one: the tasks that it runs, and, where tasks are bound at
/// once, one more at hand.
std::size_t default_window(const recipe& how, std::size_t seats);

/// The recipe of a pool whose tasks are at home nowhere, may run on all workers
/// and are of no known cost. Where tasks are stolen and the placement does not
/// mind which worker goes on, they are bound lazily: a task that is bound
/// before a worker has room for it would only have to be taken over.
recipe without_homes(recipe how);

/// Errors: std::invalid_argument names the part or option that is unknown, out
///         of bounds, or does not go with another one.
composition compose(const recipe& how);

} // namespace libpool
