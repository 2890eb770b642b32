/// When, and how often, messages are given to a second worker.

#include "libpool/actors/managed/hedging.hpp"
#include "libpool/actors/managed/managed_task.hpp"
#include "libpool/policies/hedged.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <memory>

using libpool::gather;
using libpool::hedge_delay;
using libpool::hedging;
using libpool::instant;
using libpool::never;
using libpool::percentile;
using namespace std::chrono_literals;

namespace {

hedging after(hedge_delay delay, double budget = 100) {
  return hedging{
    std::make_shared<libpool::hedged>(libpool::hedged_options{delay, budget})};
}

} // namespace

TEST_CASE(
  "a message is due for a second worker when the hedging delay has passed") {
  auto hedges = after(5ms);
  gather early;
  gather late;
  hedges.first_was_asked(early, instant{0ms});
  hedges.first_was_asked(late, instant{1ms});
  CHECK(hedges.next() == instant{5ms});
  CHECK(hedges.take_due(instant{4ms}) == nullptr);
  CHECK(hedges.take_due(instant{6ms}) == &early);
  CHECK(hedges.take_due(instant{6ms}) == &late);
  CHECK(hedges.take_due(instant{6ms}) == nullptr);
  CHECK(hedges.next() == never);
}

TEST_CASE("a message that is sent again after its hedging delay gets no second "
          "hedging delay") {
  auto hedges = after(5ms);
  gather message;
  hedges.first_was_asked(message, instant{0ms});
  CHECK(hedges.take_due(instant{5ms}) == &message);
  hedges.first_was_asked(message, instant{6ms});
  CHECK(hedges.next() == never);
}

TEST_CASE("a message that was removed from the hedging timer is never due for "
          "a second worker") {
  auto hedges = after(5ms);
  gather message;
  hedges.first_was_asked(message, instant{0ms});
  hedges.forget(message);
  hedges.forget(message);
  CHECK(hedges.take_due(instant{1h}) == nullptr);
}

TEST_CASE(
  "a percentile is known after a hundred answers, and is then the delay") {
  auto hedges = after(percentile{50});
  gather before;
  for (auto i = 0; i < 99; ++i)
    hedges.first_has_answered(1ms);
  hedges.first_was_asked(before, instant{0ms});
  CHECK(hedges.next() == never);
  hedges.first_has_answered(1ms);
  gather message;
  hedges.first_was_asked(message, instant{0ms});
  CHECK(hedges.next() >= instant{1ms});
  CHECK(hedges.next() < instant{2ms});
}

TEST_CASE("the number of messages sent to a second worker is limited to a "
          "percentage of all messages") {
  auto hedges = after(5ms, 50);
  CHECK_FALSE(hedges.has_budget());
  hedges.message_came();
  CHECK_FALSE(hedges.has_budget());
  hedges.message_came();
  CHECK(hedges.has_budget());
  hedges.asked_another();
  CHECK_FALSE(hedges.has_budget());
  CHECK(hedges.messages() == 2);
  CHECK(hedges.hedged() == 1);
}
