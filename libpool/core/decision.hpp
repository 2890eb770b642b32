#pragma once

#include "libpool/core/errc.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/core/outcome.hpp"

namespace libpool {

struct task;
struct worker;

/// Action that a `dispatcher`, the state machine that gives tasks to workers,
/// requests from its owner. The owner carries out the decisions in the order in
/// which they were made.
struct decision {
  /// Actions that the owner of the dispatcher must carry out.
  enum class kind : std::uint8_t {
    /// Send `task` to `worker`, together with the tasks behind `task` in the
    /// mailbox of the worker whose `follows` is true. The worker handles one
    /// after the other. When a task ends after `worker::leased_until`, the
    /// worker should give back the tasks that it has not begun.
    send,
    /// Try to take `task` back from the mailbox of `worker`. If this succeeds,
    /// call `dispatcher::returned`. If the handler has begun, call `started`.
    /// If the task has not begun and cannot be taken back, call `kept`.
    recall,
    /// Look how far `worker` is with `task`. Report the ends of tasks that were
    /// sent together with it, then call `looked_at`.
    look,
    /// Answer the client of `task`, if the client still waits for an answer,
    /// with the outcome `how` and the reason `why`. Then destroy or reuse
    /// `task`,
    /// which the dispatcher does not use any more.
    end,
    /// Answer the client of `task` as for `end`, but keep the task until the
    /// decision `release`, because its handler still runs.
    settle,
    /// Ask the handler of `task`, which runs at `worker`, to stop: no client
    /// waits
    /// for its result.
    give_up,
    /// Destroy or reuse `task`. The dispatcher does not use the task any more.
    release,
    /// Destroy or reuse `worker`. The dispatcher does not use the worker any
    /// more.
    dismiss,
  };

  /// Action that the owner of the dispatcher must carry out.
  kind is = kind::send;
  /// Outcome of `task`; used only if `is` is `end` or `settle`.
  outcome how = outcome::completed;
  /// Reason for the outcome `how`; errc{}: no reason.
  errc why{};
  /// Task that the decision is about; nullptr: none.
  libpool::task* task = nullptr;
  /// Worker that the decision is about; nullptr: none.
  libpool::worker* worker = nullptr;
  /// Time at which `task` got its outcome, if `is` is `end` or `settle`; not
  /// set if the task was refused.
  instant at{};

  /// Makes a decision of kind `k` about the task `t` and the worker `w`;
  /// nullptr: none. Only decisions to settle a task use the others: the outcome
  /// `o`, its reason `e` and its time `settled`.
  decision(kind k, libpool::task* t, libpool::worker* w,
           outcome o = outcome::completed, errc e = errc{},
           instant settled = {}) noexcept
    : is(k), how(o), why(e), task(t), worker(w), at(settled) {
    // nop
  }
};

} // namespace libpool
