#include "libpool/policies/placement_options.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <limits>
#include <stdexcept>

using libpool::check;
using libpool::placement_options;
using namespace std::chrono_literals;

namespace {

/// The default options, changed by `change`.
template <class Change>
placement_options with(Change change) {
  placement_options result;
  change(result);
  return result;
}

} // namespace

TEST_CASE("the default options of placements are within their bounds") {
  CHECK_NOTHROW(check(placement_options{}));
}

TEST_CASE("an option of a placement is accepted at its bounds") {
  CHECK_NOTHROW(check(with([](auto& o) { o.history = 1; })));
  CHECK_NOTHROW(check(with([](auto& o) { o.history = 65'536; })));
  CHECK_NOTHROW(check(with([](auto& o) { o.initial_estimate = 1ns; })));
  CHECK_NOTHROW(check(with([](auto& o) { o.decay = 1ns; })));
  CHECK_NOTHROW(check(with([](auto& o) { o.floor = 1ns; })));
  CHECK_NOTHROW(check(with([](auto& o) { o.failure_penalty = 0ns; })));
  CHECK_NOTHROW(check(with([](auto& o) { o.balance = 1.0001; })));
  CHECK_NOTHROW(check(with([](auto& o) { o.probe_every = 0; })));
}

TEST_CASE("an option of a placement that is beyond its bounds is named, with "
          "the bound") {
  auto wrong = [](auto change, const std::string& text) {
    CHECK_THROWS_WITH_AS(check(with(change)), ("libpool: " + text).c_str(),
                         std::invalid_argument);
  };
  wrong([](auto& o) { o.history = 0; }, "history: must be at least 1");
  wrong([](auto& o) { o.history = 65'537; }, "history: must be at most 65536");
  wrong([](auto& o) { o.history = 100'000'000; },
        "history: must be at most 65536");
  wrong([](auto& o) { o.initial_estimate = 0ns; },
        "initial_estimate: must be above 0");
  wrong([](auto& o) { o.initial_estimate = -1ns; },
        "initial_estimate: must be above 0");
  wrong([](auto& o) { o.decay = 0ns; }, "decay: must be above 0");
  wrong([](auto& o) { o.floor = 0ns; }, "floor: must be above 0");
  wrong([](auto& o) { o.failure_penalty = -1ns; },
        "failure_penalty: must be at least 0");
  wrong([](auto& o) { o.balance = 1; }, "balance: must be above 1");
  wrong([](auto& o) { o.balance = std::numeric_limits<double>::quiet_NaN(); },
        "balance: must be above 1");
}
