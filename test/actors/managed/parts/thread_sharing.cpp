/// When workers of managed pools let go of their threads.

#include "libpool/actors/managed/thread_sharing.hpp"
#include "stub_watcher.hpp"
#include "support/hand_cranked.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>

using libpool::managed_worker;
using libpool::pool_clock;
using libpool::thread_sharing;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t threads = 2;

struct sharing_world : test::hand_cranked {
  /// How many tasks of that length the worker ends up to its pause.
  int tasks_to_pause(std::chrono::nanoseconds service, std::size_t workers,
                     const pool_clock& clock) {
    for (auto n = 1;; ++n) {
      pass(service);
      if (sharing.has_to_pause(worker, workers, 1, service, clock))
        return n;
    }
  }

  test::stub pool{system()};
  pool_clock measuring{system().clock(), *pool, true};
  pool_clock idle{system().clock(), *pool, false};
  thread_sharing sharing{threads};
  managed_worker worker;
};

} // namespace

TEST_CASE_FIXTURE(
  sharing_world,
  "workers pause after 512 tiny tasks if there are more workers than threads") {
  CHECK(tasks_to_pause(1us, threads + 1, measuring) == 512);
  CHECK(tasks_to_pause(1us, threads + 1, measuring) == 512);
}

TEST_CASE_FIXTURE(
  sharing_world,
  "workers with a thread each pause after ten times as many tasks") {
  CHECK(tasks_to_pause(1us, threads, measuring) == 5120);
}

TEST_CASE_FIXTURE(sharing_world,
                  "a worker pauses after a millisecond of tasks") {
  CHECK(tasks_to_pause(100us, threads + 1, measuring) == 10);
  CHECK(tasks_to_pause(100us, threads, measuring) == 100);
  CHECK(tasks_to_pause(1s, threads, measuring) == 1);
}

TEST_CASE_FIXTURE(sharing_world,
                  "a clock without measured times is read at every 64th task") {
  // The first task only notes the time; 64 tasks later 64 ms have passed, more
  // than 10.
  CHECK(tasks_to_pause(1ms, threads + 1, idle) == 65);
}

TEST_CASE_FIXTURE(sharing_world,
                  "tiny tasks are counted even if no times are measured") {
  CHECK(tasks_to_pause(1us, threads + 1, idle) == 512);
}
