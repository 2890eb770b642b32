#include "libpool/sync/shared_spinlock.hpp"
#include "support/in_threads.hpp"

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <random>
#include <thread>
#include <vector>

using libpool::shared_spinlock;
using test::in_threads;

namespace {

/// Two counters that are equal whenever a thread may look at them. They are no
/// atomics: the lock is all that orders the accesses. They lie apart, so that
/// no single instruction writes both.
struct pair_of_counters {
  alignas(64) int first = 0;
  alignas(64) int second = 0;

  bool equal() const {
    return first == second;
  }

  void add() {
    ++first;
    ++second;
  }
};

} // namespace

TEST_CASE("upgrades by several threads all succeed, and report other writers "
          "correctly") {
  constexpr auto threads = 3U;
  constexpr auto rounds = 50000;
  shared_spinlock lock;
  auto version = 0;
  std::array<int, threads> kept{};
  std::array<int, threads> let_go{};
  std::array<int, threads> lies{};
  in_threads(threads, [&](unsigned me) {
    for (auto i = 0; i < rounds; ++i) {
      lock.lock_shared();
      auto seen = version;
      if (i % 8 == 0)
        std::this_thread::yield();
      if (lock.upgrade()) {
        ++kept[me];
        lies[me] += version == seen ? 0 : 1;
      } else {
        ++let_go[me];
      }
      ++version;
      lock.unlock();
    }
  });
  CHECK(version == threads * rounds);
  for (auto i = 0U; i < threads; ++i) {
    CHECK(lies[i] == 0);
    CHECK(kept[i] + let_go[i] == rounds);
    CHECK(kept[i] > 0);
  }
}

namespace {

/// One thread's random use of one lock; counts violations.
class user {
public:
  user(shared_spinlock& lock, pair_of_counters& guarded, unsigned seed)
    : lock_(lock), guarded_(guarded), generator_(seed) {
    // nop
  }

  void use(int times) {
    for (auto i = 0; i < times; ++i)
      act(generator_() % 10);
  }

  int wrong = 0;
  int written = 0;

private:
  void act(std::size_t action) {
    switch (action) {
      case 0:
        lock_.lock();
        write();
        lock_.unlock();
        break;
      case 1:
        if (lock_.try_lock()) {
          write();
          lock_.unlock_and_lock_shared();
          read();
          lock_.unlock_shared();
        }
        break;
      case 2:
        upgrade();
        break;
      case 3:
        reserve();
        break;
      case 4:
        if (lock_.try_lock_shared()) {
          read();
          lock_.unlock_shared();
        }
        break;
      case 5:
        nest();
        break;
      default:
        lock_.lock_shared();
        read();
        lock_.unlock_shared();
    }
  }

  void upgrade() {
    lock_.lock_shared();
    auto seen = guarded_.first;
    if (lock_.upgrade())
      wrong += guarded_.first == seen ? 0 : 1;
    write();
    lock_.unlock();
  }

  void reserve() {
    lock_.lock_upgrade();
    auto seen = guarded_.first;
    read();
    lock_.unlock_upgrade_and_lock();
    wrong += guarded_.first == seen ? 0 : 1;
    write();
    seen = guarded_.first;
    lock_.unlock_and_lock_upgrade();
    wrong += guarded_.first == seen ? 0 : 1;
    lock_.unlock_upgrade_and_lock_shared();
    wrong += guarded_.first == seen ? 0 : 1;
    lock_.unlock_shared();
  }

  void nest() {
    lock_.lock_shared();
    read();
    lock_.lock_shared();
    read();
    lock_.unlock_shared();
    lock_.lock();
    write();
    lock_.lock();
    write();
    lock_.unlock();
    lock_.unlock();
    read();
    lock_.unlock_shared();
  }

  /// Now and then gives others time for a violation.
  void dawdle() {
    if (generator_() % 16 == 0)
      std::this_thread::yield();
  }

  void read() {
    auto seen = guarded_.first;
    dawdle();
    wrong += guarded_.second == seen ? 0 : 1;
  }

  void write() {
    read();
    ++guarded_.first;
    dawdle();
    ++guarded_.second;
    ++written;
  }

  shared_spinlock& lock_;
  pair_of_counters& guarded_;
  std::minstd_rand generator_;
};

} // namespace

TEST_CASE(
  "a writer holds the lock alone while other threads lock in every way") {
  shared_spinlock lock;
  pair_of_counters guarded;
  std::vector<user> users;
  for (auto seed = 1U; seed <= 3; ++seed)
    users.emplace_back(lock, guarded, seed);
  in_threads(3, [&](unsigned me) { users[me].use(50000); });
  auto written = 0;
  for (const auto& each : users) {
    CHECK(each.wrong == 0);
    written += each.written;
  }
  CHECK(guarded.equal());
  CHECK(guarded.first == written);
  CHECK(lock.try_lock());
  lock.unlock();
}
