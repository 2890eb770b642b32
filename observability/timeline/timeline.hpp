#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/core/recording.hpp"
#include "libpool/core/worker_number.hpp"
#include "libpool/export.hpp"

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace libpool {

/// Set of texts, each stored once, and numbered from 0 in the order of
/// insertion.
class LIBPOOL_EXPORT interned_texts {
public:
  interned_texts() = default;
  /// Moves the texts.
  interned_texts(interned_texts&&) = default;
  /// Moves the texts.
  interned_texts& operator=(interned_texts&&) = default;

  /// Returns the number of `text`. Stores the text if the set does not have it.
  std::uint32_t number_of(std::string_view text);

  /// Returns the text with the number `number`.
  const std::string& operator[](std::uint32_t number) const noexcept {
    return *texts_[number];
  }

  /// Returns the number of different texts.
  std::uint32_t size() const noexcept {
    return static_cast<std::uint32_t>(texts_.size());
  }

private:
  std::map<std::string, std::uint32_t, std::less<>> numbers_;
  std::vector<const std::string*> texts_;
};

/// Record of tasks, and of the workers that ran the tasks. `write_gantt` draws
/// a timeline as a picture. `write_trace` writes a timeline for a trace viewer.
/// Tasks may be added in any order.
///
/// Cost:    64 bytes for each task; each distinct flow, outcome, trace and kind
///          is stored once.
/// Threads: one thread at a time.
class LIBPOOL_EXPORT timeline {
public:
  /// A task to add to a timeline. A time is `never` if the task has not reached
  /// it. A task that was not started waits until `finished`. A task that was
  /// not finished waits or runs until the last moment of the timeline.
  struct span {
    /// Number of the task.
    std::uint64_t task = 0;
    /// Number of the worker that ran the task; unset if the task was not
    /// started.
    std::optional<worker_number> worker;
    /// Name of the flow of the task, for example of a tenant. In pictures,
    /// tasks of one flow have the same colour.
    std::string_view flow;
    /// Time of submission.
    instant submitted = never;
    /// Start of the handler.
    instant started = never;
    /// Time at which the task was settled: completed, failed or cancelled.
    instant finished = never;
    /// Outcome of the task, in one word. In pictures, runs with an outcome
    /// other than `completed` are marked.
    std::string_view outcome;
    /// Number of times that another worker took the task over.
    std::uint32_t steals = 0;
    /// Trace of the task: the name of the request of a larger system that the
    /// task belongs to, such as the `traceparent` of W3C's Trace Context; may
    /// be empty.
    std::string_view trace = {};
    /// Name of the kind of the task; may be empty.
    std::string_view kind = {};
  };

  /// A task, as stored in a timeline.
  struct record {
    /// Number of the task.
    std::uint64_t task = 0;
    /// Number of the worker that ran the task, if the task was started.
    worker_number worker{0};
    /// Time of submission.
    instant submitted = never;
    /// Start of the handler; `never` if the task was not started.
    instant started = never;
    /// Time at which the task was settled: completed, failed or cancelled;
    /// `never` if the task was not settled.
    instant finished = never;
    /// Index of the name of the task's flow in the list `flows()` of the
    /// timeline.
    std::uint32_t flow = 0;
    /// Index of the outcome of the task in the list `outcomes()` of the
    /// timeline.
    std::uint32_t outcome = 0;
    /// Number of times that another worker took the task over.
    std::uint32_t steals = 0;
    /// Index of the trace of the task in the list `traces()` of the timeline.
    std::uint32_t trace = 0;
    /// Index of the kind of the task in the list `kinds()` of the timeline.
    std::uint32_t kind = 0;
  };

  /// Adds a worker, which pictures then show even if the worker runs no task.
  /// If `name` is not empty, the name replaces the default name "worker N" and
  /// earlier names.
  void add_worker(worker_number worker, std::string_view name = {});

  /// Adds a task. If its times are out of order, times that are too late are
  /// lowered, so that no task ends before its start, or starts before its
  /// submission.
  /// @pre a task that was started has a worker, and at least one of the times
  ///      is not `never`
  void add(const span& added);

  /// Extends the timeline so that it includes `moment`. Without this call, the
  /// timeline reaches from the first to the last time of its tasks.
  void extend_to(instant moment) noexcept;

  /// Returns the tasks, in the order in which they were added.
  const std::vector<record>& records() const noexcept {
    return records_;
  }

  /// Returns the names of the workers by number; a name may be empty.
  const std::map<worker_number, std::string>& workers() const noexcept {
    return workers_;
  }

  /// Returns the names of the flows, in the order in which they were first
  /// added.
  const interned_texts& flows() const noexcept {
    return flows_;
  }

  /// Returns the outcomes of tasks, in the order in which they were first
  /// added.
  const interned_texts& outcomes() const noexcept {
    return outcomes_;
  }

  /// Returns the traces of tasks, in the order in which they were first added.
  const interned_texts& traces() const noexcept {
    return traces_;
  }

  /// Returns the kinds of tasks, in the order in which they were first added.
  const interned_texts& kinds() const noexcept {
    return kinds_;
  }

  /// Returns the earliest time in the timeline, from which pictures count time;
  /// zero if the timeline is empty.
  instant first() const noexcept {
    return last_ < first_ ? instant{} : first_;
  }

  /// Returns the latest time in the timeline; zero if the timeline is empty.
  instant last() const noexcept {
    return last_ < first_ ? instant{} : last_;
  }

private:
  std::vector<record> records_;
  std::map<worker_number, std::string> workers_;
  interned_texts flows_;
  interned_texts outcomes_;
  interned_texts traces_;
  interned_texts kinds_;
  instant first_ = instant::max();
  instant last_ = instant::min();
};

/// Returns a timeline of `recorded`, which is a recording of the handler runs
/// of a pool, see `actor_pool::recorded`. The timeline has an entry for each
/// run, and for each task that waits or was settled without a run. `names` has
/// the names of workers by number; pictures show each of these workers.
LIBPOOL_EXPORT timeline
timeline_of(const recording& recorded,
            const std::map<worker_number, std::string>& names = {});

/// A period of time; both ends are included.
struct time_span {
  /// First moment.
  instant from{};
  /// Last moment.
  instant to{};
};

/// Writes the timeline as a picture, a Gantt chart. The chart has a lane for
/// each worker, in which bars show its tasks, and a colour for each flow. Above
/// the lanes, the chart shows the number of waiting tasks of each flow. A mark
/// shows each task that ended without a start. Each element has a description
/// that viewers show under the pointer.
///
/// The picture is one self-contained SVG file. For any number of tasks, the
/// picture is readable and has at most a few megabytes. Tasks that are too
/// short to be drawn one by one are drawn together: an area shows the share of
/// time that they take. All flows except the seven with the longest run times
/// share one colour. Workers for which the picture has too little room are not
/// drawn, only counted.
///
/// Load:   a worker that runs several tasks at once has several rows in its
///         lane.
/// Cost:   O(n log n) for n tasks, and 16 bytes of memory for each.
/// Errors: those of the stream. No content of a text causes an exception.
LIBPOOL_EXPORT void write_gantt(std::ostream& out, const timeline& timeline);

/// Writes a Gantt chart of a part of the timeline: the time from `only.from` to
/// `only.to`. The axis and all shares of time refer to this part. Only tasks
/// that waited or ran during this part are drawn and counted.
/// @pre only.from <= only.to
LIBPOOL_EXPORT void write_gantt(std::ostream& out, const timeline& timeline,
                                const time_span& only);

/// Writes the timeline in the Trace Event Format (Google), which
/// ui.perfetto.dev and chrome://tracing open. The trace has a thread for each
/// worker, with a bar for each task that the worker ran, and an arrow from the
/// submission of the task to the bar. The trace also has the waiting times, a
/// mark for each task that ended without a start, and the numbers of waiting
/// and of running tasks over time.
///
/// Load:   a worker that runs several tasks at once has several threads in the
///         trace.
/// Cost:   O(n log n) for n tasks, and 48 bytes of memory and 700 bytes of JSON
///         for each.
/// Errors: those of the stream. In texts, U+FFFD replaces bytes that are not
///         UTF-8.
LIBPOOL_EXPORT void write_trace(std::ostream& out, const timeline& timeline);

} // namespace libpool
