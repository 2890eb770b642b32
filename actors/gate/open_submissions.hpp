#pragma once

#include "libpool/actors/caf/port/return_path.hpp"

#include <caf/actor.hpp>
#include <caf/actor_control_block.hpp>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace libpool {

/// A request that has passed a gate, as the gate knows it.
struct open_submission {
  open_submission(return_path path, caf::strong_actor_ptr through)
    : client(std::move(path)),
      gate(client.id.is_request() ? std::move(through) : nullptr),
      is_open(client.id.is_request()) {
    // nop
  }

  /// Marks the request as answered. Returns whether it was open.
  bool settle() noexcept {
    return is_open.exchange(false);
  }

  const return_path client;
  /// Gate, used by the thread that has settled the request; nullptr if the
  /// message is not a request.
  caf::strong_actor_ptr gate;
  std::atomic<bool> is_open;
  // Links of the list in `open_submissions`, under its lock.
  open_submission* next = nullptr;
  open_submission** to_me = nullptr;
};

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
  caf::actor pass(open_submission& request);

  /// Removes a request that is about to be destroyed.
  void leave(open_submission& request) noexcept;

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
  open_submission* first_ = nullptr;
};

} // namespace libpool
