#include "libpool/sync/shared_spinlock.hpp"
#include "support/other_thread.hpp"

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <string>
#include <thread>

// What one thread may do with a lock, and excludes others from, is a law: see
// shared_spinlock_law.cpp. Here several threads have the lock or wait for it.

using libpool::shared_spinlock;
using test::other_thread;

namespace {

const std::string everything{"shared upgrade exclusive "};
const std::string not_exclusive{"shared upgrade "};
const std::string nothing;

struct threads {
  shared_spinlock lock;
  shared_spinlock b;
  other_thread other;
  other_thread writer;
  other_thread outsider;
  int value = 0;

  /// The kinds of ownership that the calling thread gets when it tries.
  std::string tried() {
    std::string result;
    result += test::can_read(lock) ? "shared " : "";
    result += test::can_reserve(lock) ? "upgrade " : "";
    result += test::can_write(lock) ? "exclusive " : "";
    return result;
  }

  std::string outside() {
    std::string result;
    outsider.does([&] { result = tried(); });
    return result;
  }

  bool is_free(shared_spinlock& which) {
    return outsider.says([&] { return test::can_write(which); });
  }

  bool is_readable(shared_spinlock& which) {
    return outsider.says([&] { return test::can_read(which); });
  }

  /// A writer that waits until the readers of `which` have left.
  /// @pre `which` is held shared
  void waits(other_thread& thread, shared_spinlock& which) {
    thread.starts([&which] {
      which.lock();
      which.unlock();
    });
    outsider.does([&which] { test::await_writer(which); });
  }

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
};

} // namespace

TEST_CASE_FIXTURE(
  threads,
  "a waiting writer excludes new readers, upgrade owners and writers") {
  lock.lock_shared();
  other.starts([&] { lock.lock(); });
  outsider.does([&] { test::await_writer(lock); });
  CHECK(outside() == nothing);
  lock.unlock_shared();
  other.does([&] { lock.unlock(); });
  CHECK(outside() == everything);
}

TEST_CASE_FIXTURE(threads, "several readers hold the lock at once") {
  lock.lock_shared();
  other.does([&] { lock.lock_shared(); });
  outsider.does([&] { lock.lock_shared(); });
  lock.unlock_shared();
  other.does([&] { lock.unlock_shared(); });
  CHECK(tried() == not_exclusive);
  outsider.does([&] { lock.unlock_shared(); });
  CHECK(tried() == everything);
}

TEST_CASE_FIXTURE(threads,
                  "a waiting writer gets the lock before a new reader") {
  auto written = false;
  auto read = false;
  other_thread reader;
  lock.lock_shared();
  other.starts([&] {
    lock.lock();
    written = true;
  });
  outsider.does([&] { test::await_writer(lock); });
  reader.starts([&] {
    lock.lock_shared();
    read = written;
    lock.unlock_shared();
  });
  lock.unlock_shared();
  other.does([&] { lock.unlock(); });
  reader.finishes();
  CHECK(read);
}

TEST_CASE_FIXTURE(
  threads, "a reader that had to wait for the lock excludes only writers") {
  std::atomic<bool> coming{false};
  lock.lock();
  other.starts([&] {
    coming = true;
    lock.lock_shared();
  });
  // The reader probably waits by now. If not, the test still passes.
  while (!coming)
    std::this_thread::yield();
  for (auto i = 0; i < 1000; ++i)
    std::this_thread::yield();
  lock.unlock();
  other.finishes();
  CHECK(tried() == not_exclusive);
  other.does([&] { lock.unlock_shared(); });
  CHECK(tried() == everything);
}

TEST_CASE_FIXTURE(
  threads, "an upgrade owner becomes a writer before any waiting writer does") {
  lock.lock_upgrade();
  other.does([&] { lock.lock_shared(); });
  writer.starts([&] {
    lock.lock();
    ++value;
    lock.unlock();
  });
  // The reader leaves when a writer, either of the two, has closed the lock.
  other.starts([&] {
    outsider.does([&] { test::await_writer(lock); });
    lock.unlock_shared();
  });
  lock.unlock_upgrade_and_lock();
  auto seen = value;
  lock.unlock();
  writer.finishes();
  CHECK(seen == 0);
  CHECK(value == 1);
}

TEST_CASE_FIXTURE(threads,
                  "a thread that becomes a writer waits for the readers, "
                  "and keeps its ownership meanwhile") {
  auto reading = true;
  other.does([&] { lock.lock_shared(); });
  auto other_leaves = [&] {
    other.starts([&] {
      outsider.does([&] { test::await_writer(lock); });
      reading = false;
      lock.unlock_shared();
    });
  };
  SUBCASE("an upgrade owner") {
    lock.lock_upgrade();
    other_leaves();
    lock.unlock_upgrade_and_lock();
  }
  SUBCASE("a reader that locks exclusively") {
    lock.lock_shared();
    other_leaves();
    lock.lock();
    lock.unlock_shared();
  }
  SUBCASE("a reader that upgrades") {
    lock.lock_shared();
    other_leaves();
    CHECK(lock.upgrade());
  }
  CHECK_FALSE(reading);
  other.finishes();
  CHECK(outside() == nothing);
  lock.unlock();
  CHECK(is_free(lock));
}

TEST_CASE_FIXTURE(
  threads, "a thread may hold many locks and release them in any order") {
  std::array<shared_spinlock, 20> locks;
  for (auto& each : locks)
    each.lock_shared();
  // 7 and 20 have no common factor, so this comes by each lock once.
  for (std::size_t i = 0; i < locks.size(); ++i) {
    for (auto j = i; j < locks.size(); ++j)
      CHECK_FALSE(outsider.says(
        [&] { return test::can_write(locks[7 * j % locks.size()]); }));
    auto& next = locks[7 * i % locks.size()];
    next.unlock_shared();
    CHECK(outsider.says([&] { return test::can_write(next); }));
  }
}

// -- nesting ------------------------------------------------------------------

TEST_CASE_FIXTURE(threads,
                  "a reader can acquire the lock again while a writer waits") {
  lock.lock_shared();
  waits(writer, lock);
  CHECK_FALSE(is_readable(lock));
  CHECK(test::can_read(lock));
  lock.lock_shared();
  lock.unlock_shared();
  lock.unlock_shared();
  writer.finishes();
  CHECK(is_free(lock));
}

TEST_CASE_FIXTURE(
  threads,
  "a reader of another lock can acquire the lock while a writer waits") {
  b.lock_shared();
  other.does([&] { lock.lock_shared(); });
  waits(writer, lock);
  CHECK_FALSE(is_readable(lock));
  CHECK(test::can_read(lock));
  lock.lock_shared();
  other.does([&] { lock.unlock_shared(); });
  // The writer waits for the reader that came after it, too.
  CHECK_FALSE(is_readable(lock));
  lock.unlock_shared();
  writer.finishes();
  b.unlock_shared();
  CHECK(is_free(lock));
  CHECK(is_free(b));
}

TEST_CASE_FIXTURE(
  threads,
  "a thread that has released all locks waits for the waiting writer") {
  lock.lock_shared();
  other.does([&] {
    b.lock_shared();
    b.unlock_shared();
    b.lock();
    b.unlock();
    b.lock_shared();
    b.upgrade();
    b.unlock();
    b.lock_upgrade();
    b.unlock_upgrade_and_lock();
    b.unlock_and_lock_upgrade();
    b.unlock_upgrade_and_lock_shared();
    b.unlock_shared();
    b.lock();
    b.unlock_and_lock_shared();
    b.unlock_shared();
  });
  waits(writer, lock);
  CHECK_FALSE(other.says([&] { return test::can_read(lock); }));
  lock.unlock_shared();
  writer.finishes();
  CHECK(other.says([&] { return test::can_read(lock); }));
}

TEST_CASE_FIXTURE(threads, "two readers can acquire two locks in opposite "
                           "order while two writers wait") {
  other_thread second_writer;
  lock.lock_shared();
  other.does([&] { b.lock_shared(); });
  waits(writer, lock);
  waits(second_writer, b);
  b.lock_shared();
  other.does([&] { lock.lock_shared(); });
  b.unlock_shared();
  lock.unlock_shared();
  other.does([&] {
    lock.unlock_shared();
    b.unlock_shared();
  });
  writer.finishes();
  second_writer.finishes();
  CHECK(is_free(lock));
  CHECK(is_free(b));
}

TEST_CASE_FIXTURE(threads, "while a reader waits to upgrade, threads that hold "
                           "other locks can still become readers") {
  auto reading = true;
  other.does([&] { b.lock_shared(); });
  outsider.does([&] { lock.lock_shared(); });
  other.starts([&] {
    writer.does([&] { test::await_writer(lock); });
    lock.lock_shared();
    outsider.does([&] { lock.unlock_shared(); });
    writer.does([&] { test::await_writer(lock); });
    reading = false;
    lock.unlock_shared();
    b.unlock_shared();
  });
  lock.lock_shared();
  CHECK(lock.upgrade());
  auto seen = reading;
  lock.unlock();
  other.finishes();
  CHECK_FALSE(reading);
  CHECK_FALSE(seen);
}

// -- upgrades -----------------------------------------------------------------

TEST_CASE_FIXTURE(threads, "two readers upgrade one after the other, and "
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
  CHECK(outside() == nothing);
  lock.unlock();
  CHECK(is_free(lock));
}

TEST_CASE_FIXTURE(
  threads,
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
  CHECK(outside() == nothing);
  lock.unlock();
  other.finishes();
  CHECK(is_free(lock));
}

TEST_CASE_FIXTURE(
  threads, "an upgrade owner becomes a writer before a reader that upgrades") {
  lock.lock_shared();
  other.does([&] { lock.lock_upgrade(); });
  other.starts([&] {
    lock.unlock_upgrade_and_lock();
    value = 1;
    lock.unlock();
  });
  CHECK_FALSE(lock.upgrade());
  CHECK(value == 1);
  CHECK(outside() == nothing);
  lock.unlock();
}

TEST_CASE_FIXTURE(threads, "an upgrade that releases the lock restores "
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
  CHECK_FALSE(is_free(lock));
  lock.unlock_shared();
  CHECK(is_free(lock));
}

TEST_CASE_FIXTURE(threads,
                  "a reader can also upgrade by unlock_upgrade_and_lock") {
  lock.lock_shared();
  lock.unlock_upgrade_and_lock();
  CHECK(outside() == nothing);
  lock.unlock();
  CHECK(is_free(lock));
}
