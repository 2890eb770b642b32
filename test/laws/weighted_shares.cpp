/// How near the time that workers get comes to their shares by weight, and how
/// often workers have their turns while others join and leave.

#include "libpool/core/splitmix64.hpp"
#include "libpool/policies/catalogue.hpp"
#include "libpool/policies/placement/estimate_options.hpp"
#include "libpool/policies/placement/estimating_placement.hpp"
#include "support/policy_world.hpp"
#include "support/soak.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

using libpool::duration;
using libpool::splitmix64;
using test::policy_world;

namespace {

/// The time that a worker has had, and the most that was in flight on it at a
/// time.
struct share {
  double weight = 0;
  double executed = 0;
  /// The charges of its tasks in flight, and the costs that they will have had.
  double charged = 0;
  double pending = 0;
  double most_charged = 0;
  double most_pending = 0;
};

/// A fixed number of tasks in flight: as soon as one ends, the next one comes.
class closed_loop {
public:
  closed_loop(std::string_view placement, std::uint64_t seed,
              std::size_t in_flight, std::size_t shortest_weight,
              std::size_t longest_weight)
    : draws_(seed),
      world_(libpool::placement_named(placement).make(options())),
      in_flight_(in_flight) {
    auto workers = 2 + draws_.below(7);
    for (std::size_t i = 0; i < workers; ++i) {
      auto weight = shortest_weight
                    + draws_.below(longest_weight - shortest_weight + 1);
      world_.join(1000, duration{weight});
      shares_.emplace_back().weight = static_cast<double>(weight);
    }
  }

  /// One more task is submitted; first one ends, if enough are in flight.
  void go_on() {
    if (world_.books().open() == in_flight_)
      end_next();
    costs_.push_back(1 + draws_.below(draws_.below(4) == 0 ? 400 : 40));
    auto& its = shares_[world_.submit()];
    its.charged += charge_of(world_.tasks.back());
    its.pending += static_cast<double>(costs_.back());
    its.most_charged = std::max(its.most_charged, its.charged);
    its.most_pending = std::max(its.most_pending, its.pending);
  }

  const std::vector<share>& shares() const {
    return shares_;
  }

private:
  static libpool::estimate_options options() {
    libpool::estimate_options result;
    result.initial_estimate = duration{50};
    result.probe_every = 0;
    return result;
  }

  static double charge_of(const libpool::task& task) {
    auto charge = libpool::estimating_placement::charge_of(task);
    return static_cast<double>(charge.value_or(duration{0}).count());
  }

  void end_next() {
    auto at = libpool::never;
    std::size_t worker = 0;
    for (std::size_t i = 0; i < shares_.size(); ++i) {
      const auto& mailbox = world_.workers[i].mailbox;
      if (mailbox.empty())
        continue;
      auto end = mailbox.front().started + cost_of(mailbox.front());
      if (end < at) {
        at = end;
        worker = i;
      }
    }
    const auto& task = world_.workers[worker].mailbox.front();
    auto cost = static_cast<double>(cost_of(task).count());
    shares_[worker].charged -= charge_of(task);
    shares_[worker].pending -= cost;
    shares_[worker].executed += cost;
    world_.pass(at - world_.now);
    world_.finish(task.number - 1);
  }

  duration cost_of(const libpool::task& task) const {
    return duration{static_cast<std::int64_t>(costs_[task.number - 1])};
  }

  splitmix64 draws_;
  policy_world world_;
  std::size_t in_flight_;
  std::vector<share> shares_;
  std::vector<std::size_t> costs_;
};

/// How much further than it may a worker is from its share, at most.
double excess(const std::vector<share>& all) {
  share sum;
  for (const auto& each : all) {
    sum.weight += each.weight;
    sum.executed += each.executed;
    sum.most_charged += each.most_charged;
    sum.most_pending += each.most_pending;
  }
  auto result = -sum.executed;
  for (const auto& each : all) {
    auto part = each.weight / sum.weight;
    auto more = each.executed - part * sum.executed;
    auto visit = each.weight * (1 - part);
    auto most = visit + (1 - part) * each.most_pending
                + part * (sum.most_charged - each.most_charged);
    auto least = visit + (1 - part) * each.most_charged
                 + part * (sum.most_pending - each.most_pending);
    result = std::max({result, more - most, -more - least});
  }
  return result;
}

const std::size_t tasks = test::soaks()       ? 100'000
                          : test::sanitized() ? 2'000
                                              : 20'000;
constexpr auto rounding = 1e-3; // of sums of up to 10^7 ns, in nanoseconds

} // namespace

// Why a worker i of weight w(i), a part s(i) of all weights, is near its share.
//
// Let e be the time that its ended tasks have taken, C the charges of its tasks
// in flight, P the times that these will take, C* and P* the most of either
// that there has been, and v the number of its visits. Its credit is v·w - e -
// C; so with X = v·w - e the credit is X - C.
//
// - It is chosen while its credit is positive, so X > C >= 0 then; after that X
//   falls by no more than the tasks in flight, the new one included: X >= -P*.
// - The cursor leaves it when its credit is not positive, so X <= C <= C*, and
// X
//   does not grow until the next visit; while the cursor is there, X <= w + C*.
// - Visits are in turn: v(i) differs by one at most. (Laps that are skipped are
//   visits of all.)
//
// With E the sum of all e, e(i) - s(i)·E is w(i)·(v(i) - sum s(j)·v(j)) -
// (1 - s(i))·X(i) + sum over the others of s(i)·X(j). The first term is within
// w(i)·(1 - s(i)); where the cursor is at j and X(j) has its w(j) more, v(j) is
// the larger one as well, which takes off as much. So
//
//   e(i) - s(i)·E <= w(i)·(1 - s(i)) + (1 - s(i))·P*(i) + s(i)·(sum of C*(j))
//   s(i)·E - e(i) <= w(i)·(1 - s(i)) + (1 - s(i))·C*(i) + s(i)·(sum of P*(j))
//
// With several light workers and a heavy one, s(i) times the sum of P*(j) is
// more than one task: each of the light ones may have overdrawn by one.
TEST_CASE("with weighted_round_robin, the service time of a worker differs "
          "from its share by at most one turn plus tasks in flight") {
  for (std::size_t in_flight : {1U, 5U, 40U})
    for (std::uint64_t seed : {1U, 2U}) {
      CAPTURE(in_flight);
      CAPTURE(seed);
      closed_loop loop{"weighted_round_robin", seed, in_flight, 1, 1000};
      auto worst = -1.0;
      for (std::size_t i = 0; i < tasks; ++i) {
        loop.go_on();
        if (i % 10 == 0)
          worst = std::max(worst, excess(loop.shares()));
      }
      CHECK(worst <= rounding);
    }
}

// The same, with X = c·w - e after c cycles, and c the same for all: the used
// budget is C - X.
//
// - It is chosen while less than w is used, so C - X < w then, and X > -w;
// after
//   that X falls by the tasks in flight, at most: X >= -w - P*.
// - When a cycle ends all of w was used when the cursor passed for the last
//   time, so X <= C - w <= C* - w then, and C* after it has ended. That is so
//   unless less than nothing is used then, which is cut off: where all that is
//   in flight is charged w at most that cannot be.
//
// The sum of s(i)·w(j) over the others is w(i)·(1 - s(i)), so the bounds are
// the same.
TEST_CASE("with interleaved_weighted_round_robin, the service time of a worker "
          "differs from its share by at most its weight plus tasks in flight") {
  struct load {
    std::size_t in_flight;
    std::size_t shortest_weight;
    std::size_t longest_weight;
  };
  for (auto how : {load{1, 1, 1000}, load{1, 1, 4}, load{5, 2000, 5000}})
    for (std::uint64_t seed : {1U, 2U}) {
      CAPTURE(how.in_flight);
      CAPTURE(how.longest_weight);
      CAPTURE(seed);
      closed_loop loop{"interleaved_weighted_round_robin", seed, how.in_flight,
                       how.shortest_weight, how.longest_weight};
      auto worst = -1.0;
      for (std::size_t i = 0; i < tasks; ++i) {
        loop.go_on();
        if (i % 10 == 0)
          worst = std::max(worst, excess(loop.shares()));
      }
      CHECK(worst <= rounding);
      if (how.in_flight > 1)
        for (const auto& each : loop.shares())
          CHECK(each.most_charged <= each.weight);
    }
}

// Weights of 1, 1 and 3, tasks of 16: the first two go to the light workers,
// and the heavy one has nothing of its 32·3/5 = 19.2, which is more than the
// largest weight and the largest task, 19, make together.
TEST_CASE("a worker with a large weight may get less than its share by more "
          "than the time of one turn and one task") {
  for (const auto* name :
       {"weighted_round_robin", "interleaved_weighted_round_robin"}) {
    libpool::estimate_options options;
    options.initial_estimate = duration{16};
    policy_world w{libpool::placement_named(name).make(options)};
    w.join_weighing({1, 1, 3});
    CHECK(w.serve(duration{16}) == 0);
    CHECK(w.serve(duration{16}) == 1);
    CHECK(w.serve(duration{16}) == 2);
  }
}

// -- workers that come and go ------------------------------------------------

namespace {

/// Workers that join, leave and restart at any time while tasks of one
/// nanosecond run, one at a time. Costs are known, so that a turn ends exactly
/// when the time of its worker is used up.
class changing_pool {
public:
  changing_pool(const char* placement, std::uint64_t seed,
                const std::vector<std::size_t>& weights)
    : draws_(seed),
      weights_(weights),
      world_(libpool::placement_named(placement).make(options())) {
    // nop
  }

  void join() {
    join(duration{weights_[draws_.below(weights_.size())]});
  }

  void leave() {
    if (serving_.size() < 2)
      return;
    auto worker = taken_out();
    if (draws_.below(2) == 0)
      world_.retire(worker);
    else
      world_.leave(worker);
  }

  void restart() {
    auto old = taken_out();
    world_.leave(old);
    join(world_.workers[old].weight);
  }

  void replace_newest() {
    world_.retire(serving_.back());
    serving_.pop_back();
    join();
  }

  /// Serves a task; returns its worker.
  std::size_t serve() {
    return world_.serve(duration{1});
  }

  /// Joins, leaves, restarts or, mostly, serves a task. Returns its worker, if
  /// any.
  std::optional<std::size_t> does_something() {
    switch (draws_.below(16)) {
      case 0:
        if (serving_.size() < 9)
          join();
        return std::nullopt;
      case 1:
        leave();
        return std::nullopt;
      case 2:
        restart();
        return std::nullopt;
      default:
        return serve();
    }
  }

  const std::vector<std::size_t>& serving() const {
    return serving_;
  }

  duration weight_of(std::size_t worker) const {
    return world_.workers[worker].weight;
  }

  splitmix64& draws() {
    return draws_;
  }

private:
  static libpool::estimate_options options() {
    libpool::estimate_options result;
    result.initial_estimate = duration{1};
    result.probe_every = 0;
    return result;
  }

  void join(duration weight) {
    world_.join(8, weight);
    serving_.push_back(world_.workers.size() - 1);
  }

  /// Takes a worker out of the list, and returns it.
  std::size_t taken_out() {
    auto& drawn = serving_[draws_.below(serving_.size())];
    auto result = drawn;
    drawn = serving_.back();
    serving_.pop_back();
    return result;
  }

  splitmix64 draws_;
  std::vector<std::size_t> weights_;
  policy_world world_;
  std::vector<std::size_t> serving_;
};

/// Which turns workers have had.
class turn_record {
public:
  /// Only workers of this weight may expect turns between those of others; 0:
  /// all workers.
  explicit turn_record(duration weight) : weight_(weight) {
    // nop
  }

  /// Records that the workers serve.
  void serve(const std::vector<std::size_t>& workers,
             const changing_pool& pool) {
    for (auto worker : workers)
      if (known_.insert(worker).second)
        for (auto other : workers)
          if (other != worker && other != last_ && expects(other, pool))
            go_first_[worker].insert(other);
    for (auto& [worker, others] : go_first_)
      for (auto i = others.begin(); i != others.end();)
        i = std::count(workers.begin(), workers.end(), *i) == 0
              ? others.erase(i)
              : std::next(i);
  }

  /// Records a choice of the worker.
  void choose(std::size_t worker, const changing_pool& pool) {
    if (worker == last_)
      return;
    last_ = worker;
    for (auto& [other, others] : go_first_)
      others.erase(worker);
    went_too_early_ += go_first_[worker].size();
    go_first_.erase(worker);
    if (auto own = since_.find(worker); own != since_.end())
      for (auto [other, turns] : own->second)
        most_between_ = std::max(most_between_, turns);
    for (auto& [other, turns] : since_)
      ++turns[worker];
    if (expects(worker, pool))
      since_[worker].clear();
  }

  /// How often a worker has had its first turn before a worker that had been
  /// there when it joined.
  std::size_t went_too_early() const {
    return went_too_early_;
  }

  /// How often, at most, a worker has had a turn between two turns of another
  /// worker.
  std::size_t most_between() const {
    return most_between_;
  }

private:
  bool expects(std::size_t worker, const changing_pool& pool) const {
    return weight_.count() == 0 || pool.weight_of(worker) == weight_;
  }

  duration weight_;
  std::optional<std::size_t> last_;
  std::set<std::size_t> known_;
  /// By worker without a turn so far: those that have to have one before.
  std::map<std::size_t, std::set<std::size_t>> go_first_;
  /// By worker: the turns of others since its last turn.
  std::map<std::size_t, std::map<std::size_t, std::size_t>> since_;
  std::size_t went_too_early_ = 0;
  std::size_t most_between_ = 0;
};

void check_turns(const char* placement, duration weight) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    changing_pool pool{placement, seed, {1, 2, 3, 7}};
    pool.join();
    turn_record turns{weight};
    for (auto i = 0; i < 1000; ++i) {
      turns.serve(pool.serving(), pool);
      if (auto worker = pool.does_something())
        turns.choose(*worker, pool);
    }
    CHECK(turns.went_too_early() == 0);
    CHECK(turns.most_between() <= 1);
  }
}

} // namespace

TEST_CASE("with weighted_round_robin, a worker that joins has its first turn "
          "after all others, and each worker has at most one turn between two "
          "turns of another one") {
  check_turns("weighted_round_robin", duration{0});
}

// A worker with the largest weight has a turn in each round. A lighter one has
// fewer turns than others.
TEST_CASE("with interleaved_weighted_round_robin, a worker that joins has its "
          "first turn after all workers with the largest weight, and each "
          "worker has at most one turn between two turns of such a worker") {
  check_turns("interleaved_weighted_round_robin", duration{7});
}

// Four workers at any time, with weights of w = 10. At the end of a turn of a
// worker there are three others. The next turn of the worker comes after at
// most one turn of each of these, and after no turn of any worker that joins
// meanwhile. A turn takes w, or less if its worker leaves. So after v turns of
// the worker, the others have had at most 3·w·v, and within a lap at most 3·w
// more:
//
//   all <= own + 3·own + 3·w + w,   own >= all / 4 - w.
TEST_CASE("a worker that stays gets its share of the time while another one is "
          "replaced again and again") {
  for (const auto* name :
       {"weighted_round_robin", "interleaved_weighted_round_robin"})
    for (std::uint64_t seed = 1; seed <= (test::sanitized() ? 2 : 20); ++seed) {
      CAPTURE(name);
      CAPTURE(seed);
      changing_pool pool{name, seed, {10}};
      for (auto i = 0; i < 4; ++i)
        pool.join();
      std::map<std::size_t, std::size_t> served;
      std::size_t all = 0;
      for (auto replaced = 0; replaced < 1000; ++replaced) {
        for (auto left = 1 + pool.draws().below(15); left > 0; --left, ++all)
          ++served[pool.serve()];
        pool.replace_newest();
      }
      for (std::size_t stays : {0U, 1U, 2U})
        CHECK(4 * (served[stays] + 10) >= all);
    }
}
