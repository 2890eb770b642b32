/// How fair mode exact is, by the bounds in its header. Tags are read from the
/// plain model, which makes the same choices; that is checked all along.

#include "libpool/core/splitmix64.hpp"
#include "support/fair_run.hpp"
#include "support/fair_world.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

using libpool::duration;
using libpool::splitmix64;
using test::fair_run;
using test::plain_queue;

namespace {

/// The draws for a run.
struct load {
  std::uint64_t seed = 0;
  std::int64_t guess = 10;
  std::int64_t longest = 10; // service
  std::uint64_t seats = 1;
  std::size_t widest = 1;
  std::size_t flows = 2;
  std::size_t backlog = 3;       // of a flow, at most
  std::uint64_t for_nothing = 1; // of 10 tasks, beside others
  std::vector<double> shares;    // of the first flows
};

load any_load(bool with_shares) {
  load result;
  result.seed = *rc::gen::arbitrary<std::uint64_t>();
  result.guess = *rc::gen::element<std::int64_t>(10, 100);
  result.longest = *rc::gen::element<std::int64_t>(0, 10, 20, 40, 300);
  result.seats = *rc::gen::inRange<std::uint64_t>(1, 9);
  result.widest = *rc::gen::inRange<std::size_t>(1, result.seats + 1);
  result.flows = *rc::gen::inRange<std::size_t>(2, 6);
  result.backlog = *rc::gen::inRange<std::size_t>(1, 4);
  result.for_nothing = *rc::gen::element<std::uint64_t>(0, 3, 9);
  if (with_shares)
    result.shares = *rc::gen::container<std::vector<double>>(
      result.flows, rc::gen::element(0.5, 1.0, 2.0, 5.0));
  return result;
}

std::string name_of(std::size_t flow) {
  return "flow " + std::to_string(flow);
}

libpool::fair_queuing_options options_of(const load& how) {
  auto result = test::guessing(duration{how.guess});
  result.debt_memory = duration{20 * how.longest};
  for (std::size_t i = 0; i < how.shares.size(); ++i)
    result.shares[name_of(i)] = how.shares[i];
  return result;
}

/// A pool at work: tasks end when their time comes, and flows come and go, or
/// stay.
class busy_pool {
public:
  explicit busy_pool(const load& how)
    : how_(how), draws_(how.seed), run_(options_of(how), how.seats) {
    for (std::size_t i = 0; i < how.flows; ++i)
      flows_.push_back({name_of(i), draws_.below(3) > 0, draws_.below(3), 0});
  }

  /// One more fact, and then perhaps some that the same moment brings.
  template <class Watch>
  void go_on(Watch watch) {
    for (auto& each : flows_)
      if (wants(each)) {
        run_.submit(each.name, width_for(each));
        watch();
      }
    while (auto* task = run_.send_next()) {
      ends_[task] = run_.now + service();
      watch();
    }
    auto next = std::min_element(
      run_.running.begin(), run_.running.end(),
      [this](auto* x, auto* y) { return ends_[x] < ends_[y]; });
    if (next == run_.running.end()) {
      run_.now += duration{how_.guess};
      return;
    }
    run_.now = ends_[*next];
    served_[(*next)->flow.name()] += work_of(**next);
    run_.end(static_cast<std::size_t>(next - run_.running.begin()),
             run_.now - (*next)->started);
    watch();
  }

  const fair_run& run() const {
    return run_;
  }

  /// Seats times time, running tasks included, over the share.
  double served(const plain_queue& queue) const {
    auto result = static_cast<double>(
      served_.count(queue.name) > 0 ? served_.at(queue.name) : 0);
    for (const auto* task : run_.running)
      if (task->flow.name() == queue.name)
        result += static_cast<double>(work_of(*task));
    return result / queue.share;
  }

private:
  struct flow {
    std::string name;
    bool stays;
    std::uint64_t kind; // its tasks: narrow, as wide as may be, or both
    std::size_t burst;
  };

  std::int64_t work_of(const libpool::task& task) const {
    return static_cast<std::int64_t>(task.seats)
           * (run_.now - task.started).count();
  }

  /// Some always have something waiting, others come in bursts.
  bool wants(flow& source) {
    if (!source.stays && source.burst == 0)
      source.burst = draws_.below(20) == 0 ? 1 + draws_.below(20) : 0;
    if (!source.stays && source.burst == 0)
      return false;
    auto mine = std::count_if(
      run_.waiting.begin(), run_.waiting.end(),
      [&](const auto* task) { return task->flow.name() == source.name; });
    if (static_cast<std::size_t>(mine) >= how_.backlog)
      return false;
    source.burst -= source.stays ? 0 : 1;
    return true;
  }

  std::size_t width_for(const flow& source) {
    if (source.kind < 2)
      return source.kind == 0 ? 1 : how_.widest;
    return 1 + draws_.below(how_.widest);
  }

  /// The extremes more often than the values between; all so that every share
  /// divides it.
  duration service() {
    if (draws_.below(10) < how_.for_nothing)
      return duration{0};
    if (draws_.below(2) == 0)
      return duration{how_.longest};
    return 10
           * duration{
             draws_.below(static_cast<std::uint64_t>(how_.longest) / 10 + 1)};
  }

  const load how_;
  splitmix64 draws_;
  fair_run run_;
  std::vector<flow> flows_;
  std::map<const libpool::task*, libpool::instant> ends_;
  std::map<std::string, std::int64_t> served_;
};

/// Looks at all pairs of flows in which something waits.
class witness {
public:
  witness(const load& how, const busy_pool& pool) : how_(how), pool_(pool) {
    // nop
  }

  /// After each fact.
  void look() {
    const auto& run = pool_.run();
    RC_ASSERT(run.agree());
    for (const auto& f : run.model().queues())
      for (const auto& g : run.model().queues())
        if (&f != &g)
          look_at(f, g);
  }

private:
  struct stretch {
    std::uint64_t since = 0;
    double least = 0; // of the service of f beyond g
    double most = 0;
  };

  /// How far f may be ahead of g once it has had a turn.
  double turn_bound(const plain_queue& f, const plain_queue& g) const {
    auto beyond =
      static_cast<double>(std::max<std::int64_t>(how_.longest - how_.guess, 0));
    return widest() * guess() / g.share
           + seats() * std::max(beyond / f.share, guess() / g.share);
  }

  /// How far before, with the smallest share of all.
  double first_bound() const {
    auto smallest = 1.0;
    for (const auto& each : pool_.run().model().queues())
      smallest = std::min(smallest, each.share);
    auto longest = static_cast<double>(std::max(how_.longest, how_.guess));
    auto widths = how_.shares.empty() ? 2 * widest() - 1 : 2 * widest();
    return (widths * guess() + seats() * longest) / smallest;
  }

  void look_at(const plain_queue& f, const plain_queue& g) {
    if (f.waits_since == 0 || g.waits_since == 0)
      return;
    auto since = std::max(f.waits_since, g.waits_since);
    if (f.raised_at > since || g.raised_at > since)
      return;
    auto ahead = static_cast<double>(f.next - g.next);
    RC_ASSERT(ahead <= first_bound());
    auto f_had = f.turn_at > since;
    if (f_had || (f.came_free && g.came_free && how_.shares.empty()))
      RC_ASSERT(ahead <= turn_bound(f, g));
    if (f_had && g.turn_at > since)
      look_at_services(f, g, since);
  }

  void look_at_services(const plain_queue& f, const plain_queue& g,
                        std::uint64_t since) {
    auto beyond = pool_.served(f) - pool_.served(g);
    auto& so_far = stretches_[{&f, &g}];
    if (so_far.since != since)
      so_far = {since, beyond, beyond};
    so_far.least = std::min(so_far.least, beyond);
    so_far.most = std::max(so_far.most, beyond);
    RC_ASSERT(so_far.most - so_far.least
              <= turn_bound(f, g) + turn_bound(g, f));
  }

  double guess() const {
    return static_cast<double>(how_.guess);
  }

  double seats() const {
    return static_cast<double>(how_.seats);
  }

  double widest() const {
    return static_cast<double>(how_.widest);
  }

  const load how_;
  const busy_pool& pool_;
  std::map<std::pair<const plain_queue*, const plain_queue*>, stretch>
    stretches_;
};

constexpr auto rounds = 400;

void check_bounds(const load& how) {
  busy_pool pool{how};
  witness all{how, pool};
  for (auto i = 0; i < rounds; ++i)
    pool.go_on([&] { all.look(); });
}

} // namespace

// Why these bounds hold. Let s(f) be the share of f; charges are divided by it.
//
// - When f gets a turn its head would end no later than that of g, so it is
//   ahead of g by at most W G / s(g) after it. Until its next turn f moves
//   ahead by at most (S - G) / s(f) for each seat that it has then. g falls
//   back by at most G / s(g) for each seat that it has then; a task that is
//   sent later costs no less than nothing. Both have C seats together.
// - In these bounds a seat of f counts S - G or less, one of g counts G or
//   less, whether its task has ended or runs. So what the two have really been
//   served by then is as near: over any stretch in which both had a turn
//   before, it differs by both bounds together at most.
// - Before its first turn f is ahead of V by at most W G / s(f) and S - G for
//   each seat, by its last turn. V is ahead of g by at most
//   W G / s(g) - G / s(h), as h got the last turn before g, and G for each
//   seat; with equal shares that is (W - 1) G. f and g may have had these seats
//   one after the other, so there is S for each of them.
TEST_CASE("flows with waiting tasks stay near each other in tags and in "
          "service in mode exact") {
  CHECK(rc::check("flows with equal shares stay near each other",
                  [] { check_bounds(any_load(false)); }));
}

TEST_CASE("flows with shares stay near each other in tags and in service in "
          "mode exact") {
  CHECK(rc::check("flows with shares stay near each other",
                  [] { check_bounds(any_load(true)); }));
}
