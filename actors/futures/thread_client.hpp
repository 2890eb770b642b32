#pragma once

#include "libpool/actors/caf/port/front_actor.hpp"
#include "libpool/actors/caf/port/types.hpp"
#include "libpool/actors/caf/watch.hpp"

#include <caf/actor_control_block.hpp>
#include <caf/error.hpp>
#include <caf/fwd.hpp>
#include <caf/mailbox_element.hpp>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_set>

namespace libpool {

/// The sender of requests of a thread.
class thread_requests : public front_actor {
public:
  using front_actor::front_actor;

  /// Settles the requests that are open with the error `why`.
  virtual void fail(const caf::error& why) = 0;
};

/// The client of all requests that threads of one actor system send without an
/// actor of their own. Knows the open ones, and settles them with an error when
/// the actor system ends. Ignores messages.
///
/// Cost:    a mutex for a few assignments.
/// Threads: any.
class thread_client final : public delivering<thread_client, watcher> {
public:
  explicit thread_client(caf::actor_config& cfg) : delivering(cfg) {
    // nop
  }

  /// Returns the client of the actor system, which the first call makes.
  ///
  /// Errors: std::runtime_error if another actor has the name of the client in
  ///         CAF's registry.
  static caf::strong_actor_ptr of_system(caf::actor_system& system);

  /// Returns the client behind its handle.
  static thread_client& behind(const caf::strong_actor_ptr& handle) noexcept {
    return static_cast<thread_client&>(*handle->get());
  }

  /// Adds a group of requests that are sent now. Returns the number of the
  /// first request. If the actor system has ended, returns nothing and fails
  /// the requests.
  std::optional<std::uint64_t> add(thread_requests& group, std::size_t count);

  /// Removes a group that is about to be destroyed.
  void remove(thread_requests& group) noexcept;

  // -- called by CAF ----------------------------------------------------------

  void deliver(caf::mailbox_element_ptr&&, execution_context*) {
    // nop
  }

  void worker_died(worker_number number, const caf::error& reason,
                   execution_context* host) override;

  const char* name() const override {
    return "libpool::thread_client";
  }

private:
  void end();

  std::mutex mutex_;
  bool has_ended_ = false;
  std::uint64_t next_number_ = 1;
  std::unordered_set<thread_requests*> open_;
};

} // namespace libpool
