#pragma once

#include "libpool/core/errc.hpp"
#include "libpool/core/instant.hpp"

#include <cstdint>

namespace libpool {

struct task;
struct worker;

/// The outcome of a task.
enum class outcome : std::uint8_t { completed, refused, failed, cancelled };

/// A step that the owner of the dispatcher carries out.
struct decision {
  /// Kinds of steps.
  enum class kind : std::uint8_t {
    /// Send `task` to `worker`.
    send,
    /// Take `task` back from the mailbox of `worker`, and report `returned`; if
    /// it is too late, `started` or `kept`.
    recall,
    /// Answer the client of `task`, which was settled with `how` and `why`. The
    /// task is kept until it is released.
    settle,
    /// The dispatcher does not know `task` any more.
    release,
    /// The dispatcher does not know `worker` any more.
    dismiss,
  };

  /// Kind of the step.
  kind is = kind::send;
  /// Outcome of `task`, if it is settled.
  outcome how = outcome::completed;
  /// Reason of the outcome; not set if the task was completed.
  errc why{};
  /// Task that the decision is about; nullptr: none.
  libpool::task* task = nullptr;
  /// Worker that the decision is about; nullptr: none.
  libpool::worker* worker = nullptr;
  /// Time at which `task` was settled; not set for a refused task.
  instant at{};

  /// Makes a decision of its members, in the order of these parameters.
  decision(kind k, libpool::task* t, libpool::worker* w,
           outcome o = outcome::completed, errc e = errc{},
           instant settled = {}) noexcept
    : is(k), how(o), why(e), task(t), worker(w), at(settled) {
    // nop
  }
};

} // namespace libpool
