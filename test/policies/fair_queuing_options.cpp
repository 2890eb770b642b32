#include "libpool/policies/fair_queuing_options.hpp"
#include "libpool/policies/exact_fair_queuing.hpp"
#include "libpool/policies/fair_queuing.hpp"
#include "libpool/policies/kubernetes_fair_queuing.hpp"
#include "libpool/policies/make_fair_queuing.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <limits>
#include <stdexcept>

using libpool::check;
using libpool::fair_mode;
using libpool::fair_queuing_options;
using libpool::make_fair_queuing;
using namespace std::chrono_literals;

namespace {

/// The default options, changed by `change`.
template <class Change>
fair_queuing_options with(Change change) {
  fair_queuing_options result;
  change(result);
  return result;
}

using reals = std::numeric_limits<double>;

} // namespace

TEST_CASE("the default options of fair queuing are within their bounds") {
  CHECK_NOTHROW(check(fair_queuing_options{}));
}

TEST_CASE("fair queuing accepts options that are at their bounds") {
  CHECK_NOTHROW(check(with([](auto& o) { o.guess = 1ns; })));
  CHECK_NOTHROW(check(with([](auto& o) { o.shares["a"] = reals::min(); })));
  CHECK_NOTHROW(check(with([](auto& o) { o.shares["a"] = reals::max(); })));
  CHECK_NOTHROW(check(with([](auto& o) { o.queue_limit = 1; })));
  CHECK_NOTHROW(check(with([](auto& o) { o.debt_memory = 0ns; })));
  CHECK_NOTHROW(check(with([](auto& o) { o.most_flows = 1; })));
  CHECK_NOTHROW(check(with([](auto& o) { o.queues = o.hand_size = 1; })));
  CHECK_NOTHROW(check(with([](auto& o) { o.queues = o.hand_size = 19; })));
  CHECK_NOTHROW(check(with([](auto& o) {
    o.queues = 65536;
    o.hand_size = 3;
  })));
}

TEST_CASE("the error for a wrong option of fair queuing names the option and "
          "its bound") {
  auto wrong = [](auto change, const std::string& text) {
    CHECK_THROWS_WITH_AS(check(with(change)), ("libpool: " + text).c_str(),
                         std::invalid_argument);
  };
  wrong([](auto& o) { o.guess = 0ns; }, "guess: must be above 0, got 0s");
  wrong([](auto& o) { o.guess = -1ns; }, "guess: must be above 0, got -1ns");
  auto wrong_share = [&](double share, const std::string& text) {
    wrong(
      [share](auto& o) {
        o.shares = {{"fine", 1}, {"bad", share}};
      },
      "shares: bad: must be a number above 0, got " + text);
  };
  wrong_share(0.0, "0");
  wrong_share(-1.0, "-1");
  wrong_share(reals::infinity(), "inf");
  wrong_share(reals::quiet_NaN(), "nan");
  wrong([](auto& o) { o.queue_limit = 0; },
        "queue_limit: must be at least 1, got 0");
  wrong([](auto& o) { o.debt_memory = -1ns; },
        "debt_memory: must be at least 0, got -1ns");
  wrong([](auto& o) { o.most_flows = 0; },
        "most_flows: must be at least 1, got 0");
  wrong([](auto& o) { o.queues = 0; },
        "queues: must be between 1 and 65536, got 0");
  wrong([](auto& o) { o.queues = 65537; },
        "queues: must be between 1 and 65536, got 65537");
  wrong([](auto& o) { o.hand_size = 0; },
        "hand_size: must be at least 1, got 0");
  wrong([](auto& o) { o.hand_size = 65; },
        "hand_size: must be at most queues (64), got 65");
  wrong([](auto& o) { o.queues = o.hand_size = 20; },
        "hand_size: must be small enough that a hash of 60 bits can number all "
        "choices among 20 queues, got 20");
}

TEST_CASE("both modes of fair queuing check their options") {
  for (auto mode : {fair_mode::exact, fair_mode::kubernetes}) {
    auto how = with([mode](auto& o) {
      o.mode = mode;
      o.guess = 0ns;
    });
    CHECK_THROWS_WITH_AS(make_fair_queuing(how),
                         "libpool: guess: must be above 0, got 0s",
                         std::invalid_argument);
  }
}

// Else it would take their memory first.
TEST_CASE(
  "too large a number of queues is refused before the queues are allocated") {
  auto how = with([](auto& o) { o.queues = static_cast<std::size_t>(-1); });
  CHECK_THROWS_AS(libpool::kubernetes_fair_queuing{how}, std::invalid_argument);
}

TEST_CASE("the option 'mode' selects the implementation of fair queuing") {
  auto exact = make_fair_queuing({});
  CHECK(dynamic_cast<libpool::exact_fair_queuing*>(exact.get()) != nullptr);
  auto other =
    make_fair_queuing(with([](auto& o) { o.mode = fair_mode::kubernetes; }));
  CHECK(dynamic_cast<libpool::kubernetes_fair_queuing*>(other.get())
        != nullptr);
}
