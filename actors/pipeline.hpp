#pragma once

#include "libpool/actors/pipeline_stats.hpp"
#include "libpool/actors/selection.hpp"
#include "libpool/actors/stage.hpp"
#include "libpool/export.hpp"

#include <caf/actor.hpp>
#include <caf/error.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace libpool {

/// Functions that query and control pipelines.
///
/// A pipeline is one actor in front of a line of stages, see `pipeline_plan`.
/// Each message to the pipeline is an item, which goes through all stages. A
/// request is answered with the result of the last stage. A source is a
/// function or an actor that provides items. A pipeline with a source accepts
/// items only from the source. When the source has no more items, the pipeline
/// drains itself and ends (`caf::exit_reason::normal`).
///
/// The credit of a stage is the maximum number of items in the stage. A stage
/// that is full takes the next item when an item has moved on to the next
/// stage. The maximum number of items in the pipeline is the sum of the
/// credits, even if items arrive faster. An item that arrives while the first
/// stage has no room is refused with `errc::queue_full`; if
/// `pipeline_options::answer` is `answer_when::accepted`, the item waits
/// instead. A managed pool that has the pipeline as a worker keeps messages
/// until the first stage has room. If the pool of a stage never answers, the
/// item stays in the stage: give such a pool a deadline.
///
/// A pipeline may be a stage of another pipeline and a worker of a pool, but
/// not a worker of a pool among its own stages: its items would wait for each
/// other. Accepted items keep the pipeline alive. When the last reference to
/// the pipeline is gone, the pipeline stops the pools that it has made. An exit
/// message ends the pipeline and these pools immediately; open requests are
/// answered with `caf::sec::request_receiver_down`.
///
/// Order:   none, unless `ordered`: then items leave each stage in the order in
///          which they were accepted, except items that have failed.
/// Cost:    for each item and stage, a request to the pool of the stage and an
///          answer.
/// Threads: any number of senders. A pipeline has no mailbox. It runs in the
///          threads that send items or answers, in one thread at a time.
/// Errors:  an item that fails in a stage fails with `errc::stage_failed` and a
///          context that names the stage; other items do not fail. If the pool
///          of a stage ends, all items that reach the stage fail, and the
///          pipeline stops accepting items. When all items are settled, the
///          pipeline ends with that error.
struct LIBPOOL_EXPORT pipeline {
  /// Returns the state and the counters of the pipeline behind `handle`. Throws
  /// std::invalid_argument if `handle` is not a pipeline. A request with the
  /// message ('SYS', 'STATS') is answered with the same stats.
  static pipeline_stats stats(const caf::actor& handle);

  /// Returns the pool of each stage of the pipeline behind `handle`, in the
  /// order of the stages; a null handle for a stage whose actor is not a pool
  /// or has ended. Throws std::invalid_argument if `handle` is not a pipeline.
  static std::vector<caf::actor> pools(const caf::actor& handle);

  /// Makes the pipeline behind `handle` stop accepting items
  /// (`errc::pool_closed`), and end when all accepted items are settled. Stages
  /// end one after the other: each pool that the pipeline has made is stopped
  /// as soon as no more items can reach the pool. Items that were already
  /// requested from a source are awaited and accepted. The message ('SYS',
  /// 'DRAIN') has the same effect; a request is answered at the end. Throws
  /// std::invalid_argument if `handle` is not a pipeline.
  static void drain(const caf::actor& handle);

  /// Cancels items of the pipeline behind `handle`, and returns how many. An
  /// item that waits to enter the pipeline is answered with `errc::cancelled`
  /// at once. Another item is when its next stage has room, or when its stage
  /// has answered; it does not reach the next stage. If a stage has the item,
  /// and is a managed pool or a pipeline, the item is cancelled there, too.
  /// Items that have passed all stages are not cancelled.
  ///
  /// The message ('SYS', 'CANCEL', which) has the same effect, and is answered
  /// with `cancel_counts`. Any client can send it through a handle made by
  /// `submit_only`: only items of this client are cancelled then.
  ///
  /// Cost:   O(items in the pipeline).
  /// Errors: std::invalid_argument if `handle` is not a pipeline, or if
  /// `selection`
  ///         has a flow, because items have none, or an id although
  ///         `pipeline_options::id_of` is not set.
  static cancel_counts cancel(const caf::actor& handle,
                              const selection& selection);
};

namespace detail {

LIBPOOL_EXPORT caf::actor spawn_pipeline(caf::actor_system& system,
                                         const plan_parts& plan,
                                         const pipeline_options& options);

} // namespace detail

/// Makes the pipeline that `plan` describes.
///
/// Errors: std::invalid_argument if the plan has no stage or an option is out
///         of bounds; those of `actor_pool::make`, after all pools made so far
///         were stopped.
template <class In, class Out>
caf::actor spawn_pipeline(caf::actor_system& system,
                          const pipeline_plan<In, Out>& plan,
                          const pipeline_options& options = {}) {
  return detail::spawn_pipeline(system, plan.parts(), options);
}

} // namespace libpool
