/// The plans of the catalogue: which workers they ask, what they refuse, and
/// how they count votes.

#include "libpool/policies/catalogue.hpp"
#include "libpool/policies/gather/broadcast_all.hpp"
#include "libpool/policies/gather/first_success.hpp"
#include "libpool/policies/gather/gather_parts.hpp"
#include "libpool/policies/gather/hedged.hpp"
#include "libpool/policies/gather/quorum.hpp"
#include "libpool/policies/gather/vote_count.hpp"
#include "support/complaint.hpp"
#include "support/giving_options.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

using libpool::hedge_delay;
using libpool::hedged;
using libpool::percentile;
using libpool::quorum;
using test::complaint;
using target = libpool::scatter::target;
using namespace std::chrono_literals;

TEST_CASE("a gather plan asks for one task per part or per worker, or as many "
          "workers as its options state") {
  for (const auto& plan :
       {libpool::gather_parts{}.asks(), libpool::broadcast_all{}.asks()})
    CHECK(plan.stops_rest);
  CHECK(libpool::gather_parts{}.asks().to == target::parts);
  CHECK(libpool::broadcast_all{}.asks().to == target::everybody);
  auto first = libpool::first_success{{4}}.asks();
  CHECK(first.to == target::some);
  CHECK(first.asked == 4);
  CHECK(first.needed == 1);
  CHECK(first.stops_rest);
  auto some = quorum{{5, 3}}.asks();
  CHECK(some.to == target::some);
  CHECK(some.asked == 5);
  CHECK(some.needed == 3);
  CHECK_FALSE(some.stops_rest);
  const hedged fixed{{7ms, 100}};
  CHECK(fixed.has_patience());
  CHECK(fixed.patience() == 7ms);
  CHECK(fixed.asks().asked == 1);
  CHECK_FALSE(fixed.asks().asks_more);
}

TEST_CASE(
  "a gather plan needs the current time only if the plan has a timeout") {
  CHECK_FALSE(libpool::gather_parts{}.is_timed());
  CHECK_FALSE(quorum{}.is_timed());
  CHECK_FALSE(hedged{}.is_timed());
}

TEST_CASE("a hedging delay that is given as a percentile of answer times is "
          "known only after 100 answers, and at least 1 ns") {
  hedged slow{{percentile{90}, 100}};
  for (auto i = 0; i < 99; ++i)
    slow.first_answered(i < 90 ? 1ms : 100ms);
  CHECK_FALSE(slow.patience());
  slow.first_answered(100ms);
  REQUIRE(slow.patience());
  CHECK(slow.patience()->count() >= 1'000'000);
  CHECK(slow.patience()->count() <= 1'062'500);
  hedged fast{{percentile{50}, 100}};
  for (auto i = 0; i < 100; ++i)
    fast.first_answered(0ns);
  CHECK(fast.patience() == 1ns);
}

TEST_CASE(
  "a budget of 25 percent allows a second worker for every fourth message") {
  hedged plan{{1ms, 25}};
  auto asked = 0;
  for (auto i = 1; i <= 40; ++i) {
    plan.message_came();
    if (plan.may_ask_another()) {
      plan.asked_another();
      ++asked;
    }
    CHECK(asked == i / 4);
  }
}

TEST_CASE("the error for an option out of bounds names the option") {
  auto hedges = [](hedge_delay delay, double budget) {
    return complaint([&] { hedged{{delay, budget}}; });
  };
  CHECK(hedges(1ms, 0)
        == "libpool: budget: must be above 0 and at most 100, got 0");
  CHECK(hedges(1ms, 100.5)
        == "libpool: budget: must be above 0 and at most 100, got 100.5");
  for (auto [delay, text] :
       {std::pair{hedge_delay{percentile{0}}, "percentile 0"},
        std::pair{hedge_delay{percentile{100}}, "percentile 100"},
        std::pair{hedge_delay{0ns}, "0s"}})
    CHECK(hedges(delay, 5)
          == std::string{"libpool: after: must be above 0, or a percentile "
                         "above 0 and below 100, got "}
               + text);
  for (std::size_t k : {4U, 0U})
    CHECK(complaint([k] {
            quorum{{3, k}};
          })
          == "libpool: quorum: k must be between 1 and n (3), got "
               + std::to_string(k));
  CHECK(complaint([] {
          quorum{{3, 2, 0ns}};
        })
        == "libpool: timeout: must be above 0, got 0s");
  CHECK(complaint([] { libpool::first_success{{0}}; })
        == "libpool: asked: must be at least 1, got 0");
  libpool::gather_options late;
  late.timeout = -1ns;
  CHECK(complaint([&] { libpool::gather_parts{late}; })
        == "libpool: gather_options: timeout must be above 0, got -1 ns");
  CHECK_THROWS_AS(libpool::broadcast_all{late}, std::invalid_argument);
}

TEST_CASE(
  "the catalogue makes each of its gather plans with the given options") {
  for (const auto& entry : libpool::gathering_policies()) {
    CAPTURE(std::string{entry.name});
    libpool::chosen<libpool::gather_plan> how{entry.name};
    auto takes_asked = test::give(how, "asked", std::size_t{6});
    auto takes_needed = test::give(how, "needed", std::size_t{4});
    auto takes_timeout = test::give(how, "timeout", libpool::duration{1ms});
    auto takes_delay = test::give(how, "after",
                                  hedge_delay{libpool::duration{9ms}});
    auto plan = how.make();
    REQUIRE(plan != nullptr);
    CHECK(plan->is_timed() == takes_timeout);
    CHECK(plan->has_patience() == takes_delay);
    CHECK((plan->asks().asked == 6) == takes_asked);
    CHECK((plan->asks().needed == 4) == takes_needed);
  }
  CHECK_THROWS_AS(libpool::gathering_policy_named("half"),
                  std::invalid_argument);
}

using libpool::errc;
using libpool::instant;
using libpool::never;
using libpool::verdict;
using libpool::vote_count;
using libpool::vote_rules;
using decision = libpool::verdict::decision;
using namespace std::chrono_literals;

namespace {

vote_rules at_least(std::size_t needed) {
  vote_rules result;
  result.needed = needed;
  return result;
}

vote_rules rules(bool is_lenient,
                 std::optional<libpool::duration> timeout = std::nullopt) {
  vote_rules result;
  result.timeout = timeout;
  result.is_lenient = is_lenient;
  return result;
}

void tell(vote_count& votes, std::size_t successes, std::size_t failures) {
  for (std::size_t i = 0; i < successes; ++i)
    votes.succeeded(i, instant{});
  for (std::size_t i = 0; i < failures; ++i)
    votes.failed(successes + i, instant{});
}

verdict with(vote_rules how, std::size_t asked, std::size_t successes,
             std::size_t failures) {
  vote_count votes{how};
  votes.began(asked, instant{});
  tell(votes, successes, failures);
  return votes.decide();
}

} // namespace

TEST_CASE("votes that need k successes of n tasks decide as soon as the open "
          "tasks cannot change the decision, and state k if they fail") {
  for (std::size_t n = 1; n <= 6; ++n)
    for (std::size_t k = 1; k <= n; ++k)
      for (std::size_t good = 0; good <= n; ++good)
        for (std::size_t bad = 0; good + bad <= n; ++bad) {
          CAPTURE(n);
          CAPTURE(k);
          CAPTURE(good);
          CAPTURE(bad);
          auto wanted = good >= k     ? decision::answer
                        : n - bad < k ? decision::fail
                                      : decision::wait;
          auto decided = with(at_least(k), n, good, bad);
          CHECK(decided.is == wanted);
          if (wanted == decision::fail && k < n) {
            CHECK(decided.why == errc::too_few_answers);
            CHECK(decided.count == k);
          }
          if (k == n)
            CHECK(with({}, n, good, bad).is == wanted);
        }
}

TEST_CASE("votes that accept failures (lenient) wait until all tasks have "
          "ended, and then require one success") {
  for (std::size_t good = 0; good <= 3; ++good)
    for (std::size_t bad = 0; good + bad <= 3; ++bad)
      CHECK(with(rules(true), 3, good, bad).is
            == (good + bad < 3 ? decision::wait
                : good > 0     ? decision::answer
                               : decision::fail));
}

TEST_CASE("votes decide for success if the message has no tasks") {
  CHECK(with(rules(false), 0, 0, 0).is == decision::answer);
  CHECK(with(rules(true), 0, 0, 0).is == decision::answer);
}

TEST_CASE("a task whose worker was removed does not delay the decision of the "
          "votes, and is not a success") {
  for (auto is_lenient : {false, true})
    for (std::size_t n = 1; n <= 5; ++n)
      for (std::size_t removed = 0; removed <= n; ++removed)
        for (auto comes_first : {false, true}) {
          CAPTURE(n);
          CAPTURE(removed);
          CAPTURE(comes_first);
          vote_count votes{rules(is_lenient)};
          votes.began(n, instant{});
          auto remove = [&] {
            for (std::size_t i = 0; i < removed; ++i)
              votes.removed(i, instant{});
          };
          if (comes_first)
            remove();
          if (removed < n || !comes_first)
            CHECK(votes.decide().is == decision::wait);
          tell(votes, n - removed, 0);
          if (!comes_first)
            remove();
          CHECK(votes.decide().is
                == (removed < n ? decision::answer : decision::fail));
          CHECK((removed < n || votes.decide().count == 1));
        }
}

TEST_CASE("if two workers were asked, the success of one of them decides, and "
          "the failure of one of them does not") {
  struct row {
    std::size_t good;
    std::size_t bad;
    decision is;
  };
  vote_count votes{{}}; // each message begins anew
  for (auto each : {row{0, 1, decision::wait}, row{0, 2, decision::fail},
                    row{1, 1, decision::answer}}) {
    votes.began(1, instant{});
    votes.asked_another(instant{});
    tell(votes, each.good, each.bad);
    CHECK(votes.decide().is == each.is);
    if (each.is == decision::fail)
      CHECK(votes.decide().count == 1);
  }
}

TEST_CASE(
  "after the timeout, votes fail, and lenient votes with a success answer") {
  for (auto is_lenient : {false, true})
    for (auto has_success : {false, true}) {
      CAPTURE(is_lenient);
      CAPTURE(has_success);
      vote_count votes{rules(is_lenient, 10ms)};
      votes.began(3, instant{5ms});
      CHECK(votes.next_tick() == instant{15ms});
      if (has_success)
        votes.succeeded(0, instant{6ms});
      if (is_lenient)
        votes.failed(1, instant{6ms});
      votes.time_passed(instant{15ms} - 1ns);
      CHECK(votes.decide().is == decision::wait);
      votes.time_passed(instant{15ms});
      auto answers = is_lenient && has_success;
      CHECK(votes.decide().is == (answers ? decision::answer : decision::fail));
      CHECK((answers || votes.decide().why == errc::timeout));
      CHECK(votes.next_tick() == never);
    }
}

TEST_CASE(
  "a timeout that ends after the latest representable time never occurs") {
  vote_count votes{rules(false, libpool::duration::max())};
  votes.began(1, instant{5ms});
  CHECK(votes.next_tick() == never);
}
