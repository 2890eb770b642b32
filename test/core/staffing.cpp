#include "libpool/core/staffing.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

using libpool::headcount;
using libpool::instant;
using libpool::restart_limits;
using libpool::staffing;
using libpool::staffing_change;
using libpool::staffing_limits;
using namespace std::chrono_literals;

namespace {

constexpr restart_limits often{1'000'000, 1h, 10ms, 10ms};

/// A pool of `n` workers that has a factory.
staffing staffed(std::size_t n, const staffing_limits& within) {
  staffing result{within};
  result.begin();
  for (std::size_t i = 0; i < n; ++i)
    result.added();
  return result;
}

staffing_change at(staffing& of, const headcount& there, instant now = {}) {
  return of.decide(there, now);
}

} // namespace

// -- stand-ins ----------------------------------------------------------------

TEST_CASE("each stuck worker has one stand-in, up to stand_ins and "
          "most_workers") {
  auto pool = staffed(3, {5, 4, {}});
  CHECK(!pool.compare({3, 0, 0}));
  CHECK(at(pool, {3, 0, 1}).made == 1);
  CHECK(at(pool, {4, 0, 3}).made == 1);
  CHECK(pool.missing({5, 0, 3}) == 0); // most_workers
  auto other = staffed(3, {100, 2, {}});
  CHECK(at(other, {3, 0, 3}).made == 2);
  CHECK(other.missing({5, 0, 3}) == 0); // stand_ins
}

TEST_CASE("a worker is too many when a stuck worker goes on, and none is when "
          "a stuck worker ends") {
  auto pool = staffed(2, {9, 9, often});
  CHECK(at(pool, {3, 0, 1}).made == 0);
  CHECK(pool.stand_ins() == 1);
  SUBCASE("goes on") {
    CHECK(at(pool, {3, 0, 0}).retired == 1);
    CHECK(pool.stand_ins() == 0);
  }
  SUBCASE("ends") {
    pool.crashed({2, 0, 0}, instant{});
    CHECK(!pool.is_pending());
    CHECK(!pool.compare({2, 0, 0}));
  }
}

TEST_CASE("a stand-in that could not be made is made again when a stuck worker "
          "has gone on and a worker is stuck again") {
  auto pool = staffed(2, {9, 9, {}});
  CHECK(at(pool, {2, 0, 1}).made == 1);
  pool.crashed({2, 0, 1}, instant{}); // the factory has failed
  CHECK(!pool.compare({2, 0, 1}));
  CHECK(at(pool, {2, 0, 2}).made == 1); // for the other one
  CHECK(!pool.compare({3, 0, 2}));
  CHECK(at(pool, {3, 0, 0}).retired == 1);
  CHECK(at(pool, {2, 0, 1}).made == 1);
  CHECK(pool.wanted() == 2);
}

TEST_CASE("a worker that ends and is not replaced leaves the pool to its "
          "stand-in, or else one worker fewer is wanted") {
  auto pool = staffed(2, {9, 9, {}});
  pool.ended({2, 0, 1});
  CHECK(pool.wanted() == 2);
  CHECK(!pool.compare({2, 0, 1}));
  CHECK(!pool.compare({2, 0, 0})); // the stuck worker serves again
  pool.crashed({1, 0, 0}, instant{});
  CHECK(pool.wanted() == 1);
  CHECK(!pool.compare({1, 0, 0}));
}

// -- orders of users ----------------------------------------------------------

TEST_CASE("a pool is resized to the wanted number of workers besides its "
          "stand-ins") {
  auto pool = staffed(3, {4, 9, {}});
  pool.resized(1);
  CHECK(pool.surplus({4, 0, 1}) == 2);
  CHECK(pool.surplus({3, 0, 0}) == 2); // if the stuck one is taken out
  pool.resized(4);
  CHECK(pool.missing({3, 0, 1}) == 1);
  pool.resized(100);
  CHECK(pool.wanted() == 4);
}

TEST_CASE("one worker more is wanted for each that a user adds, and one fewer "
          "for each that a user removes, but one as long as a worker serves") {
  auto pool = staffed(1, {2, 9, {}});
  pool.added();
  pool.added();
  CHECK(pool.wanted() == 2); // most_workers
  pool.removed({1, 0, 0});
  CHECK(pool.wanted() == 1);
  pool.removed({1, 0, 1}); // of a stuck one and its stand-in
  CHECK(pool.wanted() == 1);
  CHECK(!pool.compare({1, 0, 1}));
  CHECK(!pool.compare({1, 0, 0}));
  pool.removed({0, 0, 0});
  CHECK(pool.wanted() == 0);
  CHECK(!pool.compare({0, 0, 0}));
}

// -- replacements -------------------------------------------------------------

TEST_CASE("a crashed worker is replaced after a pause, and is not missing "
          "until then") {
  auto pool = staffed(3, {9, 0, {2, 1h, 10ms, 1s}});
  CHECK(pool.next() == libpool::never);
  pool.crashed({2, 0, 0}, instant{0ms});
  pool.crashed({1, 0, 0}, instant{0ms});
  pool.crashed({0, 0, 0}, instant{0ms}); // one too often
  CHECK(pool.wanted() == 2);
  CHECK(pool.next() == instant{10ms});
  CHECK(at(pool, {0, 0, 0}, instant{9ms}).made == 0);
  auto due = at(pool, {0, 0, 0}, instant{10ms});
  CHECK(due.made == 1);
  CHECK(due.replacements == 1);
  CHECK(pool.next() == instant{20ms});
  CHECK(at(pool, {1, 0, 0}, instant{1h}).replacements == 1);
  CHECK(!pool.compare({2, 0, 0}));
}

TEST_CASE("workers that are made at once are no replacements") {
  auto pool = staffed(2, {9, 9, often});
  pool.crashed({1, 0, 0}, instant{0ms});
  auto change = at(pool, {1, 0, 1}, instant{1h});
  CHECK(change.made == 2);
  CHECK(change.replacements == 1);
}

TEST_CASE("a replacement is dropped when it is not needed any more, the latest "
          "first") {
  auto pool = staffed(2, {9, 0, {9, 1h, 10ms, 1s}});
  pool.crashed({1, 0, 0}, instant{0ms});
  pool.crashed({0, 0, 0}, instant{0ms});
  pool.resized(1);
  CHECK(at(pool, {0, 0, 0}).made == 0);
  CHECK(pool.next() == instant{10ms});
  pool.added();
  pool.resized(1);
  CHECK(at(pool, {1, 0, 0}).retired == 0);
  CHECK(!pool.is_pending());
}

TEST_CASE("a worker whose end is not reported yet is neither missing nor too "
          "many") {
  auto pool = staffed(2, {9, 9, often});
  CHECK(!pool.compare({1, 1, 0}));
  CHECK(!pool.compare({2, 1, 0}));
}

TEST_CASE("a pool without a factory makes no workers and no stand-ins") {
  staffing pool{{9, 9, often}};
  pool.added();
  pool.added();
  CHECK(!pool.compare({2, 0, 2}));
  pool.crashed({1, 0, 1}, instant{});
  CHECK(!pool.is_pending());
  CHECK(pool.wanted() == 1);
  CHECK(!pool.compare({1, 0, 0}));
}

// -- laws ---------------------------------------------------------------------

namespace {

/// A pool whose workers get stuck, crash, end and are taken out, and that does
/// what its staffing decides.
class staffed_pool {
public:
  staffed_pool(std::uint64_t seed, const staffing_limits& within)
    : draw_(seed), within_(within), staffing_(within) {
    staffing_.begin();
    for (auto n = 1 + below(within.most_workers); n > 0; --n)
      put();
  }

  void something_happens() {
    switch (below(12)) {
      case 0:
        resize();
        break;
      case 1:
        if (workers_.size() < within_.most_workers)
          put();
        break;
      case 2:
        remove();
        break;
      case 3:
        end(true);
        break;
      case 4:
        end(false);
        break;
      case 5:
        if (auto* any = some())
          any->is_stuck = any->is_busy = true;
        break;
      case 6:
      case 7:
        if (auto* any = some())
          any->is_stuck = any->is_busy = false;
        break;
      case 8:
        if (auto* any = some())
          any->is_busy = any->is_stuck || below(2) == 0;
        break;
      case 9:
        fails_ = !fails_;
        break;
      case 10:
        if (take_one()) // its end is reported later
          ++unreported_;
        break;
      default:
        report();
        time_ += 5ms;
    }
    keep_staffed();
    check();
  }

  /// All handlers end, the factory works, and all pauses are over.
  void come_to_rest() {
    while (unreported_ > 0)
      report();
    fails_ = false;
    for (auto& each : workers_)
      each.is_stuck = each.is_busy = false;
    keep_staffed();
    for (auto i = 0; i < 100; ++i) {
      time_ += 10ms;
      keep_staffed();
    }
  }

  std::size_t serving() const {
    return workers_.size();
  }

  const staffing& decider() const {
    return staffing_;
  }

  /// What users want, if no worker ended without a replacement.
  std::optional<std::size_t> wanted() const {
    return has_lost_workers_ ? std::nullopt : std::optional{wanted_};
  }

private:
  struct worker {
    bool is_stuck = false;
    bool is_busy = false;
  };

  std::size_t below(std::size_t n) {
    return draw_() % n;
  }

  worker* some() {
    return workers_.empty() ? nullptr : &workers_[below(workers_.size())];
  }

  bool take_one() {
    if (workers_.empty())
      return false;
    auto which = below(workers_.size());
    workers_.erase(workers_.begin() + static_cast<std::ptrdiff_t>(which));
    return true;
  }

  headcount there() const {
    auto stuck = std::count_if(workers_.begin(), workers_.end(),
                               [](auto& each) { return each.is_stuck; });
    return {workers_.size(), unreported_, static_cast<std::size_t>(stuck)};
  }

  void put() {
    workers_.emplace_back();
    staffing_.added();
    wanted_ = std::min(wanted_ + 1, within_.most_workers);
  }

  void remove() {
    if (!take_one())
      return;
    staffing_.removed(there());
    if (wanted_ > 1 || workers_.empty())
      wanted_ -= std::min<std::size_t>(wanted_, 1);
  }

  void resize() {
    wanted_ = 1 + below(within_.most_workers);
    staffing_.resized(wanted_);
    while (staffing_.surplus(there()) > 0)
      take_one();
    has_lost_workers_ = false;
  }

  void end(bool crashes) {
    if (!take_one())
      return;
    if (crashes)
      return crashed();
    staffing_.ended(there());
    has_lost_workers_ = true;
  }

  void crashed() {
    staffing_.crashed(there(), time_);
    has_lost_workers_ = has_lost_workers_ || within_.restart.max < often.max;
  }

  void report() {
    if (unreported_ == 0)
      return;
    --unreported_;
    crashed();
  }

  /// Carries out decisions until there are none left. A decision to make
  /// workers never follows one to retire workers, or the reverse.
  void keep_staffed() {
    auto has_made = false;
    auto has_retired = false;
    if (staffing_.is_settled(there())) {
      auto copy = staffing_;
      CHECK(!copy.compare(there()));
    }
    for (auto i = 0; staffing_.compare(there()); ++i) {
      REQUIRE(i < 100);
      auto change = staffing_.decide(there(), time_);
      CHECK((change.made == 0 || change.retired == 0));
      CHECK(change.replacements <= change.made);
      for (auto n = change.made; n > 0; --n) {
        has_made = true;
        if (fails_)
          crashed();
        else
          workers_.emplace_back();
        CHECK(workers_.size() <= within_.most_workers);
      }
      auto has_changed = change.made > 0;
      for (auto n = change.retired; n > 0; --n)
        if (retire_idle())
          has_changed = has_retired = true;
      if (!has_changed)
        break; // pending, or all are busy
    }
    CHECK(!(has_made && has_retired));
  }

  bool retire_idle() {
    auto i = std::find_if(workers_.begin(), workers_.end(),
                          [](auto& each) { return !each.is_busy; });
    if (i == workers_.end())
      return false;
    workers_.erase(i);
    CHECK(!workers_.empty()); // the last one is never retired
    return true;
  }

  void check() const {
    auto now = there();
    CHECK(now.serving <= within_.most_workers);
    CHECK(staffing_.missing(now) == 0);
    CHECK(staffing_.wanted() <= within_.most_workers);
    CHECK(staffing_.stand_ins() <= std::min(now.stuck, within_.stand_ins));
    if (auto all = wanted())
      CHECK(staffing_.wanted() == *all);
  }

  std::mt19937_64 draw_;
  const staffing_limits within_;
  staffing staffing_;
  std::vector<worker> workers_;
  std::size_t unreported_ = 0;
  std::size_t wanted_ = 0;
  bool has_lost_workers_ = false;
  bool fails_ = false;
  instant time_{};
};

staffing_limits drawn_limits() {
  staffing_limits result;
  result.most_workers = *rc::gen::inRange<std::size_t>(1, 7);
  result.stand_ins = *rc::gen::inRange<std::size_t>(0, 4);
  result.restart = often;
  result.restart.max = *rc::gen::element<std::size_t>(0, 1, 3, often.max);
  return result;
}

} // namespace

TEST_CASE("a pool has never more than most_workers, makes and retires no "
          "workers in turn, and has as many as are wanted when it comes to "
          "rest") {
  CHECK(rc::check([] {
    auto within = drawn_limits();
    staffed_pool pool{*rc::gen::arbitrary<std::uint64_t>(), within};
    for (auto n = *rc::gen::inRange(0, 200); n > 0; --n)
      pool.something_happens();
    pool.come_to_rest();
    CHECK(pool.serving() == pool.decider().wanted());
    CHECK(pool.decider().stand_ins() == 0);
    if (auto wanted = pool.wanted())
      CHECK(pool.serving() == *wanted);
  }));
}
