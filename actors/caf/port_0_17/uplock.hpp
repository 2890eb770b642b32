#pragma once

#include "libpool/sync/shared_spinlock.hpp"

#include <caf/detail/shared_spinlock.hpp>
#include <caf/locks.hpp>

#include <atomic>

namespace libpool {

/// Makes policies that upgrade to CAF's own lock type exclude each other.
///
/// `caf::upgrade_to_unique_lock<caf::detail::shared_spinlock>` can lock only
/// that type. After the first such upgrade, each guard of the policy holds a
/// lock of CAF in addition to the lock of libpool, and upgrades go to the lock
/// of CAF. Policies without such upgrades never use the lock of CAF.
///
/// Errors: std::logic_error if an upgrade would deadlock or fail to exclude
///         others: an upgrade inside another dispatch of the same policy in the
///         same thread, or an upgrade to libpool's lock type after one to
///         CAF's.
class caf_lock_bridge {
public:
  /// Acquires CAF's lock shared if it is in use; returns whether it did.
  bool lock_shared();
  /// Releases the shared hold on CAF's lock.
  void unlock_shared();

  /// Exchanges the caller's shared hold on `own` for a shared hold on CAF's
  /// lock. With `held`, the caller has a shared hold on CAF's lock already.
  caf::detail::shared_spinlock* take_from(shared_spinlock& own, bool held);

private:
  std::atomic<bool> used_{false};
  caf::detail::shared_spinlock lock_;
};

/// The locks of a policy.
struct policy_lock {
  /// Lock of libpool.
  shared_spinlock own;
  /// Lock of CAF, once a policy has used it.
  caf_lock_bridge bridge;
};

/// Lock of `caf::actor_pool`.
using caf_lock = caf::detail::shared_spinlock;
/// Guard that `caf::actor_pool` passes to policies.
using caf_guard = caf::upgrade_lock<caf_lock>;

/// The guard that is passed to a functor policy: a shared lock on the policy's
/// state. The policy may release it, or upgrade it for an exclusive section.
///
/// A policy written for `caf::actor_pool` upgrades with
/// `caf::upgrade_to_unique_lock`, of libpool's lock type or of CAF's. `upgrade`
/// upgrades as well, and reports whether another thread wrote in between.
class uplock {
public:
  /// Lock type to which `caf::upgrade_to_unique_lock` upgrades.
  using lockable = shared_spinlock;

  /// Result of `release`: the lock, which converts to a pointer of the type
  /// that the caller needs.
  class released {
  public:
    /// Returns libpool's lock.
    operator shared_spinlock*() const;
    /// Returns CAF's lock.
    operator caf::detail::shared_spinlock*() const;

  private:
    friend class uplock;
    [[noreturn]] void fail(const char* why) const;
    bool is_nested() const noexcept;

    shared_spinlock* lock_ = nullptr;
    caf_lock_bridge* bridge_ = nullptr;
    bool bridged_ = false;
  };

  /// Acquires `lock` shared. The guard cannot be upgraded to CAF's lock type.
  explicit uplock(shared_spinlock& lock);
  /// Acquires the locks of a policy shared.
  explicit uplock(policy_lock& lock);
  uplock(const uplock&) = delete;
  uplock& operator=(const uplock&) = delete;

  ~uplock() {
    unlock();
    innermost_ = outer_;
  }

  /// Whether the guard holds the lock, shared or exclusive.
  bool owns_lock() const noexcept {
    return held_.lock_ != nullptr;
  }

  /// Releases the lock, if it is held.
  void unlock() noexcept;

  /// Makes the hold exclusive until `unlock`. Returns false if another thread
  /// wrote in between: values that were read under the guard may be stale.
  /// @pre owns_lock()
  bool upgrade() noexcept;

  /// Hands the lock, held shared, over to the caller.
  released release() noexcept;

private:
  released held_;
  const caf_lock_bridge* bridge_ = nullptr;
  bool exclusive_ = false;
  const uplock* outer_ = nullptr; // of this thread
  inline static thread_local const uplock* innermost_ = nullptr;
};

} // namespace libpool
