#pragma once

#include "libpool/actors/caf/port/types.hpp"
#include "libpool/core/worker_number.hpp"

#include <caf/actor_addr.hpp>
#include <caf/fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace libpool {

class element_record;

/// How much a pool can take.
struct room {
  /// How many messages it can handle at once.
  std::size_t seats = 0;
  /// Whether one that has no seats is about to have some, or to end.
  bool expects_change = false;
};

/// The serial number of another pool, of all in this process.
std::uint64_t next_pool_number() noexcept;

/// The report of an inner pool to the outer pools that have it for a worker.
struct room_report {
  libpool::room room;
  /// The pools that have told each other because of one change, by their serial
  /// numbers: one that hears of a change of its own is a worker of itself.
  std::vector<std::uint64_t> passed;
  /// Whether each pool that is told is to tell its own outer pools, whether the
  /// report matters to it or not.
  bool is_for_all = false;
};

/// The managed pools that have one pool for a worker, and are told how many
/// messages that can handle at once.
///
/// Cost:    O(pools) for each call.
/// Threads: any. Pools are told outside of the lock.
class outer_pools {
public:
  /// `pool` has it for the worker of that number.
  void add(const caf::actor_addr& pool, worker_number number);

  void remove(const caf::actor_addr& pool, worker_number number);

  bool empty() const;

  /// Tells the outer pools that still exist how much room there is, another one
  /// first each time: the first one may take all of it.
  void tell(const room_report& report, execution_context* host);

private:
  struct entry {
    caf::actor_addr pool;
    worker_number number;
  };

  mutable std::mutex mutex_;
  std::vector<entry> entries_;
};

/// A pool, or a pipeline, as a worker of managed pools: these do not send it
/// more messages than it can handle at once.
class inner_pool {
public:
  inner_pool() = default;
  inner_pool(const inner_pool&) = delete;
  inner_pool& operator=(const inner_pool&) = delete;

  /// The kind of pool, in words.
  virtual const char* kind() const noexcept {
    return "pool";
  }

  /// How many messages the pool can take now. From any thread.
  virtual libpool::room room() const noexcept = 0;

  /// Whether the pool tolerates that a message is taken back from it.
  virtual bool lets_recall() const noexcept {
    return true;
  }

  /// Nobody waits any more for the message of that element, which the pool has
  /// and has begun: it may give it back if no handler runs. The element may end
  /// meanwhile. In the thread of the pool that has sent it.
  virtual void unwanted(const element_record&, execution_context*) {
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
