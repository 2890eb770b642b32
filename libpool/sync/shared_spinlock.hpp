#pragma once

#include "libpool/sync/thread_marks.hpp"

#include <atomic>
#include <cstdint>

namespace libpool {

/// Many readers or one writer, and an upgrade that says what happened.
///
/// For sections of a few instructions that are read far more often than they
/// are written, and where a reader may find that it has to write. Each reader
/// leaves a mark in its own thread's memory (see `thread_marks`), so readers on
/// different cores share no cache line that is written; a writer closes the
/// door, then looks through the marks of all threads. The idea is that of BRAVO
/// (Dice and Kogan 2019) without the central counter that it falls back to.
///
/// Three kinds of ownership, with the names of the standard (`SharedLockable`)
/// and of Boost (`UpgradeLockable`): shared; upgrade, which goes along with
/// shared ones and excludes its like; exclusive. It works with
/// `std::unique_lock`, `std::shared_lock`, `boost::upgrade_lock` and CAF's.
///
/// A thread that holds it shared or exclusively may take it again, shared or
/// exclusively, and pairs each acquisition with a release. A thread that holds
/// any `shared_spinlock` is let in as a reader although writers wait, so
/// readers that nest, within one lock or across several, never deadlock. A
/// thread that wants to write while it reads lets everything go that it holds
/// shared of this lock, if another writer was first; only `upgrade` tells.
/// Threads that write to one lock while they hold another one keep to one
/// order of locks, as ever.
///
/// Cost:    shared: one atomic exchange, two plain stores. Exclusive: two
///          stores and a look at the marks of all threads, O(threads).
/// Threads: a release comes from the thread that acquired. Writers are not
///          starved: once one waits, new readers wait for it, but for readers
///          that hold another lock. Spins with a pause instruction, then
///          yields.
/// Errors:  std::bad_alloc, see `thread_marks`.
class shared_spinlock {
public:
  shared_spinlock() = default;
  shared_spinlock(const shared_spinlock&) = delete;
  shared_spinlock& operator=(const shared_spinlock&) = delete;

  // -- shared -----------------------------------------------------------------

  void lock_shared() {
    auto mark = thread_marks::set(this);
    if (phase_.load() != phase::open)
      enter_slowly(mark);
    ++held_;
  }

  bool try_lock_shared();
  void unlock_shared() noexcept;

  /// Turns one shared ownership of the caller into exclusive ownership. Returns
  /// true if no writer came in between. Returns false if the lock had to be let
  /// go first, because another thread was about to write: values that the
  /// caller has read may have changed, and it has to look again.
  /// @pre the caller holds the lock shared, and has no upgrade ownership
  bool upgrade() noexcept;

  // -- exclusive --------------------------------------------------------------

  void lock() noexcept;
  bool try_lock() noexcept;
  void unlock() noexcept;

  // -- upgrade ----------------------------------------------------------------

  void lock_upgrade() noexcept;
  bool try_lock_upgrade() noexcept;
  void unlock_upgrade() noexcept;

  // -- from one to another ----------------------------------------------------

  /// From upgrade ownership: atomically. From shared ownership, as CAF uses
  /// it: like `upgrade`, keeping the answer to itself.
  void unlock_upgrade_and_lock() noexcept;
  void unlock_and_lock_upgrade() noexcept;
  void unlock_and_lock_shared();
  void unlock_upgrade_and_lock_shared();

private:
  enum class phase : std::uint8_t {
    open,    ///< Readers come and go.
    closing, ///< A writer waits for readers to leave.
    closed,  ///< A writer is in.
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

  /// How many more times the writer has the lock exclusively.
  unsigned again_ = 0;

  /// The only thread that writes or is about to: its `&held_`. On a cache line
  /// apart from members that readers look at, and from members that the writer
  /// changes while others wait for their turn.
  alignas(64) std::atomic<const void*> writer_{nullptr};

  /// How many locks the calling thread holds, of every kind of ownership.
  inline static thread_local unsigned held_ = 0;
};

} // namespace libpool
