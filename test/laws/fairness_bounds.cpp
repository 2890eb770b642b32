/// How fair mode exact is, by the bounds in its header. Tags are read from the
/// plain model, which makes the same choices; that is checked all along.

#include "libpool/core/splitmix64.hpp"
#include "support/fair_model.hpp"
#include "support/policy_world.hpp"
#include "support/watched_order.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using libpool::duration;
using libpool::splitmix64;
using test::fair_model;
using test::plain_queue;
using test::watched_order;

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
  /// Whether tasks are cancelled, interrupted, come back, or are held.
  bool is_disturbed = false;
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
/// stay. The order is watched beside its model.
class busy_pool {
public:
  explicit busy_pool(const load& how) : how_(how), draws_(how.seed) {
    for (std::size_t i = 0; i < how.flows; ++i)
      flows_.push_back({name_of(i), draws_.below(3) > 0, draws_.below(3), 0});
    world_.seat(how.seats);
    if (how.is_disturbed)
      world_.seat(); // another worker, which pauses
    world_.only_on({1});
  }

  /// One more moment at which something happens.
  void go_on() {
    if (how_.is_disturbed)
      disturb();
    for (auto& flow : flows_)
      if (wants(flow))
        submit(flow);
    note_sent();
    auto next =
      std::min_element(running_.begin(), running_.end(),
                       [this](auto x, auto y) { return ends_[x] < ends_[y]; });
    if (next == running_.end()) {
      world_.now += duration{how_.guess};
      return;
    }
    auto task = *next;
    world_.now = std::max(world_.now, ends_[task]);
    served_[world_.tasks[task].flow.key().name()] += work_of(task);
    running_.erase(next);
    world_.finish(task);
    note_sent();
  }

  watched_order& order() const {
    return static_cast<watched_order&>(*world_.policies.order);
  }

  const fair_model& model() const {
    return static_cast<const fair_model&>(*order().model());
  }

  /// Whether order and model would send the same task next, and have done so.
  bool agree() {
    order().choose(world_.now);
    return order().complaint().empty();
  }

  /// Seats times time, of running tasks as well, over the share.
  double served(const plain_queue& queue) const {
    auto result = static_cast<double>(
      served_.count(queue.name) > 0 ? served_.at(queue.name) : 0);
    for (auto task : running_)
      if (world_.tasks[task].flow.key().name() == queue.name)
        result += static_cast<double>(work_of(task));
    return result / queue.share;
  }

private:
  struct client {
    std::string name; // of its flow
    bool stays;
    std::uint64_t kind; // its tasks: narrow, as wide as may be, or both
    std::size_t burst;
  };

  std::int64_t work_of(std::size_t task) const {
    if (world_.tasks[task].started == libpool::never)
      return 0; // it begins when it ends
    return static_cast<std::int64_t>(world_.tasks[task].attempt().seats)
           * (world_.now - world_.tasks[task].started).count();
  }

  /// Some always have tasks waiting, others come in bursts.
  bool wants(client& source) {
    if (!source.stays && source.burst == 0)
      source.burst = draws_.below(20) == 0 ? 1 + draws_.below(20) : 0;
    if (!source.stays && source.burst == 0)
      return false;
    if (waiting(source.name).size() >= how_.backlog)
      return false;
    source.burst -= source.stays ? 0 : 1;
    return true;
  }

  void submit(const client& from) {
    auto& task = world_.add(from.name, width_for(from));
    if (how_.is_disturbed && draws_.below(4) == 0)
      task.own_notes().where = &world_.restrictions[0];
    task.urgent = how_.is_disturbed && draws_.below(10) == 0;
    ends_.push_back(libpool::never);
    world_.submit(task);
    unsent_.push_back(world_.last());
  }

  std::size_t width_for(const client& source) {
    if (source.kind < 2)
      return source.kind == 0 ? 1 : how_.widest;
    return 1 + draws_.below(how_.widest);
  }

  /// Waiting tasks of the flow, or of all.
  std::vector<std::size_t> waiting(const std::string& flow = {}) const {
    std::vector<std::size_t> result;
    for (auto task : unsent_)
      if (world_.waits(task)
          && (flow.empty() || world_.tasks[task].flow.key().name() == flow))
        result.push_back(task);
    return result;
  }

  /// Tasks that were sent get a time at which they end.
  void note_sent() {
    auto is_sent = [this](auto task) { return world_.runs(task); };
    auto sent = std::stable_partition(unsent_.begin(), unsent_.end(),
                                      std::not_fn(is_sent));
    for (auto i = sent; i != unsent_.end(); ++i) {
      running_.push_back(*i);
      ends_[*i] = world_.now + service();
    }
    unsent_.erase(sent, unsent_.end());
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

  void disturb() {
    world_.begins = draws_.below(4) > 0;
    switch (draws_.below(6)) {
      case 0:
        return static_cast<void>(world_.pause(1));
      case 1:
        return static_cast<void>(world_.resume(1));
      case 2:
        if (auto all = waiting(); !all.empty())
          world_.cancel(all[draws_.below(all.size())]);
        return;
      case 3:
        return give_back();
      default:
        if (draws_.below(40) == 0)
          drain();
    }
  }

  /// A task that was sent waits again.
  void give_back() {
    if (running_.empty())
      return;
    auto i = running_.begin()
             + static_cast<std::ptrdiff_t>(draws_.below(running_.size()));
    auto task = *i;
    running_.erase(i);
    unsent_.push_back(task);
    if (world_.tasks[task].is == libpool::task::condition::sent)
      world_.come_back(task);
    else
      world_.interrupt(task);
    note_sent();
  }

  /// All flows are idle then.
  void drain() {
    for (auto task : waiting())
      world_.cancel(task);
    for (auto task : running_)
      world_.finish(task);
    running_.clear();
  }

  const load how_;
  splitmix64 draws_;
  test::policy_world world_{test::ordered_by(std::make_unique<watched_order>(
    test::fair_order(options_of(how_)),
    std::make_unique<fair_model>(options_of(how_))))};
  std::vector<client> flows_;
  std::vector<std::size_t> unsent_;
  std::vector<std::size_t> running_;
  std::vector<libpool::instant> ends_; // by task
  std::map<std::string, std::int64_t> served_;
};

/// Looks at all pairs of flows in which something waits.
class witness {
public:
  witness(const load& how, busy_pool& pool) : how_(how), pool_(pool) {
    pool_.order().told = [this] { look(); };
  }

  /// The bound that was passed first; empty if none was.
  const std::string& complaint() const {
    return complaint_;
  }

private:
  /// After each fact.
  void look() {
    expect(pool_.agree(), "the order chooses as its model does");
    for (const auto& f : pool_.model().queues())
      for (const auto& g : pool_.model().queues())
        if (&f != &g)
          look_at(f, g);
  }

  void expect(bool holds, const char* bound) {
    if (!holds && complaint_.empty())
      complaint_ = bound;
  }

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
    for (const auto& each : pool_.model().queues())
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
    expect(ahead <= first_bound(), "before its first turn");
    auto f_had = f.turn_at > since;
    if (f_had || (f.came_free && g.came_free && how_.shares.empty()))
      expect(ahead <= turn_bound(f, g), "once it has had a turn");
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
    expect(so_far.most - so_far.least <= turn_bound(f, g) + turn_bound(g, f),
           "of services");
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
  busy_pool& pool_;
  std::string complaint_;
  std::map<std::pair<const plain_queue*, const plain_queue*>, stretch>
    stretches_;
};

constexpr auto rounds = 400;

void check_bounds(const load& how) {
  busy_pool pool{how};
  witness all{how, pool};
  for (auto i = 0; i < rounds; ++i) {
    pool.go_on();
    if (!all.complaint().empty())
      RC_FAIL(all.complaint());
  }
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
TEST_CASE("in mode 'exact', the start tags and the services of flows with "
          "equal shares differ at most by the documented bounds") {
  CHECK(rc::check("flows with equal shares stay close to each other",
                  [] { check_bounds(any_load(false)); }));
}

TEST_CASE("in mode 'exact', the start tags and the services of flows with "
          "different shares differ at most by the documented bounds") {
  CHECK(rc::check("flows with different shares stay close to each other",
                  [] { check_bounds(any_load(true)); }));
}

// When h gets the turn that sets V, next(h) <= next(g) + (w(g) - w(h)) G, and g
// has C - w(h) seats at most, for each of which it may fall back by G. So
// next(g) >= V - C G - (w(g) - 2 w(h)) G from then on. With shares the last
// term is (w(g) - w(h)) G / s(g) - w(h) G / s(h).
TEST_CASE("in mode 'exact', the bound on credit costs a waiting flow at most W "
          "- 1 guesses if no task takes more than W seats") {
  std::uint64_t losses = 0;
  CHECK(rc::check("losses of credit stay within their bound", [&] {
    auto with_shares = *rc::gen::arbitrary<bool>();
    auto how = any_load(with_shares);
    how.is_disturbed = true;
    busy_pool pool{how};
    for (auto i = 0; i < rounds; ++i) {
      pool.go_on();
      RC_ASSERT(pool.agree());
    }
    auto wide = static_cast<std::int64_t>(how.widest);
    auto most = with_shares ? wide - 1 : std::max<std::int64_t>(wide - 2, 0);
    RC_ASSERT(pool.model().worst_loss()
              <= static_cast<double>(most * how.guess));
    losses += pool.model().losses();
  }));
  CHECK(losses > 50); // it acts on others
}
