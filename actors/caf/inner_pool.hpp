#pragma once

#include "libpool/actors/caf/client_requests.hpp"
#include "libpool/actors/caf/inner_messages.hpp"
#include "libpool/actors/caf/port/types.hpp"
#include "libpool/core/worker_number.hpp"

#include <caf/actor_addr.hpp>
#include <caf/fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace libpool {

class node_worker;

/// Room of a pool for messages.
struct room {
  /// Number of messages that the pool can handle at once.
  std::size_t seats = 0;
  /// Whether a pool without seats is expected to get seats, or to end.
  bool expects_change = false;
};

/// Report of an inner pool to the outer pools whose worker it is.
struct room_report {
  libpool::room room;
  /// Serial numbers of the pools that this report has passed. A pool that finds
  /// its own number is a worker of itself.
  std::vector<std::uint64_t> passed;
  /// Whether each outer pool must pass the report on to its own outer pools,
  /// even if its own room has not changed.
  bool is_for_all = false;
};

/// The managed pools whose worker a pool is. They are told how many messages
/// that pool can handle at once.
///
/// Cost:    O(pools) for each call.
/// Threads: any. Pools are told outside of the lock.
class outer_pools {
public:
  /// Adds `pool`, in which this pool is the worker `number`.
  void add(const caf::actor_addr& pool, worker_number number);

  void remove(const caf::actor_addr& pool, worker_number number);

  bool empty() const;

  /// Sends the report to the outer pools that still exist. Each call begins
  /// with another pool, since the first pool may take all of the room.
  void tell(const room_report& report, execution_context* host);

private:
  struct entry {
    caf::actor_addr pool;
    worker_number number;
  };

  mutable std::mutex mutex_;
  std::vector<entry> entries_;
};

/// A pool or a pipeline that can be a worker of managed pools. Managed pools
/// send it at most as many messages as it can handle at once.
class inner_pool {
public:
  inner_pool() = default;
  inner_pool(const inner_pool&) = delete;
  inner_pool& operator=(const inner_pool&) = delete;

  /// Returns the kind of pool, for error texts.
  virtual const char* kind() const noexcept {
    return "pool";
  }

  /// Returns the current room of the pool. Can be called from any thread.
  virtual libpool::room room() const noexcept = 0;

  /// Whether the pool may have ended, so that messages that it has begun can
  /// fail with `errc::pool_closed`. Before, only messages that it has not
  /// accepted do. Can be called from any thread.
  virtual bool may_have_ended() const noexcept {
    return true;
  }

  /// Returns the node that the pool is; nullptr if it is not a node.
  virtual const node_worker* as_node() const noexcept {
    return nullptr;
  }

  /// Whether a message that was sent to the pool can be recalled.
  virtual bool lets_recall() const noexcept {
    return true;
  }

  /// Tells the pool that no client waits any more for messages that the pool
  /// has accepted. The pool begins none of them once it knows this, and may
  /// give back the messages that have not begun. If `answers_early`, it may
  /// settle a message while the handler runs. Called in the thread of the pool
  /// that sent the messages.
  virtual void cancel_messages(const inner_messages&, bool /*answers_early*/,
                               execution_context*) {
    // nop
  }

  /// Tells the pool that the sender of the messages, another pool, wants them
  /// back. The last message that was sent is the first of the list. The pool
  /// may give back the messages that have not begun. Called in the thread of
  /// the sender.
  virtual void take_back_messages(const inner_messages&, execution_context*) {
    // nop
  }

  /// Has the pool tell the owner of the element when the handler began, unless
  /// no handler has begun. Returns false if the pool cannot know it: then the
  /// handler has begun if the element was opened. Called in the thread of the
  /// pool that sent the element.
  virtual bool tells_begin(const element_record&, execution_context*) {
    return false;
  }

  /// Tells the pool whether the pool that sends it elements has paused it.
  virtual void paused(bool /*is*/, execution_context*) {
    // nop
  }

  /// Whether messages can be cancelled by ('SYS', 'CANCEL', selection).
  virtual bool cancels() const noexcept {
    return false;
  }

  /// Notes that the client waits for these requests no more. Messages that no
  /// handler has begun are cancelled, and handlers are asked to stop; the
  /// client may be answered while such a handler runs. Can be called from any
  /// thread.
  virtual void cancel_requests(const client_requests&, execution_context*) {
    // nop
  }

  outer_pools& outer() noexcept {
    return outer_;
  }

protected:
  ~inner_pool() = default;

private:
  outer_pools outer_;
};

} // namespace libpool
