#pragma once

#include "libpool/core/dispatcher.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace test {

/// How a placement_world is set up.
struct placement_setting {
  libpool::assignment when = libpool::assignment::eager;
  /// Whether a worker that has nothing takes the oldest task of another one.
  bool steals = false;
  libpool::limits within = {};
  /// fifo if nullptr.
  std::unique_ptr<libpool::order> order = nullptr;
};

/// A placement under a real dispatcher, on a clock that stands still unless it
/// is told otherwise. Workers and tasks are named by the order in which they
/// came, from 0.
///
/// Workers serve their mailboxes in order, as many tasks at once as they have
/// seats, and begin as soon as they can; what is recalled comes back at once.
class placement_world {
public:
  using names = std::vector<std::size_t>;
  static constexpr auto nobody = static_cast<std::size_t>(-1);

  explicit placement_world(std::unique_ptr<libpool::placement> which,
                           placement_setting how = {});

  // -- facts about workers ----------------------------------------------------

  void join(std::size_t window = 8,
            libpool::duration weight = libpool::duration{0},
            std::size_t seats = 1);

  /// As many of them.
  void join_all(std::size_t count, std::size_t window = 8);

  /// One for each weight.
  void join_weighing(const std::vector<int>& weights, std::size_t window = 8);

  void retire(std::size_t who);

  /// Dies: what it has begun fails, what it was sent comes back.
  void leave(std::size_t who);

  // -- facts about tasks: who gets it -----------------------------------------

  std::size_t submit();
  std::size_t submit_key(std::uint64_t key);
  std::size_t submit_only(const names& only, bool loose = false);
  std::size_t submit_home(std::size_t home);

  /// One that has been added with `add`, and made what it is to be.
  std::size_t submit(libpool::task& what);
  libpool::task& add();
  libpool::restriction& restrict_to(const names& only, bool loose = false);

  /// Who gets the next ones.
  names submit_all(std::size_t count);

  void finish(std::size_t what);
  void crash(std::size_t what);
  void cancel(std::size_t what);

  /// Who gets one, which runs for that long while nothing else happens.
  std::size_t serve(libpool::duration cost);

  // -- time -------------------------------------------------------------------

  void pass(libpool::duration time);

  // -- questions --------------------------------------------------------------

  /// On which worker it is.
  std::size_t worker_of(std::size_t what) const;

  std::size_t last() const {
    return tasks.size() - 1;
  }

  /// Those whose handlers have begun and not ended.
  names running() const;

  /// Those that are known and not gone.
  names present() const;

  const libpool::ledger& books() const {
    return pool_.books();
  }

  libpool::dispatcher& pool() {
    return pool_;
  }

  /// What has been decided, if it `remembers`.
  const std::vector<libpool::decision>& decided() const {
    return decided_;
  }

  std::uint64_t dismissed() const {
    return dismissed_;
  }

  // Goes from below: tasks stay linked into restrictions and workers, and all
  // of them into the pool.
  std::deque<libpool::task> tasks;
  std::deque<libpool::restriction> restrictions;
  std::deque<libpool::worker> workers;
  std::deque<std::size_t> seats;
  libpool::instant now{};
  /// Whether workers begin as soon as they can, rather than not at all.
  bool begins = true;
  bool remembers = false;

private:
  void settle();
  void act();
  bool begin();

  libpool::dispatcher pool_;
  std::uint64_t dismissed_ = 0;
  std::vector<libpool::decision> decided_;
};

} // namespace test

/// How tests show who was chosen.
template <>
struct doctest::StringMaker<test::placement_world::names> {
  static doctest::String convert(const test::placement_world::names& all) {
    doctest::String result;
    for (auto one : all)
      result += doctest::toString(one) + " ";
    return result;
  }
};
