/// Guards of policies that upgrade to the lock of CAF's.

#include "libpool/pool.hpp"
#include "support/other_thread.hpp"

#include <caf/locks.hpp>
#include <doctest/doctest.h>

namespace caf_locks_tests {

using libpool::caf_lock;
using libpool::policy_lock;
using libpool::shared_spinlock;
using libpool::uplock;

namespace {

struct world {
  policy_lock both;
  shared_spinlock& lock = both.own;
  test::other_thread other;

  bool others_write() {
    return other.says([this] { return test::can_write(lock); });
  }

  /// Puts CAF's lock into use.
  void upgrade_to_caf() {
    uplock guard{both};
    caf::upgrade_to_unique_lock<caf_lock> unique{guard};
    CHECK(unique.owns_lock());
  }
};

} // namespace

TEST_CASE_FIXTURE(world,
                  "a guard does not unlock a lock that it has released") {
  {
    uplock guard{lock};
    shared_spinlock* released = guard.release();
    CHECK(released == &lock);
    CHECK_FALSE(guard.owns_lock());
    guard.unlock();
    CHECK_FALSE(others_write());
  }
  CHECK_FALSE(others_write());
  lock.unlock_shared();
  CHECK(others_write());
}

TEST_CASE_FIXTURE(world,
                  "an upgrade of a guard that was unlocked owns no lock") {
  uplock guard{both};
  guard.unlock();
  SUBCASE("as a lock of the library") {
    caf::upgrade_to_unique_lock<shared_spinlock> unique{guard};
    CHECK_FALSE(unique.owns_lock());
  }
  SUBCASE("as a lock of CAF") {
    caf::upgrade_to_unique_lock<caf_lock> unique{guard};
    CHECK_FALSE(unique.owns_lock());
  }
  CHECK(others_write());
}

TEST_CASE_FIXTURE(world,
                  "a guard without a bridge refuses to release a lock of CAF") {
  uplock guard{lock};
  CHECK_THROWS_AS(static_cast<void>(static_cast<caf_lock*>(guard.release())),
                  std::logic_error);
  CHECK(others_write());
}

TEST_CASE_FIXTURE(world, "only one thread at a time can hold CAF's "
                         "lock for an upgrade") {
  upgrade_to_caf();
  // Once that lock is in use, every guard holds it shared besides ours.
  uplock guard{both};
  CHECK_FALSE(others_write());
  caf_lock* released = guard.release();
  REQUIRE(released != nullptr);
  CHECK(others_write()); // ours has been traded for CAF's
  released->unlock_upgrade_and_lock();
  CHECK_FALSE(released->try_lock_shared());
  released->unlock();
}

TEST_CASE_FIXTURE(world, "the first upgrade to CAF's lock acquires CAF's lock, "
                         "which every guard holds from then on") {
  uplock first{both};
  caf_lock* theirs = first.release();
  REQUIRE(theirs != nullptr);
  CHECK_FALSE(theirs->try_lock());
  theirs->unlock_shared();
  CHECK(theirs->try_lock());
  theirs->unlock();
  CHECK(others_write());
  uplock guard{both};
  CHECK_FALSE(theirs->try_lock());
  guard.unlock();
  CHECK(theirs->try_lock());
  theirs->unlock();
}

TEST_CASE_FIXTURE(world, "a guard unlocks both libpool's lock and CAF's lock") {
  upgrade_to_caf();
  SUBCASE("without an upgrade") {
    uplock guard{both};
    guard.unlock();
    CHECK(others_write());
  }
  SUBCASE("after an upgrade") {
    uplock guard{both};
    CHECK(guard.upgrade());
    guard.unlock();
    CHECK(others_write());
  }
  // No guard holds CAF's lock shared any more.
  uplock last{both};
  caf_lock* released = last.release();
  released->unlock_shared();
  CHECK(released->try_lock());
  released->unlock();
}

} // namespace caf_locks_tests
