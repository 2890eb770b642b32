#include "libpool/sync/shared_spinlock.hpp"
#include "support/other_thread.hpp"

#include <doctest/doctest.h>

using libpool::shared_spinlock;
using test::other_thread;

namespace {

struct nesting {
  shared_spinlock a;
  shared_spinlock b;
  other_thread writer;
  other_thread other;
  other_thread outsider;

  /// A writer that waits until the readers of `lock` have left.
  /// @pre `lock` is held shared
  void waits(other_thread& thread, shared_spinlock& lock) {
    thread.starts([&lock] {
      lock.lock();
      lock.unlock();
    });
    outsider.does([&lock] { test::await_writer(lock); });
  }

  bool is_free(shared_spinlock& lock) {
    return outsider.says([&] { return test::can_write(lock); });
  }

  bool is_readable(shared_spinlock& lock) {
    return outsider.says([&] { return test::can_read(lock); });
  }
};

} // namespace

TEST_CASE_FIXTURE(nesting,
                  "a reader can acquire the lock again while a writer waits") {
  a.lock_shared();
  waits(writer, a);
  CHECK_FALSE(is_readable(a));
  CHECK(test::can_read(a));
  a.lock_shared();
  a.unlock_shared();
  a.unlock_shared();
  writer.finishes();
  CHECK(is_free(a));
}

TEST_CASE_FIXTURE(
  nesting,
  "a reader of another lock can acquire the lock while a writer waits") {
  b.lock_shared();
  other.does([&] { a.lock_shared(); });
  waits(writer, a);
  CHECK_FALSE(is_readable(a));
  CHECK(test::can_read(a));
  a.lock_shared();
  other.does([&] { a.unlock_shared(); });
  // The writer waits for the reader that came after it, too.
  CHECK_FALSE(is_readable(a));
  a.unlock_shared();
  writer.finishes();
  b.unlock_shared();
  CHECK(is_free(a));
  CHECK(is_free(b));
}

TEST_CASE_FIXTURE(
  nesting,
  "a thread that has released all locks waits for the waiting writer") {
  a.lock_shared();
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
  waits(writer, a);
  CHECK_FALSE(other.says([&] { return test::can_read(a); }));
  a.unlock_shared();
  writer.finishes();
  CHECK(other.says([&] { return test::can_read(a); }));
}

TEST_CASE_FIXTURE(nesting, "two readers can acquire two locks in opposite "
                           "order while two writers wait") {
  other_thread second_writer;
  a.lock_shared();
  other.does([&] { b.lock_shared(); });
  waits(writer, a);
  waits(second_writer, b);
  b.lock_shared();
  other.does([&] { a.lock_shared(); });
  b.unlock_shared();
  a.unlock_shared();
  other.does([&] {
    a.unlock_shared();
    b.unlock_shared();
  });
  writer.finishes();
  second_writer.finishes();
  CHECK(is_free(a));
  CHECK(is_free(b));
}

TEST_CASE_FIXTURE(nesting, "while a reader waits to upgrade, threads that hold "
                           "other locks can still become readers") {
  auto reading = true;
  other.does([&] { b.lock_shared(); });
  outsider.does([&] { a.lock_shared(); });
  other.starts([&] {
    writer.does([&] { test::await_writer(a); });
    a.lock_shared();
    outsider.does([&] { a.unlock_shared(); });
    writer.does([&] { test::await_writer(a); });
    reading = false;
    a.unlock_shared();
    b.unlock_shared();
  });
  a.lock_shared();
  CHECK(a.upgrade());
  auto seen = reading;
  a.unlock();
  other.finishes();
  CHECK_FALSE(reading);
  CHECK_FALSE(seen);
}

TEST_CASE_FIXTURE(
  nesting,
  "a reader that locked exclusively is a reader again after unlocking") {
  a.lock_shared();
  a.lock();
  CHECK_FALSE(is_readable(a));
  a.unlock();
  CHECK(is_readable(a));
  CHECK_FALSE(is_free(a));
  a.unlock_shared();
  CHECK(is_free(a));
}

TEST_CASE_FIXTURE(nesting,
                  "a reader that locks exclusively waits for other readers") {
  auto reading = true;
  a.lock_shared();
  other.does([&] { a.lock_shared(); });
  other.starts([&] {
    outsider.does([&] { test::await_writer(a); });
    reading = false;
    a.unlock_shared();
  });
  a.lock();
  CHECK_FALSE(reading);
  a.unlock();
  a.unlock_shared();
  other.finishes();
}

TEST_CASE_FIXTURE(nesting,
                  "a writer may lock shared, and stays a writer meanwhile") {
  a.lock();
  a.lock_shared();
  CHECK_FALSE(is_readable(a));
  a.unlock_shared();
  CHECK_FALSE(is_readable(a));
  SUBCASE("exclusive ownership is released first") {
    a.lock_shared();
    a.unlock();
    CHECK(is_readable(a));
    CHECK_FALSE(is_free(a));
    a.unlock_shared();
  }
  SUBCASE("shared ownership is released first") {
    a.unlock();
  }
  CHECK(is_free(a));
}

TEST_CASE_FIXTURE(
  nesting,
  "a thread that holds a lock exclusively may lock it exclusively again") {
  a.lock();
  a.lock();
  CHECK(a.try_lock());
  a.unlock();
  a.unlock();
  CHECK_FALSE(is_readable(a));
  a.unlock();
  CHECK(is_free(a));
}

TEST_CASE_FIXTURE(nesting, "a thread may hold two locks exclusively") {
  a.lock();
  b.lock();
  a.unlock();
  CHECK(is_free(a));
  CHECK_FALSE(is_readable(b));
  b.unlock();
  CHECK(is_free(b));
}
