/// Both modes of fair queuing beside plain models, step by step.

#include "libpool/core/splitmix64.hpp"
#include "support/fair_run.hpp"
#include "support/fair_world.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

using libpool::duration;
using libpool::fair_mode;
using libpool::fair_queuing_options;
using libpool::splitmix64;
using libpool::virtual_time;
using test::fair_run;

namespace {

/// Does anything to a pool of so many seats, of which there may be more or less
/// later.
class mischief {
public:
  mischief(const fair_queuing_options& how, std::uint64_t seed,
           virtual_time start, bool workers_come_and_go)
    : draws_(seed),
      seats_(1 + draws_.below(6)),
      workers_come_and_go_(workers_come_and_go),
      run_(how, seats_, start) {
    flows_ = 1 + draws_.below(12);
    widest_ = 1 + draws_.below(8);
  }

  /// Whether the two still agree after one more thing has happened.
  bool goes_on() {
    happen();
    if (draws_.below(16) == 0 && !run_.say_the_same())
      return false;
    return run_.agree();
  }

  std::uint64_t widest() const {
    return std::min<std::uint64_t>(widest_, seats_);
  }

  const test::fair_model& model() const {
    return run_.model();
  }

private:
  void happen() {
    if (draws_.below(3) == 0)
      run_.now += duration{draws_.below(40)};
    switch (draws_.below(16)) {
      case 0:
        return run_.hold_next();
      case 1:
        return free_one();
      case 2:
        return cancel();
      case 3:
        return crash();
      case 4:
        return come_back();
      case 5:
      case 6:
      case 7:
        return end();
      case 8:
      case 9:
      case 10:
        return submit();
      case 12:
        return come_or_go();
      case 11: // all go idle from time to time
        return draws_.below(20) == 0 ? drain() : end();
      default:
        run_.send_next();
        return;
    }
  }

  void submit() {
    if (run_.waiting.size() + run_.held.size() < 30)
      run_.submit("flow " + std::to_string(draws_.below(flows_)),
                  1 + draws_.below(widest_), draws_.below(10) == 0);
  }

  /// Often as long as a guess, so that there are ties.
  duration service() {
    return duration{draws_.below(3) == 0 ? 10 : draws_.below(30)};
  }

  void end() {
    if (!run_.running.empty())
      run_.end(draws_.below(run_.running.size()), service());
  }

  void crash() {
    if (!run_.running.empty() && draws_.below(4) == 0)
      run_.crash(draws_.below(run_.running.size()), service());
  }

  void come_back() {
    if (!run_.running.empty() && draws_.below(4) == 0)
      run_.come_back(draws_.below(run_.running.size()));
  }

  void free_one() {
    if (!run_.held.empty())
      run_.free(draws_.below(run_.held.size()));
  }

  void cancel() {
    if (!run_.waiting.empty())
      run_.cancel(draws_.below(run_.waiting.size()));
  }

  void come_or_go() {
    if (workers_come_and_go_)
      run_.seats_change(1 + draws_.below(8));
    else
      run_.send_next();
  }

  void drain() {
    while (!run_.held.empty())
      run_.free(0);
    while (!run_.waiting.empty())
      run_.cancel(0);
    while (!run_.running.empty())
      run_.end(0, service());
  }

  splitmix64 draws_;
  std::uint64_t seats_;
  bool workers_come_and_go_;
  fair_run run_;
  std::size_t flows_ = 1;
  std::size_t widest_ = 1;
};

constexpr auto steps = 1000; // in each of 100 runs

void check_by_model(const fair_queuing_options& how, virtual_time start = {}) {
  auto seed = *rc::gen::arbitrary<std::uint64_t>();
  mischief all{how, seed, start, *rc::gen::arbitrary<bool>()};
  for (auto i = 0; i < steps; ++i)
    RC_ASSERT(all.goes_on());
}

fair_queuing_options kubernetes(std::size_t queues, std::size_t hand) {
  auto result = test::guessing(duration{10}, fair_mode::kubernetes);
  result.queues = queues;
  result.hand_size = hand;
  return result;
}

fair_queuing_options exact() {
  auto result = test::guessing(duration{10});
  result.debt_memory = duration{300};
  return result;
}

/// So near the end of the clock that any run passes it.
constexpr virtual_time before_the_wrap{std::numeric_limits<std::uint64_t>::max()
                                       - 50};

/// So near the end of the numbers with a sign.
constexpr virtual_time before_the_sign{std::numeric_limits<std::int64_t>::max()
                                       - 50};

} // namespace

TEST_CASE(
  "mode kubernetes sends the task that a plain scan of all queues finds") {
  CHECK(rc::check("mode kubernetes is like a scan", [] {
    auto queues = *rc::gen::element<std::size_t>(1, 3, 8, 64);
    auto hand =
      *rc::gen::inRange<std::size_t>(1, std::min<std::size_t>(queues, 8) + 1);
    check_by_model(kubernetes(queues, hand));
  }));
}

TEST_CASE("mode exact sends the task that a plain scan of all flows finds") {
  CHECK(
    rc::check("mode exact is like a scan", [] { check_by_model(exact()); }));
}

TEST_CASE("mode exact with shares sends the task that a plain scan of all "
          "flows finds") {
  CHECK(rc::check("mode exact with shares is like a scan", [] {
    auto how = exact();
    for (auto flow : {0, 1, 2, 3, 4})
      how.shares["flow " + std::to_string(flow)] = *rc::gen::element(0.3, 0.5,
                                                                     2.0, 7.0);
    check_by_model(how);
  }));
}

// The models' clocks start at 0.
TEST_CASE("a clock that wraps around changes no choice") {
  for (auto start : {before_the_wrap, before_the_sign})
    CHECK(rc::check("both modes pass the end of the clock", [start] {
      check_by_model(exact(), start);
      check_by_model(kubernetes(8, 3), start);
    }));
}

// When h gets the turn that sets V, next(h) <= next(g) + (w(g) - w(h)) G, and g
// has C - w(h) seats at most, for each of which it may fall back by G. So
// next(g) >= V - C G - (w(g) - 2 w(h)) G from then on. With shares the last
// term is (w(g) - w(h)) G / s(g) - w(h) G / s(h).
TEST_CASE("a flow with tasks waiting loses less than W guesses in mode exact, "
          "and none if all are narrow") {
  std::uint64_t losses = 0;
  CHECK(rc::check("losses of credit stay within their bound", [&] {
    auto how = exact();
    auto with_shares = *rc::gen::arbitrary<bool>();
    if (with_shares)
      how.shares = {{"flow 0", 0.5}, {"flow 1", 2}, {"flow 2", 4}};
    mischief all{how, *rc::gen::arbitrary<std::uint64_t>(), {}, false};
    for (auto i = 0; i < steps; ++i)
      RC_ASSERT(all.goes_on());
    auto wide = static_cast<std::int64_t>(all.widest());
    auto most = with_shares ? wide - 1 : std::max<std::int64_t>(wide - 2, 0);
    RC_ASSERT(all.model().worst_loss()
              <= static_cast<double>(most * how.guess.count()));
    losses += all.model().losses();
  }));
  CHECK(losses > 50); // it acts on others
}
