// The lock types alone are needed, and nothing of them is compiled.
#define BOOST_THREAD_DONT_USE_CHRONO
#define BOOST_THREAD_DONT_USE_DATETIME

#include "libpool/sync/shared_spinlock.hpp"
#include "support/other_thread.hpp"

#include <boost/thread/lock_types.hpp>
#include <doctest/doctest.h>

#include <mutex>
#include <shared_mutex>
#include <type_traits>
#include <utility>

using libpool::shared_spinlock;
using test::other_thread;

namespace {

struct outside {
  shared_spinlock lock;
  other_thread thread;

  bool may_read() {
    return thread.says([&] { return test::can_read(lock); });
  }

  bool may_reserve() {
    return thread.says([&] { return test::can_reserve(lock); });
  }

  bool may_write() {
    return thread.says([&] { return test::can_write(lock); });
  }
};

static_assert(!std::is_copy_constructible_v<shared_spinlock>);
static_assert(!std::is_copy_assignable_v<shared_spinlock>);

} // namespace

TEST_CASE_FIXTURE(outside, "std::unique_lock holds the lock exclusively") {
  {
    std::unique_lock<shared_spinlock> guard{lock};
    CHECK_FALSE(may_read());
  }
  {
    std::unique_lock<shared_spinlock> guard{lock, std::try_to_lock};
    CHECK(guard.owns_lock());
    CHECK_FALSE(may_read());
  }
  CHECK(may_write());
}

TEST_CASE_FIXTURE(outside, "std::shared_lock holds the lock shared") {
  {
    std::shared_lock<shared_spinlock> guard{lock};
    std::shared_lock<shared_spinlock> again{lock, std::try_to_lock};
    CHECK(again.owns_lock());
    CHECK(may_read());
    CHECK_FALSE(may_write());
  }
  CHECK(may_write());
}

TEST_CASE_FIXTURE(outside, "std::scoped_lock can hold several locks at once") {
  shared_spinlock second;
  {
    std::scoped_lock<shared_spinlock, shared_spinlock> guard{lock, second};
    CHECK_FALSE(may_read());
    CHECK_FALSE(thread.says([&] { return test::can_read(second); }));
  }
  CHECK(may_write());
  CHECK(thread.says([&] { return test::can_write(second); }));
}

TEST_CASE_FIXTURE(outside, "boost::upgrade_lock can be upgraded, and has "
                           "upgrade ownership again afterwards") {
  {
    boost::upgrade_lock<shared_spinlock> guard{lock};
    CHECK(may_read());
    CHECK_FALSE(may_reserve());
    {
      boost::upgrade_to_unique_lock<shared_spinlock> writing{guard};
      CHECK_FALSE(may_read());
    }
    CHECK(guard.owns_lock());
    CHECK(may_read());
    CHECK_FALSE(may_reserve());
  }
  CHECK(may_write());
}

TEST_CASE_FIXTURE(outside, "boost::upgrade_lock, unique_lock and shared_lock "
                           "can be converted to each other") {
  boost::upgrade_lock<shared_spinlock> reserved{lock};
  boost::unique_lock<shared_spinlock> writing{std::move(reserved)};
  CHECK_FALSE(reserved.owns_lock()); // NOLINT(bugprone-use-after-move)
  CHECK_FALSE(may_read());
  boost::upgrade_lock<shared_spinlock> again{std::move(writing)};
  CHECK(may_read());
  CHECK_FALSE(may_reserve());
  boost::shared_lock<shared_spinlock> reading{std::move(again)};
  CHECK(may_reserve());
  CHECK_FALSE(may_write());
  reading.unlock();
  boost::unique_lock<shared_spinlock> last{lock};
  CHECK_FALSE(may_read());
  boost::shared_lock<shared_spinlock> in_the_end{std::move(last)};
  CHECK(may_reserve());
  CHECK_FALSE(may_write());
}
