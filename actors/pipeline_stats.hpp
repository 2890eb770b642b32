#pragma once

#include "libpool/actors/content_function.hpp"
#include "libpool/actors/inspect_figures.hpp"
#include "libpool/actors/pool_options.hpp"
#include "libpool/core/flow.hpp"

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
  /// Returns the id of an item, by which the item can be cancelled, see
  /// `pipeline::cancel`. The function is called in one thread at a time, once
  /// for each item, with the message for the first stage. If the function
  /// throws, the item has no id.
  content_function<flow_key> id_of = nullptr;
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

/// The figures of a stage.
template <>
struct description<stage_stats> {
  /// Calls `f` with the descriptions, as `description` states.
  template <class F>
  static constexpr auto visit(F f) {
    return f("libpool::stage_stats", gauge("name", &stage_stats::name),
             gauge("credit", &stage_stats::credit, "stage_credit",
                   "Maximum number of items in a stage of a pipeline."),
             gauge("held", &stage_stats::held, "stage_items",
                   "Items in a stage of a pipeline."),
             gauge("most_held", &stage_stats::most_held).not_in_json(),
             counter("answered", &stage_stats::answered, "stage_items_total",
                     "Items that have left a stage, by outcome.")
               .by("outcome", "completed"),
             counter("failed", &stage_stats::failed, "stage_items_total")
               .by("outcome"));
  }
};

/// The figures of a pipeline.
template <>
struct description<pipeline_stats> {
  /// Calls `f` with the descriptions, as `description` states.
  template <class F>
  static constexpr auto visit(F f) {
    return f(
      "libpool::pipeline_stats", counter("accepted", &pipeline_stats::accepted),
      counter("refused", &pipeline_stats::refused),
      counter("completed", &pipeline_stats::completed),
      counter("failed", &pipeline_stats::failed),
      counter("cancelled", &pipeline_stats::cancelled),
      gauge("in_line", &pipeline_stats::in_line),
      gauge("most_in_line", &pipeline_stats::most_in_line).not_in_json(),
      gauge("waiting", &pipeline_stats::waiting),
      gauge("stages", &pipeline_stats::stages).not_in_json().by("stage"));
  }
};

} // namespace libpool
