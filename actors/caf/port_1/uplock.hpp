#pragma once

#include "libpool/export.hpp"
#include "libpool/sync/shared_spinlock.hpp"

#include <mutex>
#include <utility>

namespace libpool {

/// Lock on the state of a policy.
using policy_lock = shared_spinlock;

/// Type of the lock that `caf::actor_pool` uses.
using caf_lock = std::mutex;
/// Type of the guard that `caf::actor_pool` passes to policies.
using caf_guard = std::unique_lock<caf_lock>;

/// Guard that is passed to a functor policy: a shared lock on the state of the
/// policy. The policy may release the guard, or upgrade it to an exclusive
/// lock.
class LIBPOOL_EXPORT uplock {
public:
  /// Lock type of the guard.
  using lockable = shared_spinlock;

  /// Acquires `lock`, shared.
  explicit uplock(shared_spinlock& lock) : lock_(&lock) {
    lock.lock_shared();
  }

  uplock(const uplock&) = delete;
  uplock& operator=(const uplock&) = delete;

  ~uplock() {
    unlock();
  }

  /// Whether the guard holds the lock, shared or exclusive.
  bool owns_lock() const noexcept {
    return lock_ != nullptr;
  }

  /// Releases the lock, if it is held.
  void unlock() noexcept {
    auto* lock = std::exchange(lock_, nullptr);
    if (lock == nullptr)
      return;
    if (exclusive_)
      lock->unlock();
    else
      lock->unlock_shared();
  }

  /// Makes the lock exclusive until `unlock`. Returns false if another thread
  /// held the lock exclusively in between: values that were read before may be
  /// stale.
  /// @pre owns_lock()
  bool upgrade() noexcept {
    if (std::exchange(exclusive_, true))
      return true;
    return lock_->upgrade();
  }

private:
  shared_spinlock* lock_;
  bool exclusive_ = false;
};

} // namespace libpool
