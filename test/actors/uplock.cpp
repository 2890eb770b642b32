#include "libpool/pool.hpp"
#include "support/other_thread.hpp"

#include <doctest/doctest.h>

#include <optional>

namespace uplock_tests {

using libpool::uplock;

namespace {

struct world {
  libpool::shared_spinlock lock;
  test::other_thread other;

  bool others_read() {
    return other.says([this] { return test::can_read(lock); });
  }

  bool others_write() {
    return other.says([this] { return test::can_write(lock); });
  }
};

} // namespace

TEST_CASE_FIXTURE(world, "a guard holds the lock shared until its destruction, "
                         "and releases the lock only once") {
  {
    uplock first{lock};
    CHECK(first.owns_lock());
    CHECK(others_read());
    uplock second{lock};
    first.unlock();
    first.unlock();
    CHECK_FALSE(first.owns_lock());
    CHECK_FALSE(others_write()); // the second still holds it
  }
  CHECK(others_write());
}

TEST_CASE_FIXTURE(world,
                  "an upgraded guard excludes others until its destruction") {
  uplock guard{lock};
  CHECK(guard.upgrade());
  CHECK(guard.owns_lock());
  CHECK_FALSE(others_read());
  CHECK(guard.upgrade()); // again: no thread can have written
  CHECK_FALSE(others_read());
  guard.unlock();
  CHECK(others_write());
}

TEST_CASE_FIXTURE(
  world, "the second of two guards that upgrade learns of the first upgrade") {
  auto theirs = false;
  std::optional<uplock> guard;
  other.does([&] { guard.emplace(lock); });
  uplock mine{lock};
  other.starts([&] {
    theirs = guard->upgrade();
    guard.reset();
  });
  auto ours = mine.upgrade();
  mine.unlock();
  other.finishes();
  CHECK(ours != theirs);
}

} // namespace uplock_tests
