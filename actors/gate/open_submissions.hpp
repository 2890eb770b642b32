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

/// The requests that have gone through a gate, and the pool behind it.
///
/// Cost:    O(1), but for `close`.
/// Threads: any. Nothing of CAF's or the user's runs under the lock.
class open_submissions {
public:
  explicit open_submissions(caf::actor pool) : pool_(std::move(pool)) {
    // nop
  }

  /// Nobody once this is closed.
  caf::actor pool() const;

  /// The pool, to which another message goes; nobody once this is closed.
  caf::actor pass();

  /// The same for a request, which is answered by `close` unless it leaves
  /// before.
  caf::actor pass(submission& request);

  /// The request is about to be destroyed.
  void leave(submission& request) noexcept;

  struct unanswered {
    return_path client;
    caf::strong_actor_ptr gate;
  };

  struct closed {
    caf::actor pool;
    std::vector<unanswered> requests;
  };

  /// Lets go of the pool. The caller answers the requests. Nothing if this was
  /// closed before.
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
