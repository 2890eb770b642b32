#include "libpool/sync/shared_spinlock.hpp"

#include "libpool/sync/pause.hpp"

#include <cassert>
#include <thread>

namespace libpool {

namespace {

/// Waits for a condition that another thread is about to make true.
template <class Predicate>
void spin_until(Predicate done) noexcept {
  constexpr auto patience = 64;
  for (auto i = 0; !done(); ++i) {
    if (i < patience)
      pause();
    else
      std::this_thread::yield();
  }
}

} // namespace

// -- admission ----------------------------------------------------------------

bool shared_spinlock::claimed_by_me() const noexcept {
  return writer_.load(std::memory_order_relaxed) == &held_;
}

bool shared_spinlock::closed_by_me() const noexcept {
  return claimed_by_me() && phase_.load() == phase::closed;
}

/// Whether the calling thread, which is marked as a reader, is admitted. A
/// thread that holds any lock does not wait for a waiting writer, because the
/// writer may be waiting, directly or indirectly, for this thread.
bool shared_spinlock::admits_me() const noexcept {
  switch (phase_.load()) {
    case phase::open:
      return true;
    case phase::closing:
      return held_ > 0;
    case phase::closed:
      break;
  }
  return claimed_by_me();
}

void shared_spinlock::enter_slowly(thread_marks::place mark) noexcept {
  while (!admits_me()) {
    thread_marks::change(mark, nullptr);
    spin_until([this] { return admits_me(); });
    thread_marks::change(mark, this);
  }
}

bool shared_spinlock::try_claim() noexcept {
  const void* no_writer = nullptr;
  return writer_.load(std::memory_order_relaxed) == nullptr
         && writer_.compare_exchange_strong(no_writer, &held_);
}

/// Makes the calling thread the only one that may close the lock. Returns false
/// if the thread had to give up its shared ownership, because another writer
/// came first.
bool shared_spinlock::claim() noexcept {
  assert(!claimed_by_me());
  if (try_claim())
    return true;
  thread_marks::hide_mine(this);
  spin_until([this] { return try_claim(); });
  thread_marks::show_mine(this);
  return false;
}

/// Closes the lock when no other thread reads. While the writer waits, readers
/// that hold other locks are still admitted, so the marks are checked again
/// after each closing.
void shared_spinlock::close() noexcept {
  assert(claimed_by_me());
  phase_.store(phase::closed);
  while (thread_marks::shown_elsewhere(this)) {
    phase_.store(phase::closing);
    spin_until([this] { return !thread_marks::shown_elsewhere(this); });
    phase_.store(phase::closed);
  }
}

void shared_spinlock::open() noexcept {
  phase_.store(phase::open, std::memory_order_release);
  writer_.store(nullptr, std::memory_order_release);
}

// -- shared -------------------------------------------------------------------

bool shared_spinlock::try_lock_shared() {
  auto mark = thread_marks::set(this);
  if (!admits_me()) {
    thread_marks::clear(mark);
    return false;
  }
  ++held_;
  return true;
}

void shared_spinlock::unlock_shared() noexcept {
  assert(thread_marks::has_mine(this));
  thread_marks::clear(this);
  --held_;
}

bool shared_spinlock::upgrade() noexcept {
  assert(thread_marks::has_mine(this));
  auto kept = true;
  if (closed_by_me()) {
    ++again_;
  } else {
    kept = claim();
    close();
  }
  thread_marks::clear(this);
  return kept;
}

// -- exclusive ----------------------------------------------------------------

void shared_spinlock::lock() noexcept {
  if (closed_by_me()) {
    ++again_;
  } else {
    claim();
    close();
  }
  ++held_;
}

bool shared_spinlock::try_lock() noexcept {
  if (closed_by_me()) {
    ++again_;
  } else {
    if (!try_claim())
      return false;
    phase_.store(phase::closed);
    if (thread_marks::shown_elsewhere(this)) {
      open();
      return false;
    }
  }
  ++held_;
  return true;
}

void shared_spinlock::unlock() noexcept {
  assert(closed_by_me());
  if (again_ > 0)
    --again_;
  else
    open();
  --held_;
}

// -- upgrade ------------------------------------------------------------------

void shared_spinlock::lock_upgrade() noexcept {
  assert(!claimed_by_me());
  claim();
  ++held_;
}

bool shared_spinlock::try_lock_upgrade() noexcept {
  if (!try_claim())
    return false;
  ++held_;
  return true;
}

void shared_spinlock::unlock_upgrade() noexcept {
  assert(claimed_by_me());
  open();
  --held_;
}

// -- from one to another ------------------------------------------------------

void shared_spinlock::unlock_upgrade_and_lock() noexcept {
  if (claimed_by_me() && !closed_by_me())
    close();
  else
    upgrade();
}

void shared_spinlock::unlock_and_lock_upgrade() noexcept {
  assert(closed_by_me() && again_ == 0);
  phase_.store(phase::open, std::memory_order_release);
}

void shared_spinlock::unlock_and_lock_shared() {
  lock_shared();
  unlock();
}

void shared_spinlock::unlock_upgrade_and_lock_shared() {
  lock_shared();
  unlock_upgrade();
}

} // namespace libpool
