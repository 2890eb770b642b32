/// The cost of the lock for a reader or a writer: ours, CAF's, the standard's
/// and oneTBB's side by side, with one thread and with two at one lock.

#include "libpool/sync/shared_spinlock.hpp"
#include "port/caf_locks.hpp"
#include "support/comparison.hpp"

#include <oneapi/tbb/spin_rw_mutex.h>

#include <fmt/format.h>

#include <functional>
#include <memory>
#include <shared_mutex>
#include <string>
#include <tuple>
#include <vector>

namespace {

using run = std::function<void(benchmark::State&)>;

/// Each candidate has one lock, for all its threads.
template <class Lock, class Section>
run repeating(Section section) {
  return [lock = std::make_shared<Lock>(), section](benchmark::State& state) {
    for (auto _ : state)
      section(*lock);
  };
}

struct read {
  template <class Lock>
  void operator()(Lock& lock) const {
    lock.lock_shared();
    benchmark::ClobberMemory();
    lock.unlock_shared();
  }
};

struct write {
  template <class Lock>
  void operator()(Lock& lock) const {
    lock.lock();
    benchmark::ClobberMemory();
    lock.unlock();
  }
};

/// Reads, then writes.
struct upgrade {
  void operator()(libpool::shared_spinlock& lock) const {
    lock.lock_shared();
    benchmark::DoNotOptimize(lock.upgrade());
    lock.unlock();
  }

  /// CAF's.
  template <class Lock>
  auto operator()(Lock& lock) const
    -> decltype(lock.unlock_upgrade_and_lock()) {
    lock.lock_shared();
    lock.unlock_upgrade_and_lock();
    lock.unlock();
  }

  void operator()(std::shared_mutex& lock) const {
    lock.lock_shared();
    lock.unlock_shared(); // all that it offers
    lock.lock();
    lock.unlock();
  }

  void operator()(tbb::spin_rw_mutex& lock) const {
    tbb::spin_rw_mutex::scoped_lock guard{lock, false};
    benchmark::DoNotOptimize(guard.upgrade_to_writer());
  }
};

/// Writes once in a thousand times, and reads else.
struct mix {
  template <class Lock>
  void operator()(Lock& lock) const {
    thread_local unsigned n = 0;
    if (++n % 1000 == 0)
      write{}(lock);
    else
      read{}(lock);
  }
};

template <class Section, class... Locks>
std::vector<bench::candidate> candidates(Section section,
                                         std::tuple<Locks...>*) {
  return {{"caf", repeating<Locks>(section)}...,
          {"std::shared_mutex", repeating<std::shared_mutex>(section)},
          {"tbb::spin_rw_mutex", repeating<tbb::spin_rw_mutex>(section)},
          {"libpool", repeating<libpool::shared_spinlock>(section)}};
}

template <class Section>
bench::question about(const std::string& name, int threads, Section section) {
  port::caf_locks* of_caf = nullptr;
  return {
    fmt::format("{}, {} thread{}", name, threads, threads == 1 ? "" : "s"),
    threads, candidates(section, of_caf)};
}

} // namespace

int main(int argc, char** argv) {
  std::vector<bench::question> questions;
  for (auto threads : {1, 2}) {
    questions.push_back(about("read", threads, read{}));
    questions.push_back(about("write", threads, write{}));
    questions.push_back(about("upgrade", threads, upgrade{}));
    questions.push_back(about("read 999, write 1", threads, mix{}));
  }
  return bench::compare(argc, argv, questions);
}
