/// The plans of the catalogue: which workers they ask, and what they refuse.

#include "libpool/policies/broadcast_all.hpp"
#include "libpool/policies/catalogue.hpp"
#include "libpool/policies/first_success.hpp"
#include "libpool/policies/gather_parts.hpp"
#include "libpool/policies/hedged.hpp"
#include "libpool/policies/quorum.hpp"
#include "support/complaint.hpp"
#include "support/giving_options.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
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
