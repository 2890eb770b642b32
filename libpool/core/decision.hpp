#pragma once

#include "libpool/core/errc.hpp"
#include "libpool/core/instant.hpp"

#include <cstdint>

namespace libpool {

struct task;
struct worker;

/// The fate of a task.
enum class outcome : std::uint8_t { completed, refused, failed, cancelled };

/// A step that the owner of the dispatcher has to carry out.
struct decision {
  enum class kind : std::uint8_t {
    /// Send `task` to `worker`.
    send,
    /// Take `task` back from the mailbox of `worker`, and tell: `returned`, or,
    /// if it is too late, `started`, or `kept`.
    recall,
    /// `task` has come to its end, by `how` and `why`: answer its client. It is
    /// kept all the same until it is released.
    settle,
    /// The dispatcher knows `task` no more.
    release,
    /// The dispatcher knows `worker` no more.
    dismiss,
  };

  kind is = kind::send;
  outcome how = outcome::completed;
  errc why{};
  libpool::task* task = nullptr;
  libpool::worker* worker = nullptr;
  /// When `task` was settled.
  instant at{};

  decision(kind k, libpool::task* t, libpool::worker* w,
           outcome o = outcome::completed, errc e = errc{},
           instant settled = {}) noexcept
    : is(k), how(o), why(e), task(t), worker(w), at(settled) {
    // nop
  }
};

} // namespace libpool
