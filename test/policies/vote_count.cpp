#include "libpool/policies/vote_count.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <optional>

using libpool::errc;
using libpool::instant;
using libpool::never;
using libpool::verdict;
using libpool::vote_count;
using libpool::vote_rules;
using decision = libpool::verdict::decision;
using namespace std::chrono_literals;

namespace {

vote_rules all() {
  return {};
}

vote_rules at_least(std::size_t needed) {
  vote_rules result;
  result.needed = needed;
  return result;
}

vote_rules lenient() {
  vote_rules result;
  result.is_lenient = true;
  return result;
}

vote_rules within(libpool::duration timeout, bool is_lenient) {
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

decision with(vote_rules rules, std::size_t asked, std::size_t successes,
              std::size_t failures) {
  vote_count votes{rules};
  votes.began(asked, instant{});
  tell(votes, successes, failures);
  return votes.decide().is;
}

} // namespace

TEST_CASE("votes that need k successes of n tasks decide as soon as the open "
          "tasks cannot change the decision") {
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
          CHECK(with(at_least(k), n, good, bad) == wanted);
          if (k == n)
            CHECK(with(all(), n, good, bad) == wanted);
        }
}

TEST_CASE("the decision that too few workers have succeeded states the number "
          "of required successes") {
  vote_count votes{at_least(2)};
  votes.began(3, instant{});
  tell(votes, 0, 2);
  CHECK(votes.decide().why == errc::too_few_answers);
  CHECK(votes.decide().count == 2);
}

TEST_CASE("votes that accept failures (lenient) wait until all tasks have "
          "ended, and then require one success") {
  CHECK(with(lenient(), 3, 1, 1) == decision::wait);
  CHECK(with(lenient(), 3, 0, 3) == decision::fail);
  CHECK(with(lenient(), 3, 1, 2) == decision::answer);
  CHECK(with(lenient(), 3, 3, 0) == decision::answer);
}

TEST_CASE("a task whose worker was removed does not delay the decision of the "
          "votes, and is not a success") {
  for (auto rules : {all(), lenient()})
    for (std::size_t n = 1; n <= 5; ++n)
      for (std::size_t removed = 0; removed <= n; ++removed)
        for (auto comes_first : {false, true}) {
          CAPTURE(n);
          CAPTURE(removed);
          CAPTURE(comes_first);
          vote_count votes{rules};
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
  vote_count votes{all()};
  auto asks_two = [&] {
    votes.began(1, instant{});
    votes.asked_another(instant{});
  };
  asks_two();
  tell(votes, 0, 1);
  CHECK(votes.decide().is == decision::wait);
  asks_two();
  tell(votes, 0, 2);
  CHECK(votes.decide().is == decision::fail);
  CHECK(votes.decide().count == 1);
  asks_two();
  tell(votes, 1, 1);
  CHECK(votes.decide().is == decision::answer);
}

TEST_CASE("votes decide for success if the message has no tasks") {
  CHECK(with(all(), 0, 0, 0) == decision::answer);
  CHECK(with(lenient(), 0, 0, 0) == decision::answer);
}

TEST_CASE(
  "after the timeout, votes fail, and lenient votes with a success answer") {
  for (auto is_lenient : {false, true}) {
    CAPTURE(is_lenient);
    vote_count votes{within(10ms, is_lenient)};
    votes.began(2, instant{5ms});
    CHECK(votes.next_tick() == instant{15ms});
    votes.succeeded(0, instant{6ms});
    votes.time_passed(instant{15ms} - 1ns);
    CHECK(votes.decide().is == decision::wait);
    votes.time_passed(instant{15ms});
    CHECK(votes.decide().is
          == (is_lenient ? decision::answer : decision::fail));
    CHECK((is_lenient || votes.decide().why == errc::timeout));
    CHECK(votes.next_tick() == never);
  }
}

TEST_CASE("votes that accept failures (lenient) decide for failure if no task "
          "has succeeded before the timeout") {
  vote_count votes{within(10ms, true)};
  votes.began(2, instant{});
  votes.failed(0, instant{1ms});
  votes.time_passed(instant{10ms});
  CHECK(votes.decide().is == decision::fail);
  CHECK(votes.decide().why == errc::timeout);
}

TEST_CASE(
  "a timeout that ends after the latest representable time never occurs") {
  vote_count votes{within(libpool::duration::max(), false)};
  votes.began(1, instant{5ms});
  CHECK(votes.next_tick() == never);
}

TEST_CASE("votes that begin again for a new message ignore the failure and the "
          "timeout of the previous message") {
  vote_count votes{within(10ms, false)};
  votes.began(2, instant{});
  votes.failed(0, instant{});
  votes.time_passed(instant{10ms});
  CHECK(votes.decide().is == decision::fail);
  votes.began(1, instant{20ms});
  CHECK(votes.decide().is == decision::wait);
  CHECK(votes.next_tick() == instant{30ms});
  votes.succeeded(0, instant{21ms});
  CHECK(votes.decide().is == decision::answer);
}

TEST_CASE("votes that begin again for a new message ignore the successes for "
          "the previous message") {
  vote_count votes{at_least(2)};
  votes.began(3, instant{});
  tell(votes, 2, 0);
  CHECK(votes.decide().is == decision::answer);
  votes.began(3, instant{});
  CHECK(votes.decide().is == decision::wait);
  tell(votes, 1, 1);
  CHECK(votes.decide().is == decision::wait);
}
