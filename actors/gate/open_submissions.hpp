#pragma once

#include "libpool/actors/caf/port/return_path.hpp"

#include <caf/actor.hpp>
#include <caf/actor_control_block.hpp>

#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace libpool {

class submission;

/// The pool behind a gate, and the requests that passed the gate and were not
/// answered.
///
/// Cost:    O(1); `close` is O(requests).
/// Threads: any. The lock is not held while code of CAF or of the user runs.
class open_submissions {
public:
  explicit open_submissions(caf::actor pool) : pool_(std::move(pool)) {
    // nop
  }

  /// Returns the pool; null once this is closed.
  caf::actor pool() const;

  /// Counts a message that passes the gate. Returns the pool; null once this is
  /// closed.
  caf::actor pass();

  /// Counts and adds a request. Unless it leaves before, the request is
  /// answered after `close`. Returns the pool; null once this is closed.
  caf::actor pass(submission& request);

  /// Removes a request that is about to be destroyed.
  void leave(submission& request) noexcept;

  struct unanswered {
    return_path client;
    caf::strong_actor_ptr gate;
  };

  struct closed {
    caf::actor pool;
    std::vector<unanswered> requests;
  };

  /// Releases the pool and the requests, which the caller must answer. Returns
  /// nothing if this was closed before.
  std::optional<closed> close();

  std::uint64_t passed() const;

private:
  mutable std::mutex mutex_;
  caf::actor pool_;
  bool is_closed_ = false;
  std::uint64_t passed_ = 0;
  submission* first_ = nullptr;
};

} // namespace libpool
