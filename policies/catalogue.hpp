#pragma once

#include "libpool/export.hpp"
#include "libpool/policies/part.hpp"

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace libpool {

struct composition;

/// Returns the names and summaries of the policies of direct pools. A direct
/// pool passes each message on to its workers at once, in the thread of the
/// sender, and does not keep the message.
LIBPOOL_EXPORT const std::vector<policy_entry>& direct_policies();

/// Returns the catalogue of gather plans. With a gather plan, a managed pool
/// handles each message by several tasks, and joins their results into one
/// answer. Each plan can be combined with each policy of managed pools.
LIBPOOL_EXPORT const std::vector<gather_entry>& gathering_policies();

/// Returns the catalogue of orders. An order is the part of a policy that
/// decides which waiting task goes next.
LIBPOOL_EXPORT const std::vector<order_entry>& orders();
/// Returns the catalogue of placements. A placement is the part of a policy
/// that decides which worker gets a task.
LIBPOOL_EXPORT const std::vector<placement_entry>& placements();
/// Returns the catalogue of stealing policies. A stealing policy is the part of
/// a policy that decides which tasks idle workers take over from other workers.
LIBPOOL_EXPORT const std::vector<stealing_entry>& stealings();

/// Policy of a managed pool, composed of parts that are chosen by name. The
/// order decides which waiting task goes next, and the placement which worker
/// gets it.
struct recipe : policy_entry { // user-defined recipes need no name
  /// Order: the part that decides which waiting task goes next; default:
  /// `fifo`.
  chosen<libpool::order> order = "fifo";
  /// Placement: the part that decides which worker gets a task; default:
  /// `round_robin`.
  chosen<libpool::placement> placement = "round_robin";
  /// Time at which a task gets its worker. Lazy: when a worker has room for the
  /// task. Eager: when the task arrives. Unset: as the order requires, or eager
  /// if the order works with both.
  std::optional<libpool::assignment> assignment = std::nullopt;
  /// Stealing policy: the part that decides which tasks idle workers take over
  /// from other workers. Unset: no task is taken over.
  std::optional<chosen<libpool::stealing>> stealing = std::nullopt;
};

/// Returns the predefined policies of managed pools, such as `shared_queue`.
/// Each of them has a name.
LIBPOOL_EXPORT const std::vector<recipe>& managed_policies();

/// Returns the predefined policy of managed pools with the name `name`.
///
/// Errors: std::invalid_argument if the name is unknown; the error lists the
///         known names.
LIBPOOL_EXPORT const recipe& managed_policy_named(std::string_view name);

/// Returns when tasks of the recipe get their workers: eager (when a task
/// arrives) or lazy (when a worker has room). If `how.assignment` is unset, the
/// result is what the order requires, or eager if the order works with both.
LIBPOOL_EXPORT assignment assignment_of(const recipe& recipe);

/// Returns a simpler recipe for a pool in which all workers are equally good
/// for each task: no task has a worker with its data, a limited set of workers
/// or a known cost. Such a pool can do without stealing if a task gets its
/// worker only when a worker has room (lazy assignment). If `manner` has a
/// stealing policy, and its placement `lets_workers_go_on`, the result has lazy
/// assignment and no stealing policy. Otherwise the result is `manner`.
LIBPOOL_EXPORT recipe without_homes(recipe manner);

/// Makes the objects that a managed pool uses: the order, the placement and the
/// stealing policy, if the recipe has one.
///
/// Errors: std::invalid_argument if an option is out of bounds, or if a part
///         requires a different assignment (lazy or eager) from that of the
///         recipe. The error names the option or the part.
LIBPOOL_EXPORT composition compose(const recipe& recipe);

} // namespace libpool
