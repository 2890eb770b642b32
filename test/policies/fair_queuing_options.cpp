#include "libpool/policies/fair_queuing_options.hpp"
#include "libpool/policies/exact_fair_queuing.hpp"
#include "libpool/policies/fair_queuing.hpp"
#include "libpool/policies/kubernetes_fair_queuing.hpp"
#include "libpool/policies/make_fair_queuing.hpp"
#include "support/complaint.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

using libpool::fair_mode;
using libpool::fair_queuing_options;
using libpool::make_fair_queuing;
using namespace std::chrono_literals;

namespace {

/// The error about the default options, changed by `change`; empty if there is
/// none.
template <class Change>
std::string refusal(Change change) {
  fair_queuing_options how;
  change(how);
  return test::complaint([&] { libpool::check(how); });
}

using reals = std::numeric_limits<double>;

} // namespace

TEST_CASE("fair queuing accepts the default options, and options that are at "
          "their bounds") {
  CHECK(refusal([](auto&) {}) == "");
  CHECK(refusal([](auto& o) {
          o.guess = 1ns;
          o.shares = {{"a", reals::min()}, {"b", reals::max()}};
          o.queue_limit = 1;
          o.debt_memory = 0ns;
          o.most_flows = 1;
        })
        == "");
  for (std::size_t all : {1U, 19U})
    CHECK(refusal([all](auto& o) { o.queues = o.hand_size = all; }) == "");
  CHECK(refusal([](auto& o) {
          o.queues = 65536;
          o.hand_size = 3;
        })
        == "");
}

TEST_CASE("the error for a wrong option of fair queuing names the option and "
          "its bound") {
  CHECK(refusal([](auto& o) { o.guess = 0ns; })
        == "libpool: guess: must be above 0, got 0s");
  for (auto [share, text] : {std::pair{0.0, "0"}, std::pair{-1.0, "-1"},
                             std::pair{reals::infinity(), "inf"},
                             std::pair{reals::quiet_NaN(), "nan"}})
    CHECK(refusal([wrong = share](auto& o) {
            o.shares = {{"fine", 1}, {"bad", wrong}};
          })
          == std::string{"libpool: shares: bad: must be a number above 0, got "}
               + text);
  CHECK(refusal([](auto& o) { o.queue_limit = 0; })
        == "libpool: queue_limit: must be at least 1, got 0");
  CHECK(refusal([](auto& o) { o.debt_memory = -1ns; })
        == "libpool: debt_memory: must be at least 0, got -1ns");
  CHECK(refusal([](auto& o) { o.most_flows = 0; })
        == "libpool: most_flows: must be at least 1, got 0");
  for (std::size_t queues : {0U, 65537U})
    CHECK(refusal([queues](auto& o) { o.queues = queues; })
          == "libpool: queues: must be between 1 and 65536, got "
               + std::to_string(queues));
  CHECK(refusal([](auto& o) { o.hand_size = 0; })
        == "libpool: hand_size: must be at least 1, got 0");
  CHECK(refusal([](auto& o) { o.hand_size = 65; })
        == "libpool: hand_size: must be at most queues (64), got 65");
  CHECK(refusal([](auto& o) { o.queues = o.hand_size = 20; })
        == "libpool: hand_size: must be small enough that a hash of 60 bits "
           "can number all choices among 20 queues, got 20");
}

TEST_CASE("the option 'mode' selects the implementation of fair queuing, and "
          "both check their options") {
  fair_queuing_options how;
  CHECK(dynamic_cast<libpool::exact_fair_queuing*>(make_fair_queuing(how).get())
        != nullptr);
  how.mode = fair_mode::kubernetes;
  CHECK(dynamic_cast<libpool::kubernetes_fair_queuing*>(
          make_fair_queuing(how).get())
        != nullptr);
  for (auto mode : {fair_mode::exact, fair_mode::kubernetes}) {
    how.mode = mode;
    how.guess = 0ns;
    CHECK(test::complaint([&] { make_fair_queuing(how); })
          == "libpool: guess: must be above 0, got 0s");
  }
}

// Else it would take their memory first.
TEST_CASE(
  "too large a number of queues is refused before the queues are allocated") {
  fair_queuing_options how;
  how.queues = static_cast<std::size_t>(-1);
  CHECK_THROWS_AS(libpool::kubernetes_fair_queuing{how}, std::invalid_argument);
}
