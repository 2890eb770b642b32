#include "libpool/sync/shared_spinlock.hpp"
#include "support/other_thread.hpp"

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <ostream>
#include <thread>

using libpool::shared_spinlock;
using test::other_thread;

namespace {

/// The kinds of ownership that another thread gets when it tries.
struct access {
  bool shared;
  bool upgrade;
  bool exclusive;

  bool operator==(const access& other) const {
    return shared == other.shared && upgrade == other.upgrade
           && exclusive == other.exclusive;
  }

  friend std::ostream& operator<<(std::ostream& out, const access& x) {
    return out << (x.shared ? "shared " : "") << (x.upgrade ? "upgrade " : "")
               << (x.exclusive ? "exclusive" : "");
  }
};

constexpr access everything{true, true, true};
constexpr access not_exclusive{true, true, false};
constexpr access only_shared{true, false, false};
constexpr access nothing{false, false, false};

access tried(shared_spinlock& lock) {
  return {test::can_read(lock), test::can_reserve(lock), test::can_write(lock)};
}

struct two_threads {
  shared_spinlock lock;
  other_thread other;
  other_thread outsider;

  access outside() {
    access result{};
    outsider.does([&] { result = tried(lock); });
    return result;
  }
};

} // namespace

// -- one thread holds it, another one tries -----------------------------------

TEST_CASE_FIXTURE(two_threads,
                  "a free lock can be acquired with every kind of ownership") {
  CHECK(tried(lock) == everything);
  CHECK(outside() == everything);
}

TEST_CASE_FIXTURE(
  two_threads,
  "a reader excludes writers, but neither readers nor upgrade owners") {
  other.does([&] { lock.lock_shared(); });
  CHECK(tried(lock) == not_exclusive);
  other.does([&] { lock.unlock_shared(); });
  CHECK(tried(lock) == everything);
}

TEST_CASE_FIXTURE(two_threads, "an upgrade owner excludes writers and other "
                               "upgrade owners, but not readers") {
  other.does([&] { lock.lock_upgrade(); });
  CHECK(tried(lock) == only_shared);
  other.does([&] { lock.unlock_upgrade(); });
  CHECK(tried(lock) == everything);
}

TEST_CASE_FIXTURE(
  two_threads, "a writer excludes readers, upgrade owners and other writers") {
  other.does([&] { lock.lock(); });
  CHECK(tried(lock) == nothing);
  other.does([&] { lock.unlock(); });
  CHECK(tried(lock) == everything);
}

TEST_CASE_FIXTURE(
  two_threads,
  "a waiting writer excludes new readers, upgrade owners and writers") {
  lock.lock_shared();
  other.starts([&] { lock.lock(); });
  outsider.does([&] { test::await_writer(lock); });
  CHECK(outside() == nothing);
  lock.unlock_shared();
  other.does([&] { lock.unlock(); });
  CHECK(outside() == everything);
}

TEST_CASE_FIXTURE(two_threads, "a successful try_lock acquires the lock") {
  other.does([&] { lock.try_lock_shared(); });
  CHECK(tried(lock) == not_exclusive);
  other.does([&] { lock.unlock_shared(); });
  other.does([&] { lock.try_lock_upgrade(); });
  CHECK(tried(lock) == only_shared);
  other.does([&] { lock.unlock_upgrade(); });
  other.does([&] { lock.try_lock(); });
  CHECK(tried(lock) == nothing);
  other.does([&] { lock.unlock(); });
  CHECK(tried(lock) == everything);
}

TEST_CASE_FIXTURE(two_threads, "several readers hold the lock at once") {
  lock.lock_shared();
  other.does([&] { lock.lock_shared(); });
  outsider.does([&] { lock.lock_shared(); });
  lock.unlock_shared();
  other.does([&] { lock.unlock_shared(); });
  CHECK(tried(lock) == not_exclusive);
  outsider.does([&] { lock.unlock_shared(); });
  CHECK(tried(lock) == everything);
}

TEST_CASE_FIXTURE(two_threads,
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
  two_threads, "a reader that had to wait for the lock excludes only writers") {
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
  CHECK(tried(lock) == not_exclusive);
  other.does([&] { lock.unlock_shared(); });
  CHECK(tried(lock) == everything);
}

// -- the thread that holds it tries -------------------------------------------

TEST_CASE_FIXTURE(two_threads,
                  "a thread that holds the lock can acquire it again in each "
                  "mode that its ownership permits") {
  lock.lock_shared();
  CHECK(tried(lock) == everything);
  lock.unlock_shared();
  lock.lock_upgrade();
  CHECK(tried(lock) == only_shared);
  lock.unlock_upgrade();
  lock.lock();
  CHECK(tried(lock) == access{true, false, true});
  lock.unlock();
  CHECK(outside() == everything);
}

// -- from one to another ------------------------------------------------------

TEST_CASE_FIXTURE(two_threads, "a writer becomes a reader") {
  lock.lock();
  lock.unlock_and_lock_shared();
  CHECK(outside() == not_exclusive);
  lock.unlock_shared();
  CHECK(outside() == everything);
}

TEST_CASE_FIXTURE(two_threads, "a writer becomes an upgrade owner") {
  lock.lock();
  lock.unlock_and_lock_upgrade();
  CHECK(outside() == only_shared);
  lock.unlock_upgrade();
  CHECK(outside() == everything);
}

TEST_CASE_FIXTURE(two_threads, "an upgrade owner becomes a reader") {
  lock.lock_upgrade();
  lock.unlock_upgrade_and_lock_shared();
  CHECK(outside() == not_exclusive);
  lock.unlock_shared();
  CHECK(outside() == everything);
}

TEST_CASE_FIXTURE(two_threads, "an upgrade owner becomes a writer") {
  lock.lock_upgrade();
  lock.unlock_upgrade_and_lock();
  CHECK(outside() == nothing);
  lock.unlock();
  CHECK(outside() == everything);
}

TEST_CASE_FIXTURE(
  two_threads,
  "an upgrade owner becomes a writer before any waiting writer does") {
  auto value = 0;
  auto seen = 0;
  other_thread writer;
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
  seen = value;
  lock.unlock();
  writer.finishes();
  CHECK(seen == 0);
  CHECK(value == 1);
}

TEST_CASE_FIXTURE(
  two_threads, "an upgrade owner that becomes a writer waits for the readers") {
  auto reading = true;
  other.does([&] { lock.lock_shared(); });
  lock.lock_upgrade();
  other.starts([&] {
    outsider.does([&] { test::await_writer(lock); });
    reading = false;
    lock.unlock_shared();
  });
  lock.unlock_upgrade_and_lock();
  CHECK_FALSE(reading);
  lock.unlock();
  other.finishes();
}

// -- many at once -------------------------------------------------------------

TEST_CASE_FIXTURE(
  two_threads, "a thread may hold many locks and release them in any order") {
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

TEST_CASE_FIXTURE(two_threads,
                  "a thread may have shared ownership of one lock many times") {
  for (auto i = 0; i < 20; ++i)
    lock.lock_shared();
  for (auto i = 0; i < 20; ++i) {
    CHECK(outside() == not_exclusive);
    lock.unlock_shared();
  }
  CHECK(outside() == everything);
}
