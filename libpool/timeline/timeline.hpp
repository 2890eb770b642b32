#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/core/recorder.hpp"
#include "libpool/core/worker_number.hpp"

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace libpool {

/// Texts that come again and again, kept once each and numbered from 0.
class interned_texts {
public:
  interned_texts() = default;
  interned_texts(interned_texts&&) = default;
  interned_texts& operator=(interned_texts&&) = default;

  std::uint32_t number_of(std::string_view text);

  const std::string& operator[](std::uint32_t number) const noexcept {
    return *texts_[number];
  }

  std::uint32_t size() const noexcept {
    return static_cast<std::uint32_t>(texts_.size());
  }

private:
  std::map<std::string, std::uint32_t, std::less<>> numbers_;
  std::vector<const std::string*> texts_;
};

/// A record of the tasks and the workers that ran them. `write_gantt` draws it
/// as a picture, `write_trace` writes it for a trace viewer. Tasks may be added
/// in any order.
///
/// Cost:    64 bytes for each task, and its flow, outcome and trace once each.
/// Threads: one at a time.
class timeline {
public:
  /// One task. A time that has not come is `never`: a task that was not started
  /// waited until it was finished, and one that was not finished goes on until
  /// the last moment of the timeline.
  struct span {
    std::uint64_t task = 0;
    /// The worker that ran the task; empty if it was not started.
    std::optional<worker_number> worker;
    /// Tasks of one flow have one colour.
    std::string_view flow;
    instant submitted = never;
    instant started = never;
    instant finished = never;
    /// The end of the task in a word; `completed` is taken for the usual.
    std::string_view outcome;
    /// How often it was taken over by another worker.
    std::uint32_t steals = 0;
    /// The trace that it belongs to, such as the `traceparent` of W3C's Trace
    /// Context; empty if none.
    std::string_view trace = {};
  };

  /// A task as the timeline keeps it.
  struct record {
    std::uint64_t task = 0;
    worker_number worker{0};
    instant submitted = never;
    instant started = never;
    instant finished = never;
    /// Numbers of texts.
    std::uint32_t flow = 0;
    std::uint32_t outcome = 0;
    std::uint32_t steals = 0;
    std::uint32_t trace = 0;
  };

  /// Gives a worker its lane even if it runs nothing, and a name instead of
  /// "worker" and its number. The last name that is not empty counts.
  void add_worker(worker_number worker, std::string_view name = {});

  /// A time that is out of order counts as the next one, so that nothing ends
  /// before it began.
  /// @pre a task that was started has a worker
  void add(const span& added);

  /// Begins the timeline no later than at this moment, and ends it no earlier.
  /// Without that it goes from the first moment of a task to the last one.
  void extend_to(instant moment) noexcept;

  const std::vector<record>& records() const noexcept {
    return records_;
  }

  /// The workers and their names.
  const std::map<worker_number, std::string>& workers() const noexcept {
    return workers_;
  }

  /// In the order in which they first came.
  const interned_texts& flows() const noexcept {
    return flows_;
  }

  const interned_texts& outcomes() const noexcept {
    return outcomes_;
  }

  const interned_texts& traces() const noexcept {
    return traces_;
  }

  /// The first moment, from which times are counted; zero without tasks.
  instant first() const noexcept {
    return last_ < first_ ? instant{} : first_;
  }

  instant last() const noexcept {
    return last_ < first_ ? instant{} : last_;
  }

private:
  std::vector<record> records_;
  std::map<worker_number, std::string> workers_;
  interned_texts flows_;
  interned_texts outcomes_;
  interned_texts traces_;
  instant first_ = instant::max();
  instant last_ = instant::min();
};

/// The timeline of what a pool has recorded, see `actor_pool::recorded`: a span
/// for each run of a handler, and for each task that was settled without one,
/// or waits. Workers have these names, by their numbers.
timeline timeline_of(const recording& recorded,
                     const std::map<worker_number, std::string>& names = {});

/// A part of a timeline.
struct time_span {
  instant from{};
  instant to{};
};

/// Writes a picture of it, a Gantt chart: a lane for each worker, a colour for
/// each flow, above them how many tasks of each flow waited, and marks for
/// tasks that were never started. The element under the pointer is described in
/// words.
///
/// It is one SVG file that needs nothing else. It stays readable, and below
/// some megabytes, however much there is: tasks that are too short to be seen
/// are drawn as the share of the time that they took, flows beyond the first
/// seven by time share one colour, and workers that find no room are left out
/// and counted.
///
/// Load:   a worker that runs several tasks at once gets a row for each.
/// Cost:   O(n log n) for n tasks, 16 bytes for each.
/// Errors: those of the stream; nothing throws because of the content of texts.
void write_gantt(std::ostream& out, const timeline& timeline);

/// The same of a part of it: the axis is that part, shares are shares of it,
/// and only tasks that were open in it are drawn and counted.
/// @pre only.from <= only.to
void write_gantt(std::ostream& out, const timeline& timeline,
                 const time_span& only);

/// Writes it in the Trace Event Format (Google), which ui.perfetto.dev and
/// chrome://tracing open: a thread for each worker with a slice for each task
/// that it ran, and an arrow to it from where the task was submitted; apart
/// from them the waiting times, a mark for each task that ended without being
/// started, and how many tasks waited and ran at each moment.
///
/// Load:   a worker that runs several tasks at once gets a thread for each.
/// Cost:   O(n log n) for n tasks, 48 bytes for each; 700 bytes of JSON.
/// Errors: those of the stream; in texts, U+FFFD replaces bytes that are not
///         UTF-8.
void write_trace(std::ostream& out, const timeline& timeline);

} // namespace libpool
