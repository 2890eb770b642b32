/// How near the time that workers get comes to their shares by weight.

#include "libpool/core/splitmix64.hpp"
#include "libpool/policies/catalogue.hpp"
#include "libpool/policies/estimate_options.hpp"
#include "libpool/policies/estimating_placement.hpp"
#include "support/policy_world.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
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

constexpr auto tasks = 100000;
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
      for (auto i = 0; i < tasks; ++i) {
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
      for (auto i = 0; i < tasks; ++i) {
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
