#pragma once

#include "libpool/export.hpp"
#include "libpool/sync/thread_marks.hpp"

#include <atomic>
#include <cstdint>

namespace libpool {

/// A lock for many readers or one writer. A reader can upgrade to a writer;
/// `upgrade` reports whether another writer came first.
///
/// The lock is meant for critical sections of a few instructions, for data that
/// is read far more often than written, and for readers that may find that they
/// have to write. Each reader leaves a mark in memory of its own thread (see
/// `thread_marks`), so readers on different cores write to no common cache
/// line. A writer closes the lock to new readers, then checks the marks of all
/// threads. The algorithm is that of BRAVO (Dice and Kogan 2019) without the
/// central counter that BRAVO falls back to.
///
/// There are three kinds of ownership, named as in the standard
/// (`SharedLockable`) and in Boost (`UpgradeLockable`): shared; upgrade, which
/// is compatible with shared ownership and excludes other upgrade ownership;
/// and exclusive. The lock works with `std::unique_lock`, `std::shared_lock`,
/// `boost::upgrade_lock` and the guards of CAF.
///
/// A thread that holds the lock, shared or exclusively, may acquire it again in
/// either way. Each acquisition needs a release. A thread that holds any
/// `shared_spinlock` is admitted as a reader even while writers wait, so nested
/// readers, of one lock or of several, never deadlock. A thread that holds the
/// lock shared may acquire it exclusively. If another writer came first, the
/// thread temporarily gives up its shared ownership; only `upgrade` reports
/// this. Threads that acquire a lock exclusively while they hold another lock
/// must all acquire the locks in the same order, as with any lock.
///
/// Cost:    shared: one atomic exchange, and a few plain stores to memory of
///          the thread. Exclusive: one atomic compare-and-swap, some stores,
///          and a check of the marks of all threads, O(threads).
/// Threads: the thread that acquired the lock releases it. Writers do not
///          starve: once a writer waits, new readers wait for it, except
///          readers that hold another lock. A waiting thread spins with a pause
///          instruction, then yields.
/// Errors:  std::bad_alloc, see `thread_marks`.
class LIBPOOL_EXPORT shared_spinlock {
public:
  shared_spinlock() = default;
  shared_spinlock(const shared_spinlock&) = delete;
  shared_spinlock& operator=(const shared_spinlock&) = delete;

  // -- shared -----------------------------------------------------------------

  /// Acquires the lock for reading (shared ownership). Waits while another
  /// thread writes. If another thread waits to write, waits too, unless the
  /// caller already holds a `shared_spinlock`.
  void lock_shared() {
    auto mark = thread_marks::set(this);
    if (phase_.load() != phase::open)
      enter_slowly(mark);
    ++held_;
  }

  /// Tries to acquire the lock for reading (shared ownership), without waiting.
  /// Returns whether the lock was acquired.
  bool try_lock_shared();
  /// Releases one shared ownership of the caller, which has read.
  void unlock_shared() noexcept;

  /// Turns one shared ownership of the caller into exclusive ownership. Returns
  /// true if no other thread has written in between. Returns false if another
  /// thread came first, so that the caller had to release its shared ownership
  /// for some time. Values that the caller has read may then have changed, and
  /// must be read again.
  /// @pre the caller holds the lock shared, and has no upgrade ownership
  bool upgrade() noexcept;

  // -- exclusive --------------------------------------------------------------

  /// Acquires the lock for writing (exclusive ownership). Waits until no other
  /// thread reads or writes.
  void lock() noexcept;
  /// Tries to acquire the lock for writing (exclusive ownership), without
  /// waiting. Returns whether the lock was acquired.
  bool try_lock() noexcept;
  /// Releases one exclusive ownership of the caller, which may have written.
  void unlock() noexcept;

  // -- upgrade ----------------------------------------------------------------

  /// Acquires upgrade ownership, the right to become the writer later. Waits
  /// until no other thread writes or has this right. Other threads may still
  /// read.
  void lock_upgrade() noexcept;
  /// Tries to acquire upgrade ownership (the right to become the writer later),
  /// without waiting. Returns whether it was acquired.
  bool try_lock_upgrade() noexcept;
  /// Releases upgrade ownership, the right to become the writer later.
  void unlock_upgrade() noexcept;

  // -- from one to another ----------------------------------------------------

  /// Turns upgrade ownership (the right to become the writer later) into
  /// exclusive ownership, atomically. CAF calls this function with shared
  /// ownership instead; the function then calls `upgrade` and discards the
  /// result.
  void unlock_upgrade_and_lock() noexcept;
  /// Turns exclusive ownership into upgrade ownership, atomically: other
  /// threads can read again, but not write.
  void unlock_and_lock_upgrade() noexcept;
  /// Turns exclusive ownership into shared ownership, atomically: other threads
  /// can read again, and none writes in between.
  void unlock_and_lock_shared();
  /// Turns upgrade ownership (the right to become the writer later) into shared
  /// ownership, atomically: no other thread writes in between.
  void unlock_upgrade_and_lock_shared();

private:
  enum class phase : std::uint8_t {
    open,    ///< Any thread may begin to read.
    closing, ///< A writer waits until other threads have ended reading.
    closed,  ///< A writer has the lock, or checks whether readers are left.
  };

  bool claimed_by_me() const noexcept;
  bool closed_by_me() const noexcept;
  bool admits_me() const noexcept;
  void enter_slowly(thread_marks::place mark) noexcept;
  bool try_claim() noexcept;
  bool claim() noexcept;
  void close() noexcept;
  void open() noexcept;

  std::atomic<phase> phase_{phase::open};

  /// Number of times that the writer has acquired the lock again while it
  /// already had it, and has not released it yet.
  unsigned again_ = 0;

  /// The thread that writes, is about to write, or has upgrade ownership, as
  /// the address of its `held_`; nullptr if there is none. This member is on
  /// another cache line than the members that readers read, and than the
  /// members that the writer changes while other writers wait.
  alignas(64) std::atomic<const void*> writer_{nullptr};

  /// Number of acquisitions of any `shared_spinlock` that the thread has not
  /// released.
  inline static thread_local unsigned held_ = 0;
};

} // namespace libpool
