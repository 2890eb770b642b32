#pragma once

#include "libpool/sync/shared_spinlock.hpp"

#include <caf/detail/shared_spinlock.hpp>
#include <caf/locks.hpp>

#include <atomic>

namespace libpool {

/// Lets policies that upgrade to CAF's own lock type exclude each other.
///
/// `caf::upgrade_to_unique_lock<caf::detail::shared_spinlock>` can only lock
/// that very type. From the first such upgrade on, every guard of the policy
/// holds a lock of CAF's in addition to ours, and the upgrade goes to that one.
/// Policies that do not upgrade so never touch it.
///
/// Errors: std::logic_error where it could only deadlock or fail to exclude: an
///         upgrade inside another dispatch of the same policy in the same
///         thread, or one to our lock type after one to CAF's.
class caf_lock_bridge {
public:
  /// Holds CAF's lock shared if it is in use; returns whether it does.
  bool lock_shared();
  void unlock_shared();

  /// Trades the caller's shared hold on `own` for one on CAF's lock, which the
  /// caller has already if `held`.
  caf::detail::shared_spinlock* take_from(shared_spinlock& own, bool held);

private:
  std::atomic<bool> used_{false};
  caf::detail::shared_spinlock lock_;
};

/// The lock of a policy.
struct policy_lock {
  shared_spinlock own;
  caf_lock_bridge bridge;
};

/// The lock of `caf::actor_pool`, and the guard that it calls a policy with.
using caf_lock = caf::detail::shared_spinlock;
using caf_guard = caf::upgrade_lock<caf_lock>;

/// The guard that a functor policy is called with: a shared lock on the
/// policy's state, which the policy may let go, or upgrade for a section of its
/// own.
///
/// A policy written for `caf::actor_pool` upgrades with
/// `caf::upgrade_to_unique_lock`, of our lock type or of CAF's. `upgrade` here
/// upgrades as well, and says whether another thread wrote in between.
class uplock {
public:
  using lockable = shared_spinlock;

  /// The result of `release`: the lock, as a pointer of the type that the
  /// caller asks for.
  class released {
  public:
    operator shared_spinlock*() const;
    operator caf::detail::shared_spinlock*() const;

  private:
    friend class uplock;
    [[noreturn]] void fail(const char* why) const;
    bool is_nested() const noexcept;

    shared_spinlock* lock_ = nullptr;
    caf_lock_bridge* bridge_ = nullptr;
    bool bridged_ = false;
  };

  explicit uplock(shared_spinlock& lock);
  explicit uplock(policy_lock& lock);
  uplock(const uplock&) = delete;
  uplock& operator=(const uplock&) = delete;

  ~uplock() {
    unlock();
    innermost_ = outer_;
  }

  /// Whether the guard holds the lock, shared or exclusively.
  bool owns_lock() const noexcept {
    return held_.lock_ != nullptr;
  }

  /// Lets the lock go; nothing happens if it has gone already.
  void unlock() noexcept;

  /// Makes the hold exclusive until `unlock`. Returns false if another thread
  /// wrote in between: values that were read under the guard may be stale.
  /// @pre owns_lock()
  bool upgrade() noexcept;

  /// Leaves the lock, held shared, to the caller.
  released release() noexcept;

private:
  released held_;
  const caf_lock_bridge* bridge_ = nullptr;
  bool exclusive_ = false;
  const uplock* outer_ = nullptr; // of this thread
  inline static thread_local const uplock* innermost_ = nullptr;
};

} // namespace libpool
