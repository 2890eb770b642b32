#pragma once

#include "libpool/actors/caf/port/inspection.hpp"
#include "libpool/actors/pool_options.hpp"

#include <caf/error.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace libpool {

/// Event at which a pipeline answers a request. `done`: the item has passed all
/// stages; the answer is the result. `accepted`: the item is accepted; the
/// answer is empty.
enum class answer_when : std::uint8_t { done, accepted };

/// Description of an item that has failed, as passed to
/// `pipeline_options::on_failed`.
struct failed_item {
  /// Number of the item, counted from 1 in the order in which the pipeline
  /// accepted items.
  std::uint64_t number = 0;
  /// Name of the stage in which the item failed.
  std::string stage;
  /// Reason of the failure.
  caf::error reason;
};

/// Options of a pipeline. The functions are called in one thread at a time, and
/// must not block. Exceptions from the functions are ignored.
struct pipeline_options {
  /// Whether the items leave each stage in the order in which the pipeline
  /// accepted them. If false, items can overtake each other.
  bool ordered = false;
  /// Event at which the pipeline answers a request: the item has passed all
  /// stages, or the pipeline has accepted the item.
  answer_when answer = answer_when::done;
  /// Maximum number of messages that wait while the first stage is full; at
  /// most 1'000'000. Further messages are refused. Used only if `answer` is
  /// `answer_when::accepted`. With `answer_when::done`, each message that
  /// arrives while the first stage is full is refused.
  std::size_t max_waiting = 1024;
  /// Called with each failed item for which no client waits. A client that
  /// waits for the item gets the error as the answer instead.
  std::function<void(const failed_item&)> on_failed = nullptr;
  /// Called with each refused message for which no client waits. A client that
  /// waits gets the error as the answer instead.
  std::function<void(refusal&)> on_refused = nullptr;
  /// Called if the source, the function or the actor that provides the items,
  /// fails or ends early. The pipeline then gets no more items.
  std::function<void(const caf::error&)> on_source_failed = nullptr;
  /// Actor name of the pipeline.
  std::string name = "libpool::pipeline";
};

/// State and counters of one stage.
struct stage_stats {
  /// Name of the stage.
  std::string name;
  /// Credit of the stage: the maximum number of items that may be in the stage
  /// at the same time, as set by the user or chosen by the pipeline.
  std::size_t credit = 0;
  /// Number of items that are in the stage now.
  std::size_t held = 0;
  /// Highest number of items that were in the stage at the same time so far.
  std::size_t most_held = 0;
  /// Number of items that the stage has handled with success.
  std::uint64_t answered = 0;
  /// Number of items that failed in the stage.
  std::uint64_t failed = 0;
};

/// State and counters of a pipeline. Each accepted item is completed, failed,
/// cancelled or in the pipeline.
struct pipeline_stats {
  /// Number of items accepted.
  std::uint64_t accepted = 0;
  /// Number of messages refused.
  std::uint64_t refused = 0;
  /// Number of items that passed all stages.
  std::uint64_t completed = 0;
  /// Number of items that failed in a stage.
  std::uint64_t failed = 0;
  /// Number of items that were cancelled.
  std::uint64_t cancelled = 0;
  /// Number of items that are in the pipeline now.
  std::size_t in_line = 0;
  /// Highest number of items that were in the pipeline at the same time so far.
  std::size_t most_in_line = 0;
  /// Number of messages that are not accepted yet, and wait until the first
  /// stage has room.
  std::size_t waiting = 0;
  /// Stats of each stage, in the order in which items pass the stages.
  std::vector<stage_stats> stages;
};

/// Passes the fields of `stage_stats` to an inspector of CAF.
template <class Inspector>
inspection<Inspector> inspect(Inspector& f, stage_stats& x) {
  return inspect_fields(f, x, "libpool::stage_stats", field{"name", x.name},
                        field{"credit", x.credit}, field{"held", x.held},
                        field{"most_held", x.most_held},
                        field{"answered", x.answered},
                        field{"failed", x.failed});
}

/// Passes the fields of `pipeline_stats` to an inspector of CAF.
template <class Inspector>
inspection<Inspector> inspect(Inspector& f, pipeline_stats& x) {
  return inspect_fields(
    f, x, "libpool::pipeline_stats", field{"accepted", x.accepted},
    field{"refused", x.refused}, field{"completed", x.completed},
    field{"failed", x.failed}, field{"cancelled", x.cancelled},
    field{"in_line", x.in_line}, field{"most_in_line", x.most_in_line},
    field{"waiting", x.waiting}, field{"stages", x.stages});
}

} // namespace libpool
