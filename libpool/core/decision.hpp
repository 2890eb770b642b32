#pragma once

#include "libpool/core/errc.hpp"
#include "libpool/core/instant.hpp"

#include <cstdint>

namespace libpool {

struct task;
struct worker;

/// Outcome of a task, or of an item in a pipeline. `refused`: the pool did not
/// accept the task.
enum class outcome : std::uint8_t { completed, refused, failed, cancelled };

/// Decision of a `dispatcher`. The owner of the dispatcher carries out the
/// decisions in the order in which they were made.
struct decision {
  /// Kinds of decisions.
  enum class kind : std::uint8_t {
    /// Send `task` to `worker`.
    send,
    /// Take `task` back from the mailbox of `worker`, and report `returned` to
    /// the dispatcher. If the task has begun, report `started`. If the task has
    /// not begun and cannot be taken back, report `kept`.
    recall,
    /// Answer the client of `task` if the client still waits for an answer. The
    /// outcome is `how`, and the reason is `why`. Keep the task until the
    /// decision `release`.
    settle,
    /// Destroy or reuse `task`. The dispatcher does not use the task any more.
    release,
    /// Destroy or reuse `worker`. The dispatcher does not use the worker any
    /// more.
    dismiss,
  };

  /// Kind of the decision.
  kind is = kind::send;
  /// Outcome of `task`; used only by `settle`.
  outcome how = outcome::completed;
  /// Reason for the outcome; errc{} if there is none.
  errc why{};
  /// Task that the decision is about; nullptr: none.
  libpool::task* task = nullptr;
  /// Worker that the decision is about; nullptr: none.
  libpool::worker* worker = nullptr;
  /// Time at which `task` was settled; not set if the task was refused.
  instant at{};

  /// Makes a decision of kind `k` about the task `t` and the worker `w`;
  /// nullptr: none. The other parameters are used only by `settle`.
  decision(kind k, libpool::task* t, libpool::worker* w,
           outcome o = outcome::completed, errc e = errc{},
           instant settled = {}) noexcept
    : is(k), how(o), why(e), task(t), worker(w), at(settled) {
    // nop
  }
};

} // namespace libpool
