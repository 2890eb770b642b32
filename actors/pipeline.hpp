#pragma once

#include "libpool/actors/caf/port/inspection.hpp"
#include "libpool/actors/pool_options.hpp"
#include "libpool/actors/stage.hpp"

#include <caf/actor.hpp>
#include <caf/error.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace libpool {

/// When a request to a pipeline is answered: with the result when its item is
/// done, or with nothing when its item is accepted.
enum class answer_when : std::uint8_t { done, accepted };

/// An item that has failed.
struct failed_item {
  /// Counts the accepted items of the pipeline, from 1.
  std::uint64_t number = 0;
  /// The name of the stage.
  std::string stage;
  caf::error reason;
};

/// The options of a pipeline. Its functions are called in one thread at a time
/// and must not block; exceptions from them are ignored.
struct pipeline_options {
  /// Whether items leave each stage in the order in which they were accepted.
  bool ordered = false;
  answer_when answer = answer_when::done;
  /// With `answer_when::accepted`: how many messages may wait for room in the
  /// first stage. Further ones are refused, and otherwise all that find no
  /// room.
  std::size_t max_waiting = 1024;
  /// Called with each item that fails while no client waits for its answer.
  std::function<void(const failed_item&)> on_failed = nullptr;
  /// Called with each message that is refused while no client waits for its
  /// answer.
  std::function<void(refusal&)> on_refused = nullptr;
  /// Called if the source fails or dies: no more items come.
  std::function<void(const caf::error&)> on_source_failed = nullptr;
  /// The name of the pipeline as an actor.
  std::string name = "libpool::pipeline";
};

/// The state and the counts of one stage.
struct stage_stats {
  std::string name;
  /// How many items it may hold, holds, and held at most.
  std::size_t credit = 0;
  std::size_t held = 0;
  std::size_t most_held = 0;
  std::uint64_t answered = 0;
  std::uint64_t failed = 0;
};

/// The state and the counts of a pipeline. Each accepted item is completed,
/// failed, cancelled, or in the line.
struct pipeline_stats {
  std::uint64_t accepted = 0;
  std::uint64_t refused = 0;
  std::uint64_t completed = 0;
  std::uint64_t failed = 0;
  std::uint64_t cancelled = 0;
  /// How many items are in the line, and were at most.
  std::size_t in_line = 0;
  std::size_t most_in_line = 0;
  /// How many messages wait to be accepted.
  std::size_t waiting = 0;
  std::vector<stage_stats> stages;
};

template <class Inspector>
inspection<Inspector> inspect(Inspector& f, stage_stats& x) {
  return inspect_fields(f, x, "libpool::stage_stats", field{"name", x.name},
                        field{"credit", x.credit}, field{"held", x.held},
                        field{"most_held", x.most_held},
                        field{"answered", x.answered},
                        field{"failed", x.failed});
}

template <class Inspector>
inspection<Inspector> inspect(Inspector& f, pipeline_stats& x) {
  return inspect_fields(
    f, x, "libpool::pipeline_stats", field{"accepted", x.accepted},
    field{"refused", x.refused}, field{"completed", x.completed},
    field{"failed", x.failed}, field{"cancelled", x.cancelled},
    field{"in_line", x.in_line}, field{"most_in_line", x.most_in_line},
    field{"waiting", x.waiting}, field{"stages", x.stages});
}

/// The requests that pipelines answer, besides items.
///
/// A pipeline is one actor in front of a line of stages, see `pipeline_plan`.
/// Each message to it is an item, which goes through all stages; a request is
/// answered with the result of the last one. With a source, the pipeline takes
/// items from there only, drains itself when there are no more, and ends
/// (`caf::exit_reason::normal`).
///
/// Each stage holds so many items at most, its credit, and takes one more when
/// one has gone on: so the pipeline holds no more than the sum, however fast
/// items come. One that finds no room in the first stage is refused with
/// `errc::queue_full`; see `pipeline_options::answer` for another way. A
/// managed pool that has the pipeline for a worker keeps its messages until
/// there is room. A stage whose pool never answers an item holds it for ever:
/// give that pool a deadline.
///
/// A pipeline may be a stage of another one, and a worker of a pool, but not of
/// one that is among its own stages: items would wait for themselves. Accepted
/// items keep it alive. When its last reference is gone, it stops the pools
/// that it has made. An exit message ends it at once, and them; requests that
/// it has taken get `caf::sec::request_receiver_down`.
///
/// Order:   none, unless `ordered`: then items leave each stage in the order in
///          which they were accepted, save items that have failed.
/// Cost:    for each item and stage, a request to its pool and an answer.
/// Threads: any number of senders; it has no mailbox and runs in the threads of
///          the actors that send items or answers, one at a time.
/// Errors:  an item that fails in a stage fails alone: `errc::stage_failed`,
///          with a context that names the stage. So do all that come to a stage
///          whose pool has ended; the pipeline takes nothing more then, and
///          ends with that error when the rest is done.
struct pipeline {
  /// The state and the counts of the pipeline behind `handle`;
  /// std::invalid_argument if there is none. The message ('SYS', 'STATS') asks
  /// for them as well.
  static pipeline_stats stats(const caf::actor& handle);

  /// Has the pipeline behind `handle` take no more (`errc::pool_closed`), and
  /// end when all accepted items are done, stage by stage: each pool that it
  /// has made is stopped as soon as no item can come there any more. Items that
  /// a source was asked for before are waited for, and taken. The message
  /// ('SYS', 'DRAIN') does this as well, and as a request is answered at the
  /// end. std::invalid_argument if no pipeline is behind `handle`.
  static void drain(const caf::actor& handle);
};

namespace detail {

caf::actor spawn_pipeline(caf::actor_system& system, const plan_parts& plan,
                          const pipeline_options& options);

} // namespace detail

/// Makes a pipeline with its stages.
///
/// Errors: std::invalid_argument if the plan has no stage; those of
/// `actor_pool::make`, after all pools made so far were stopped.
template <class In, class Out>
caf::actor spawn_pipeline(caf::actor_system& system,
                          const pipeline_plan<In, Out>& plan,
                          const pipeline_options& options = {}) {
  return detail::spawn_pipeline(system, plan.parts(), options);
}

} // namespace libpool
