#include "libpool/nodes/submission_claims.hpp"

#include "support/state_search.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// All runs of one submission, two fronts that take it, and a store of claims
// and of its result. The queue forgets its deliveries: it may give the
// submission to any front at any time. Answers of the store can be lost, and
// fronts can end.

namespace laws_submission_claims_tests {

namespace {

using libpool::claim_step;
using libpool::submission_claims;

enum class fault {
  none,
  overwrites,
  names_fronts,
  forgets_unused,
  reads_nothing
};

struct claims_setting {
  unsigned retries = 0;
  int gives = 3; // while a front has the submission
  int losses = 1;
  int kills = 1;
  int returns = 1;
  fault with = fault::none;
};

struct claims_step {
  enum class kind {
    give,
    claim,
    claim_unheard,
    search,
    read,
    begin,
    fail,
    end,
    put_back,
    kill
  };
  kind is{};
  std::size_t front = 0;
};

using kind = claims_step::kind;

/// A front that has the submission.
struct taking {
  submission_claims claims;
  bool has_begun = false;

  std::uint64_t number() const {
    return claims.takings().front();
  }
};

class claims_world {
public:
  explicit claims_world(const claims_setting& how) : how_(how) {
    // nop
  }

  void list_steps(std::vector<claims_step>& to) const {
    to.clear();
    for (std::size_t i = 0; i < fronts_.size(); ++i)
      for (auto is : {kind::give, kind::claim, kind::claim_unheard,
                      kind::search, kind::read, kind::begin, kind::fail,
                      kind::end, kind::put_back, kind::kill})
        if (may({is, i}))
          to.push_back({is, i});
  }

  bool take(const claims_step& by) {
    auto& front = fronts_[by.front];
    switch (by.is) {
      case kind::give:
        give(by.front);
        break;
      case kind::claim:
        front->claims.claimed(front->claims.claim(), store_claim(*front));
        break;
      case kind::claim_unheard:
        --how_.losses;
        store_claim(*front);
        break;
      case kind::search:
        if (has_result_)
          settle(front);
        else
          front->claims.not_found();
        break;
      case kind::read:
        front->claims.was_read(how_.with == fault::reads_nothing
                                 ? std::vector<std::uint64_t>{}
                                 : store_.at(front->claims.claim()));
        break;
      case kind::begin:
        note_known(*front);
        front->has_begun = true;
        ++begun_;
        begun_takings_[front->claims.claim()] = front->number();
        break;
      case kind::fail:
        note_known(*front);
        is_told_lost_ = is_told_lost_ || !has_result_;
        settle(front);
        break;
      case kind::end:
        settle(front);
        break;
      case kind::put_back:
        --how_.returns;
        if (how_.with != fault::forgets_unused)
          unused_ = front->claims.unused();
        front.reset();
        break;
      case kind::kill:
        --how_.kills;
        was_killed_ = true;
        front.reset();
        break;
    }
    return true;
  }

  static bool must_come(const claims_step& by) {
    return by.is != kind::kill && by.is != kind::claim_unheard
           && by.is != kind::put_back;
  }

  static std::string words_for(const claims_step& by) {
    static constexpr std::array words{"is given the submission",
                                      "claims it",
                                      "claims it, and hears nothing",
                                      "searches for its result",
                                      "reads the claim of another front",
                                      "begins it",
                                      "fails it",
                                      "ends it",
                                      "puts it back",
                                      "is killed"};
    return "front " + std::to_string(by.front) + " "
           + words[static_cast<std::size_t>(by.is)];
  }

  std::string wrong() const {
    if (begun_ > 1 + how_.retries)
      return "begun too often";
    return misses_one_ ? "the node that has begun it is not recognised" : "";
  }

  std::string wrong_at_the_end() const {
    if (!has_result_)
      return "no result";
    return is_told_lost_ && !was_killed_ && gives_ == 0
             ? "lost although no front was killed"
             : "";
  }

  void encode(std::string& to) const {
    to.clear();
    auto add = [&to](auto... all) { ((to += std::to_string(all) + ' '), ...); };
    for (const auto& each : fronts_) {
      add(each.has_value());
      if (!each)
        continue;
      add(each->claims.attempt(), each->claims.claim(),
          static_cast<int>(each->claims.next()), each->has_begun);
      add_all(to, each->claims.takings());
    }
    for (const auto& [number, takings] : store_) {
      add(number);
      add_all(to, takings);
    }
    for (const auto& [claim, number] : begun_takings_)
      add(claim, number);
    add(misses_one_);
    add(how_.gives, how_.losses, how_.kills, how_.returns, gives_, unused_,
        takings_, begun_, has_result_, is_settled_, is_told_lost_, was_killed_);
  }

private:
  static void add_all(std::string& to, const std::vector<std::uint64_t>& all) {
    for (auto each : all)
      to += std::to_string(each) + ' ';
    to += '|';
  }

  /// Notes whether the front can ask the nodes that have begun the submission
  /// under earlier claims.
  void note_known(const taking& by) {
    const auto& all = by.claims.takings();
    for (const auto& [claim, number] : begun_takings_)
      misses_one_ =
        misses_one_
        || (claim < by.claims.claim()
            && std::find(all.begin(), all.end(), number) == all.end());
  }

  bool may(const claims_step& by) const {
    const auto& front = fronts_[by.front];
    if (by.is == kind::give)
      return !front && !is_settled_ && (is_free() || how_.gives > 0);
    if (!front)
      return false;
    auto next = front->claims.next();
    auto is_last = front->claims.attempt() > 1 + how_.retries;
    switch (by.is) {
      case kind::claim:
        return next == claim_step::claim;
      case kind::claim_unheard:
        return next == claim_step::claim && how_.losses > 0;
      case kind::search:
        return next == claim_step::search;
      case kind::read:
        return next == claim_step::read;
      case kind::begin:
        return next == claim_step::none && !is_last && !front->has_begun;
      case kind::fail:
        return next == claim_step::none && is_last;
      case kind::end:
        return front->has_begun;
      case kind::put_back:
        return next == claim_step::none && !is_last && !front->has_begun
               && how_.returns > 0;
      default:
        return how_.kills > 0;
    }
  }

  bool is_free() const {
    return !fronts_[0] && !fronts_[1];
  }

  void give(std::size_t which) {
    if (!is_free()) {
      --how_.gives;
      ++gives_;
    }
    auto number = how_.with == fault::names_fronts ? which : ++takings_;
    fronts_[which].emplace(
      taking{submission_claims{number, unused_, false, how_.retries}});
  }

  /// Returns whether the store has the claim from this front.
  bool store_claim(const taking& of) {
    const auto& takings = of.claims.takings();
    if (how_.with == fault::overwrites)
      store_[of.claims.claim()] = takings;
    return store_.try_emplace(of.claims.claim(), takings).first->second.front()
           == of.number();
  }

  /// Stores a result unless there is one. The queue may hear of it later.
  void settle(std::optional<taking>& by) {
    is_settled_ = std::exchange(has_result_, true);
    by.reset();
  }

  claims_setting how_;
  std::array<std::optional<taking>, 2> fronts_;
  std::map<std::uint64_t, std::vector<std::uint64_t>> store_; // claims
  std::map<std::uint64_t, std::uint64_t> begun_takings_;      // by attempt
  bool misses_one_ = false;
  std::uint64_t unused_ = 0;
  int gives_ = 0; // while a front had the submission
  std::uint64_t takings_ = 0;
  unsigned begun_ = 0;
  bool has_result_ = false;
  bool is_settled_ = false; // the queue has heard of the result
  bool is_told_lost_ = false;
  bool was_killed_ = false;
};

using claims_search =
  test::state_search<claims_world, claims_setting, claims_step>;

std::string fault_of(const claims_setting& how) {
  return claims_search{how}.run().wrong;
}

} // namespace

TEST_CASE("a submission begins at most 1 + retries times, whatever the queue "
          "knows of deliveries, and gets a result") {
  for (unsigned retries : {0U, 1U, 2U}) {
    claims_setting how;
    how.retries = retries;
    auto all = claims_search{how}.run();
    CHECK_MESSAGE(all.wrong.empty(), all.wrong, "\n", all.trace);
    CHECK(all.states > 1000);
    MESSAGE(all.states, " states with ", retries, " retries");
  }
}

TEST_CASE("claims in equal states go on alike") {
  CHECK(claims_search{claims_setting{}}.difference(20'000).empty());
}

TEST_CASE("deliberate mistakes with claims are found") {
  claims_setting how;
  how.with = fault::overwrites;
  CHECK(fault_of(how) == "begun too often");
  how.with = fault::names_fronts;
  CHECK(fault_of(how) == "begun too often");
  how.with = fault::forgets_unused;
  CHECK(fault_of(how) == "lost although no front was killed");
  how.with = fault::reads_nothing;
  CHECK(fault_of(how) == "the node that has begun it is not recognised");
}

TEST_CASE("a submission whose claim may be gone counts as begun") {
  submission_claims first{1, 0, true, 0};
  CHECK(first.attempt() == 2);
  CHECK(first.next() == claim_step::none);
  submission_claims with_retry{1, 0, true, 1};
  CHECK(with_retry.attempt() == 2);
  CHECK(with_retry.claim() == 2);
  CHECK(with_retry.next() == claim_step::claim);
}

TEST_CASE("a submission has a claim of its front if the store has accepted it, "
          "and none for an attempt beyond the last one") {
  submission_claims mine{1, 0, false, 0};
  CHECK(!mine.is_claimed());
  mine.claimed(1, true);
  CHECK(mine.is_claimed());
  submission_claims beyond{1, 0, true, 0};
  CHECK(beyond.next() == claim_step::none);
  CHECK(!beyond.is_claimed());
}

} // namespace laws_submission_claims_tests
