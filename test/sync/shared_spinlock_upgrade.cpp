#include "libpool/sync/shared_spinlock.hpp"
#include "support/other_thread.hpp"

#include <doctest/doctest.h>

using libpool::shared_spinlock;
using test::other_thread;

namespace {

struct upgrade_case {
  shared_spinlock lock;
  other_thread other;
  other_thread outsider;
  int value = 0;

  /// Lets another thread read, upgrade, write 1, and keep the lock. Returns
  /// when that thread waits for the other readers.
  void other_upgrades(bool& kept) {
    other.does([&] { lock.lock_shared(); });
    other.starts([&] {
      kept = lock.upgrade();
      value = 1;
    });
    outsider.does([&] { test::await_writer(lock); });
  }

  bool others_are_out() {
    return outsider.says([&] {
      return !test::can_read(lock) && !test::can_reserve(lock)
             && !test::can_write(lock);
    });
  }

  bool is_free() {
    return outsider.says([&] { return test::can_write(lock); });
  }
};

} // namespace

TEST_CASE_FIXTURE(upgrade_case,
                  "the only reader upgrades without releasing the lock") {
  lock.lock_shared();
  CHECK(lock.upgrade());
  CHECK(others_are_out());
  lock.unlock();
  CHECK(is_free());
}

TEST_CASE_FIXTURE(upgrade_case, "a reader that upgrades waits for other "
                                "readers, and keeps the lock meanwhile") {
  auto reading = true;
  other.does([&] { lock.lock_shared(); });
  lock.lock_shared();
  other.starts([&] {
    outsider.does([&] { test::await_writer(lock); });
    reading = false;
    lock.unlock_shared();
  });
  CHECK(lock.upgrade());
  CHECK_FALSE(reading);
  other.finishes();
  CHECK(others_are_out());
  lock.unlock();
  CHECK(is_free());
}

TEST_CASE_FIXTURE(upgrade_case, "two readers upgrade one after the other, and "
                                "the second sees the first's write") {
  auto first_kept = false;
  lock.lock_shared();
  other_upgrades(first_kept);
  CHECK(value == 0);
  other.starts([&] { lock.unlock(); });
  CHECK_FALSE(lock.upgrade());
  CHECK(value == 1);
  other.finishes();
  CHECK(first_kept);
  CHECK(others_are_out());
  lock.unlock();
  CHECK(is_free());
}

TEST_CASE_FIXTURE(
  upgrade_case,
  "a reader that upgrades while a writer waits sees what that writer wrote") {
  lock.lock_shared();
  other.starts([&] {
    lock.lock();
    value = 1;
    lock.unlock();
  });
  outsider.does([&] { test::await_writer(lock); });
  CHECK_FALSE(lock.upgrade());
  CHECK(value == 1);
  CHECK(others_are_out());
  lock.unlock();
  other.finishes();
  CHECK(is_free());
}

TEST_CASE_FIXTURE(
  upgrade_case,
  "an upgrade owner becomes a writer before a reader that upgrades") {
  lock.lock_shared();
  other.does([&] { lock.lock_upgrade(); });
  other.starts([&] {
    lock.unlock_upgrade_and_lock();
    value = 1;
    lock.unlock();
  });
  CHECK_FALSE(lock.upgrade());
  CHECK(value == 1);
  CHECK(others_are_out());
  lock.unlock();
}

TEST_CASE_FIXTURE(upgrade_case,
                  "an upgrade keeps the other shared ownership of its thread") {
  lock.lock_shared();
  lock.lock_shared();
  CHECK(lock.upgrade());
  CHECK(others_are_out());
  lock.unlock();
  CHECK(outsider.says([&] { return test::can_read(lock); }));
  CHECK_FALSE(is_free());
  lock.unlock_shared();
  CHECK(is_free());
}

TEST_CASE_FIXTURE(upgrade_case, "an upgrade that releases the lock restores "
                                "all shared ownership afterwards") {
  auto first_kept = false;
  lock.lock_shared();
  lock.lock_shared();
  other_upgrades(first_kept);
  other.starts([&] { lock.unlock(); });
  CHECK_FALSE(lock.upgrade());
  CHECK(first_kept);
  CHECK(value == 1);
  lock.unlock();
  CHECK_FALSE(is_free());
  lock.unlock_shared();
  CHECK(is_free());
}

TEST_CASE_FIXTURE(upgrade_case,
                  "shared ownership of a writer upgrades without waiting") {
  lock.lock();
  lock.lock_shared();
  CHECK(lock.upgrade());
  lock.unlock();
  CHECK(others_are_out());
  lock.unlock();
  CHECK(is_free());
}

TEST_CASE_FIXTURE(upgrade_case,
                  "a reader can also upgrade by unlock_upgrade_and_lock") {
  lock.lock_shared();
  lock.unlock_upgrade_and_lock();
  CHECK(others_are_out());
  lock.unlock();
  CHECK(is_free());
}
