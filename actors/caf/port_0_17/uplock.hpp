#pragma once

#include "libpool/export.hpp"
#include "libpool/sync/shared_spinlock.hpp"

#include <caf/detail/shared_spinlock.hpp>
#include <caf/locks.hpp>

#include <atomic>

namespace libpool {

/// Lock of type `caf::detail::shared_spinlock` that a policy uses from the
/// first upgrade to this type on, so that such upgrades exclude each other.
///
/// `caf::upgrade_to_unique_lock<caf::detail::shared_spinlock>` can lock only
/// that type. After the first such upgrade, each guard of the policy holds the
/// lock of CAF in addition to the lock of libpool, and upgrades acquire the
/// lock of CAF. Policies without such upgrades never use the lock of CAF.
///
/// Errors: std::logic_error if an upgrade would deadlock or fail to exclude
///         others: an upgrade inside another dispatch of the same policy in the
///         same thread, or an upgrade to libpool's lock type after one to
///         CAF's.
class LIBPOOL_EXPORT caf_lock_bridge {
public:
  /// Acquires the lock of CAF, shared, if the lock is in use. Returns whether
  /// it was acquired.
  bool lock_shared();
  /// Releases the lock of CAF, which is held shared.
  void unlock_shared();

  /// Releases `own`, which the caller holds shared, and acquires the lock of
  /// CAF, shared. With `held`, the caller holds the lock of CAF already.
  /// Returns the lock of CAF.
  caf::detail::shared_spinlock* take_from(shared_spinlock& own, bool held);

private:
  std::atomic<bool> used_{false};
  caf::detail::shared_spinlock lock_;
};

/// Locks of a policy.
struct policy_lock {
  /// Lock of libpool.
  shared_spinlock own;
  /// Lock of CAF, used from the first upgrade to this type on.
  caf_lock_bridge bridge;
};

/// Type of the lock that `caf::actor_pool` uses.
using caf_lock = caf::detail::shared_spinlock;
/// Type of the guard that `caf::actor_pool` passes to policies.
using caf_guard = caf::upgrade_lock<caf_lock>;

/// Guard that is passed to a functor policy: a shared lock on the state of the
/// policy. The policy may release the guard, or upgrade it to an exclusive
/// lock.
///
/// A policy written for `caf::actor_pool` upgrades with
/// `caf::upgrade_to_unique_lock`, of libpool's lock type or of CAF's. `upgrade`
/// also upgrades, and returns whether no other thread held the lock exclusively
/// in between.
class LIBPOOL_EXPORT uplock {
public:
  /// Lock type to which `caf::upgrade_to_unique_lock` upgrades.
  using lockable = shared_spinlock;

  /// Result of `release`: a lock that converts to a pointer of the type that
  /// the caller needs.
  class released {
  public:
    /// Returns the lock of libpool.
    operator shared_spinlock*() const;
    /// Returns the lock of CAF.
    operator caf::detail::shared_spinlock*() const;

  private:
    friend class uplock;
    [[noreturn]] void fail(const char* why) const;
    bool is_nested() const noexcept;

    shared_spinlock* lock_ = nullptr;
    caf_lock_bridge* bridge_ = nullptr;
    bool bridged_ = false;
  };

  /// Acquires `lock`, shared. The guard cannot be upgraded to the lock type of
  /// CAF.
  explicit uplock(shared_spinlock& lock);
  /// Acquires the locks of a policy, shared.
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

  /// Makes the lock exclusive until `unlock`. Returns false if another thread
  /// held the lock exclusively in between: values that were read before may be
  /// stale.
  /// @pre owns_lock()
  bool upgrade() noexcept;

  /// Returns the lock, which is held shared, without releasing it. The caller
  /// must release the lock.
  released release() noexcept;

private:
  released held_;
  const caf_lock_bridge* bridge_ = nullptr;
  bool exclusive_ = false;
  const uplock* outer_ = nullptr; // next outer guard in this thread
  inline static thread_local const uplock* innermost_ = nullptr;
};

} // namespace libpool
