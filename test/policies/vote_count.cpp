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

