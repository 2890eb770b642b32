// A program of its own: among the marks that other tests leave behind, the
// moment that this one is after hardly ever comes.

#include "in_threads.hpp"
#include "libpool/sync/shared_spinlock.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>

using libpool::shared_spinlock;
using test::in_threads;

TEST_CASE("a writer holds the lock alone even if nested readers enter while "
          "the writer waits") {
  constexpr auto rounds = 300000;
  shared_spinlock outer;
  shared_spinlock lock;
  alignas(64) int first = 0;
  alignas(64) int second = 0;
  std::atomic<bool> reading{true};
  auto wrong = 0;
  // Memory for many marks makes the writer's look at all of them a long one.
  std::thread{[&outer] {
    for (auto i = 0; i < 800; ++i)
      outer.lock_shared();
    for (auto i = 0; i < 800; ++i)
      outer.unlock_shared();
  }}.join();
  in_threads(2, [&](unsigned me) {
    if (me == 0) {
      outer.lock_shared();
      for (auto i = 0; i < rounds; ++i) {
        lock.lock_shared();
        auto seen = first;
        for (auto stay = 100; reading && stay > 0; --stay) {
          // The longer it is in, the easier a writer is noticed.
        }
        wrong += second == seen ? 0 : 1;
        lock.unlock_shared();
      }
      outer.unlock_shared();
      reading = false;
    } else {
      while (reading) {
        lock.lock();
        ++first;
        ++second;
        lock.unlock();
      }
    }
  });
  CHECK(wrong == 0);
  CHECK(first == second);
}
