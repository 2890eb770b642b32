#include "libpool/sync/shared_spinlock.hpp"
#include "support/other_thread.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <vector>

using libpool::shared_spinlock;
using test::other_thread;

namespace {

/// A lock that one thread uses, with the numbers of the thread's acquisitions.
/// A step that is not allowed now is skipped.
class counted_lock {
public:
  static constexpr unsigned steps = 13;

  explicit counted_lock(other_thread& outsider) : outsider_(outsider) {
    // nop
  }

  counted_lock(const counted_lock&) = delete;
  counted_lock& operator=(const counted_lock&) = delete;

  ~counted_lock() {
    let_go();
  }

  void take(unsigned step) {
    switch (step % steps) {
      case 0:
        lock_.lock_shared();
        ++shared_;
        break;
      case 1:
        RC_ASSERT(lock_.try_lock_shared());
        ++shared_;
        break;
      case 2:
        if (shared_ > 0) {
          lock_.unlock_shared();
          --shared_;
        }
        break;
      case 3:
        if (!upgrade_) {
          lock_.lock();
          ++exclusive_;
        }
        break;
      case 4:
        RC_ASSERT(lock_.try_lock() == !upgrade_);
        exclusive_ += upgrade_ ? 0 : 1;
        break;
      case 5:
        if (exclusive_ > 0) {
          lock_.unlock();
          --exclusive_;
        }
        break;
      case 6:
        if (shared_ > 0 && !upgrade_) {
          RC_ASSERT(lock_.upgrade());
          --shared_;
          ++exclusive_;
        }
        break;
      default:
        take_upgrade_step(step % steps);
    }
  }

  void let_go() {
    for (; shared_ > 0; --shared_)
      lock_.unlock_shared();
    for (; exclusive_ > 0; --exclusive_)
      lock_.unlock();
    if (upgrade_)
      lock_.unlock_upgrade();
    upgrade_ = false;
  }

  /// Checks that another thread finds the lock as the counts say.
  void check() {
    auto alone = exclusive_ > 0;
    auto write = !alone && !upgrade_ && shared_ == 0;
    auto reserve = !alone && !upgrade_;
    outsider_.does([&] {
      alone = alone == !test::can_read(lock_);
      reserve = reserve == test::can_reserve(lock_);
      write = write == test::can_write(lock_);
    });
    RC_ASSERT(alone);
    RC_ASSERT(reserve);
    RC_ASSERT(write);
  }

private:
  void take_upgrade_step(unsigned step) {
    auto none = exclusive_ == 0 && !upgrade_;
    if (step == 7 && none) {
      lock_.lock_upgrade();
      upgrade_ = true;
    } else if (step == 8) {
      RC_ASSERT(lock_.try_lock_upgrade() == none);
      upgrade_ = upgrade_ || none;
    } else if (step == 9 && upgrade_) {
      lock_.unlock_upgrade();
      upgrade_ = false;
    } else if (step == 10 && upgrade_) {
      lock_.unlock_upgrade_and_lock();
      upgrade_ = false;
      ++exclusive_;
    } else if (step == 11 && exclusive_ == 1) {
      lock_.unlock_and_lock_upgrade();
      --exclusive_;
      upgrade_ = true;
    } else if (step == 12 && (upgrade_ || exclusive_ > 0)) {
      become_reader();
    }
  }

  void become_reader() {
    if (upgrade_) {
      lock_.unlock_upgrade_and_lock_shared();
      upgrade_ = false;
    } else {
      lock_.unlock_and_lock_shared();
      --exclusive_;
    }
    ++shared_;
  }

  other_thread& outsider_;
  shared_spinlock lock_;
  int shared_ = 0;
  int exclusive_ = 0;
  bool upgrade_ = false;
};

} // namespace

TEST_CASE("after any sequence of lock operations, other threads are excluded "
          "as the owner's rights require") {
  other_thread outsider;
  CHECK(rc::check("a lock behaves like a model of counts", [&] {
    auto steps = *rc::gen::container<std::vector<unsigned>>(
      rc::gen::inRange(0U, counted_lock::steps));
    counted_lock lock{outsider};
    for (auto step : steps) {
      lock.take(step);
      lock.check();
    }
    lock.let_go();
    lock.check();
  }));
}

TEST_CASE("two locks of one thread do not affect each other") {
  other_thread outsider;
  CHECK(rc::check("two locks behave like their models of counts", [&] {
    auto steps = *rc::gen::container<std::vector<unsigned>>(
      rc::gen::inRange(0U, 2 * counted_lock::steps));
    counted_lock first{outsider};
    counted_lock second{outsider};
    for (auto step : steps)
      (step % 2 == 0 ? first : second).take(step / 2);
    first.check();
    second.check();
    second.let_go();
    first.check();
    first.let_go();
    second.check();
    first.check();
  }));
}
