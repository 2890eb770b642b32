#include "libpool/sync/shared_spinlock.hpp"
#include "in_threads.hpp"

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
        return lock_.unlock();
      case 1:
        if (!lock_.try_lock())
          return;
        write();
        lock_.unlock_and_lock_shared();
        read();
        return lock_.unlock_shared();
      case 2:
        return upgrade();
      case 3:
        return reserve();
      case 4:
        if (!lock_.try_lock_shared())
          return;
        read();
        return lock_.unlock_shared();
      case 5:
        return nest();
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

namespace {

/// Readers that hand the lock on to each other, so that one of them is always
/// in for as long as it lets readers in.
class stream_of_readers {
public:
  stream_of_readers(shared_spinlock& lock, int rounds)
    : lock_(lock), left_(rounds) {
    // nop
  }

  /// Reader number `me`. It leaves when another one has come in after it, or
  /// when there is no hope that one does.
  void read(int me) {
    while (!stopped_ && left_-- > 0) {
      lock_.lock_shared();
      last_in_ = me;
      for (auto hope = 100; last_in_ == me && hope > 0; --hope)
        std::this_thread::yield();
      lock_.unlock_shared();
    }
  }

  /// Returns whether readers were still coming.
  bool stop() {
    stopped_ = true;
    return left_ > 0;
  }

private:
  shared_spinlock& lock_;
  std::atomic<int> left_;
  std::atomic<int> last_in_{-1};
  std::atomic<bool> stopped_{false};
};

} // namespace

TEST_CASE("a writer gets the lock although a reader always holds it") {
  shared_spinlock lock;
  stream_of_readers readers{lock, 100000};
  auto still_coming = false;
  in_threads(3, [&](unsigned me) {
    if (me < 2) {
      readers.read(static_cast<int>(me));
      return;
    }
    for (auto i = 0; i < 100; ++i) {
      lock.lock();
      lock.unlock();
    }
    still_coming = readers.stop();
  });
  CHECK(still_coming);
}
