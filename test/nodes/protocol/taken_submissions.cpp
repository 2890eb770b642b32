#include "libpool/nodes/protocol/taken_submissions.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace nodes_taken_submissions_tests {

namespace {

using libpool::front_verdict;
using libpool::instant;
using libpool::taken_submission;
using libpool::taken_submissions;
using libpool::work_failure;
using libpool::work_step;
using namespace std::chrono_literals;
using steps = std::vector<work_step>;

constexpr instant start = instant{} + 1h;
constexpr auto repeat = taken_submissions::before_repeat;
const work_failure crash{"worker_crashed", "it crashed", 2};

taken_submission submission(std::uint64_t place, unsigned retries = 0) {
  return {place,
          "client." + std::to_string(place),
          "reply." + std::to_string(place),
          std::make_shared<std::string>("content"),
          {{100 + place, 7}, 0, false, retries}};
}

/// A front, whose submissions have the numbers 1, 2 and so on.
struct front {
  explicit front(bool keeps_failures = true) : all(keeps_failures) {
    all.open();
  }

  /// Returns the steps that are due.
  steps due(instant now = start, bool may_claim = true) {
    steps result;
    for (const auto& each : all.take_due(may_claim, now))
      result.push_back(each.step);
    return result;
  }

  /// Gives the front a submission whose claim is stored.
  void give_claimed(taken_submission given) {
    all.came(std::move(given));
    due();
    all.claimed(all.last_number(), 1, true);
  }

  /// Gives the front a submission that the front 5 had before.
  void give_again() {
    all.came(submission(1, 1));
    due();
    all.claimed(1, 1, false);
    REQUIRE(due() == steps{work_step::search});
    all.found_none(1, {0, {{50, 5}}});
    REQUIRE(due() == steps{work_step::claim});
    all.claimed(1, 2, true);
  }

  /// Returns the numbers of the submissions that the pool gets.
  std::vector<std::uint64_t> arrived() {
    std::vector<std::uint64_t> result;
    for (const auto& each : std::exchange(all.arrived(), {}))
      result.push_back(each.number);
    return result;
  }

  /// Whether the submission 1 is acknowledged, and nothing is left.
  bool has_ended() {
    return all.all().empty()
           && std::exchange(all.ended(), {})
                == std::vector<std::string>{"reply.1"}
           && std::exchange(all.settled(), {}).size() == 1;
  }

  taken_submissions all;
};

} // namespace

TEST_CASE("a submission goes to the pool when its claim is stored, and is "
          "acknowledged when its result is stored") {
  front at;
  at.all.came(submission(1));
  CHECK(at.due(start, false).empty()); // the nodes are not stored
  CHECK(at.due() == steps{work_step::claim});
  CHECK(at.arrived().empty());
  at.all.claimed(1, 1, true);
  REQUIRE(at.all.arrived().size() == 1);
  CHECK(at.all.arrived()[0].client == "client");
  CHECK(at.all.arrived()[0].takings == std::vector<std::uint64_t>{101});
  CHECK(at.due(start + 1h).empty());
  at.all.settle(1, "done", {});
  CHECK(at.due() == steps{work_step::result});
  CHECK(at.all.ended().empty());
  at.all.stored(1, true);
  CHECK(at.has_ended());
}

TEST_CASE("a step is repeated until the servers have answered, and at once "
          "after answers were lost") {
  front at;
  at.all.came(submission(1));
  CHECK(at.due() == steps{work_step::claim});
  CHECK(at.due(start + repeat - 1ns).empty());
  CHECK(at.due(start + repeat) == steps{work_step::claim});
  CHECK(at.due(start + repeat).empty());
  at.all.reconnected();
  CHECK(at.due(start + repeat) == steps{work_step::claim});
}

TEST_CASE("a submission that the queue gives twice is one, and is acknowledged "
          "where it was given last") {
  front at;
  at.all.came(submission(1));
  auto again = submission(1);
  again.reply = "other";
  at.all.came(std::move(again));
  auto reused = submission(1); // by a cluster that has lost a server
  reused.name = "client.2";
  at.all.came(std::move(reused));
  CHECK(at.all.all().size() == 2);
  at.due();
  at.all.claimed(1, 1, true);
  at.all.settle(1, "done", {});
  at.all.stored(1, true);
  CHECK(at.all.ended() == std::vector<std::string>{"other"});
}

TEST_CASE("a submission of which the pool has another copy waits for the "
          "result of the copy") {
  front at;
  at.give_claimed(submission(1));
  auto copy = submission(2, 3);
  copy.name = "client.1";
  at.all.came(std::move(copy));
  CHECK(at.due() == steps{work_step::claim});
  at.all.claimed(2, 1, false);
  CHECK(at.due() == steps{work_step::search});
  at.all.found_none(2, {0, {{101, 7}}});
  CHECK(at.due(start + repeat) == steps{work_step::search});
  at.all.found(2, std::nullopt);
  CHECK(at.all.all().size() == 1);
  CHECK(at.arrived() == std::vector<std::uint64_t>{1});
}

TEST_CASE("a submission that goes back is stored after a pause, unless the "
          "front takes no further ones") {
  front at;
  at.give_claimed(submission(1));
  SUBCASE("it is open") {
    at.all.put_back(1, start);
    CHECK(at.due(start + repeat - 1ns).empty());
    CHECK(at.due(start + repeat) == steps{work_step::put_back});
  }
  SUBCASE("it is closed") {
    at.all.close();
    at.all.put_back(1, start);
    CHECK(at.due() == steps{work_step::put_back});
  }
  at.all.stored(1, true);
  CHECK(at.has_ended());
}

TEST_CASE("the pool gets a submission of an earlier front after the records "
          "are read, and once more after they are closed") {
  front at;
  at.give_again();
  CHECK(at.arrived().empty());
  CHECK(at.due() == steps{work_step::look});
  at.all.looked(1);
  REQUIRE(at.all.arrived().size() == 1);
  CHECK(!at.all.arrived()[0].is_checked);
  CHECK(at.all.arrived()[0].attempt == 2);
  at.arrived();
  at.all.check_earlier(1, {3});
  CHECK(at.due() == steps{work_step::judge});
  SUBCASE("it may have begun") {
    at.all.judged(1, front_verdict::may_have_begun);
    REQUIRE(at.all.arrived().size() == 1);
    CHECK(at.all.arrived()[0].is_checked);
    CHECK(at.all.arrived()[0].attempt == 2);
  }
  SUBCASE("it never began") {
    at.all.judged(1, front_verdict::never_began);
    REQUIRE(at.all.arrived().size() == 1);
    CHECK(at.all.arrived()[0].attempt == 1);
    CHECK(at.all.arrived()[0].takings == std::vector<std::uint64_t>{101});
  }
  SUBCASE("a record has changed") {
    at.all.judged(1, front_verdict::changed);
    CHECK(at.arrived().empty());
    CHECK(at.due() == steps{work_step::look});
  }
  SUBCASE("it has a result") {
    at.all.found(1, std::nullopt);
    CHECK(at.arrived().empty());
    CHECK(at.has_ended());
  }
}

TEST_CASE("a failure is kept before the submission is acknowledged") {
  front at;
  at.give_claimed(submission(1));
  at.all.settle(1, "crashed", crash);
  CHECK(at.due() == steps{work_step::result});
  SUBCASE("of this front") {
    at.all.stored(1, true);
    CHECK(at.due() == steps{work_step::failure});
  }
  SUBCASE("of another front") {
    at.all.stored(1, false);
    CHECK(at.due() == steps{work_step::search});
    at.all.found(1, crash);
    CHECK(at.due() == steps{work_step::failure});
  }
  SUBCASE("unless another front has stored another result") {
    at.all.stored(1, false);
    at.all.found(1, std::nullopt);
    CHECK(at.has_ended());
    return;
  }
  CHECK(at.all.ended().empty());
  at.all.kept(1, true);
  CHECK(at.has_ended());
}

TEST_CASE("a front that keeps no failures acknowledges each stored result") {
  front at{false};
  at.give_claimed(submission(1));
  at.all.settle(1, "crashed", crash);
  CHECK(!at.all.all().at(1).failure);
  at.all.stored(1, false);
  CHECK(at.has_ended());
}

TEST_CASE("the failed message that a submission came of is removed or "
          "replaced") {
  front at;
  auto again = submission(1);
  again.former = 9;
  again.earlier_attempts = 3;
  at.give_claimed(std::move(again));
  SUBCASE("removed") {
    at.all.settle(1, "done", {});
    at.all.stored(1, true);
    CHECK(at.due() == steps{work_step::origin});
    at.all.removed_origin(1);
  }
  SUBCASE("replaced, or kept beside others if it is gone") {
    at.all.settle(1, "crashed", crash);
    CHECK(at.all.all().at(1).failure->attempts == 5);
    at.all.stored(1, true);
    CHECK(at.due() == steps{work_step::failure});
    at.all.kept(1, false);
    CHECK(at.due() == steps{work_step::failure});
    CHECK(at.all.all().at(1).former == 0);
    at.all.kept(1, true);
  }
  CHECK(at.has_ended());
}

TEST_CASE("at most 16 failed messages are removed in one round") {
  front at;
  for (std::uint64_t i = 1; i <= 20; ++i) {
    auto each = submission(i);
    each.former = i;
    at.give_claimed(std::move(each));
  }
  for (std::uint64_t i = 1; i <= 20; ++i) {
    at.all.settle(i, "done", {});
    at.all.stored(i, true);
  }
  CHECK(at.due().size() == 16);
  CHECK(at.due().size() == 4);
}

TEST_CASE("a closed front drops the submissions that it has not claimed when "
          "their next step is due") {
  front at;
  at.give_claimed(submission(1));
  at.all.came(submission(2));
  at.all.came(submission(3));
  CHECK(at.all.drop_unclaimed(start).empty());
  at.due();
  at.all.close();
  CHECK(at.all.drop_unclaimed(start).empty()); // the answer can come
  at.all.claimed(2, 1, true);
  CHECK(at.all.drop_unclaimed(start + repeat)
        == std::vector<std::string>{"reply.3"});
  CHECK(at.all.all().size() == 2);
  at.all.came(submission(3)); // anew
  CHECK(at.all.all().size() == 3);
}

TEST_CASE("a front that ends stores its results, and gives back what is "
          "claimed from then on") {
  front at;
  at.give_claimed(submission(1));
  at.give_claimed(submission(2));
  at.all.came(submission(3));
  at.all.settle(1, "done", {});
  at.arrived();
  CHECK(at.due() == steps{work_step::result, work_step::claim});
  at.all.end();
  CHECK(!at.all.is_open());
  CHECK(at.due() == steps{work_step::result});
  at.all.claimed(3, 1, true);
  CHECK(at.arrived().empty());
  CHECK(at.due() == steps{work_step::put_back});
  CHECK(at.all.has_to_send());
  at.all.stored(1, true);
  at.all.stored(3, true);
  at.all.ended().clear();
  CHECK(!at.all.has_to_send()); // the pool has the other one
}

TEST_CASE("a front that ends does not ask whether submissions have begun") {
  front at;
  at.give_again();
  at.all.end();
  CHECK(at.due().empty());
  CHECK(!at.all.has_to_send());
}

TEST_CASE("claims of submissions without a result are old after a time") {
  front at;
  at.give_claimed(submission(1));
  CHECK(at.all.take_old_claims(1min, start + 1min).empty());
  auto old = start + 1min + 1ns;
  CHECK(at.all.take_old_claims(1min, old) == std::vector<std::uint64_t>{1});
  CHECK(at.all.take_old_claims(1min, old).empty());
}

TEST_CASE("answers for submissions that have ended have no effect") {
  front at;
  at.all.claimed(1, 1, true);
  at.all.stored(1, true);
  at.all.kept(1, true);
  at.all.found(1, crash);
  at.all.found_none(1, {});
  at.all.looked(1);
  at.all.judged(1, front_verdict::never_began);
  at.all.removed_origin(1);
  at.all.settle(1, "done", {});
  at.all.put_back(1, start);
  CHECK(at.all.all().empty());
  CHECK(at.all.ended().empty());
  CHECK(at.all.arrived().empty());
  CHECK(!at.all.take_change());
}

} // namespace nodes_taken_submissions_tests
