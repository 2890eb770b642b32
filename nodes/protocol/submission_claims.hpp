#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace libpool {

/// A taking of a submission by a front.
struct work_taking {
  /// Random number of the taking.
  std::uint64_t number = 0;
  /// Number of the run of the front's program.
  std::uint64_t front = 0;
};

/// Content of a claim.
struct work_claim {
  /// Number of earlier claims after which the submission has not begun.
  std::uint64_t unused = 0;
  /// The taking of the front, and earlier ones whose nodes may have begun the
  /// submission.
  std::vector<work_taking> takings;
};

/// Next step of a front with a submission that it has taken.
enum class claim_step : std::uint8_t {
  claim,  ///< Store the claim, if the store has none with its number.
  search, ///< Ask the store whether it has the result.
  read,   ///< Read the claim that the store has in place of this one.
  none,   ///< The pool may have the submission.
};

/// How often a submission has begun before, by the claims of fronts.
///
/// Before a submission goes to the pool, the front stores a claim. The store
/// refuses a claim whose number another claim has. So at most one front begins
/// each attempt, whatever the queue knows of earlier deliveries. A front whose
/// claim is refused looks for the result, reads the other claim, and then
/// claims the next attempt.
///
/// A front draws a random number for each taking of a submission. The claim has
/// this number, and those of earlier takings. The number goes to the node that
/// gets the submission, and nowhere else. So a later front, which reads the
/// claim, recognises this node. A claim does not count if no node of its front
/// has begun the submission, and none will, see `nodes_of_front`.
///
/// Threads: one at a time.
class submission_claims {
public:
  /// `taking` is the number of this taking. `unused` is the number of claims
  /// after which the submission has not begun. `may_have_begun`: the store may
  /// have removed a claim.
  submission_claims(work_taking taking, std::uint64_t unused,
                    bool may_have_begun, std::uint64_t retries)
    : takings_{taking}, unused_(unused), last_attempt_(1 + retries) {
    if (may_have_begun)
      attempt_ = 2;
    begin_attempt();
  }

  /// Returns the next step.
  claim_step next() const noexcept {
    return step_;
  }

  /// Whether the store has a claim of this front for the attempt. It has none
  /// for an attempt beyond the last one.
  bool is_claimed() const noexcept {
    return step_ == claim_step::none && may_claim();
  }

  /// Number of the attempt, from 1. A submission has begun at most as often as
  /// this number says, if it begins now.
  std::uint64_t attempt() const noexcept {
    return attempt_;
  }

  /// Number of claims that are not used, if the present one is not either.
  std::uint64_t unused() const noexcept {
    return unused_ + 1;
  }

  /// Number of the claim for the attempt.
  std::uint64_t claim() const noexcept {
    return unused_ + attempt_;
  }

  /// Returns the content of the claim: the takings that are known, this one
  /// first, and the number of earlier claims that do not count.
  work_claim content() const {
    return {unused_, takings_};
  }

  /// Takings that are known: this one, and earlier ones whose nodes may have
  /// begun the submission.
  const std::vector<work_taking>& takings() const noexcept {
    return takings_;
  }

  /// Notes the answer to a claim: whether the store has it from this front.
  /// Answers to other claims than the present one have no effect.
  void claimed(std::uint64_t claim, bool is_mine) noexcept {
    if (step_ == claim_step::claim && claim == this->claim())
      step_ = is_mine ? claim_step::none : claim_step::search;
  }

  /// Notes that the store has no result.
  void not_found() noexcept {
    if (step_ == claim_step::search)
      step_ = claim_step::read;
  }

  /// Notes the claim that the store has; without takings if it has none.
  void was_read(const work_claim& other) {
    if (step_ != claim_step::read)
      return;
    if (other.takings.empty() && !may_claim()) {
      step_ = claim_step::none;
      return;
    }
    auto number = claim();
    unused_ = std::max(unused_, other.unused);
    attempt_ = number - unused_ + 1;
    takings_.resize(1);
    takings_.insert(takings_.end(), other.takings.begin(), other.takings.end());
    begin_attempt();
  }

  /// Notes that no node has begun the submission for an earlier taking, and
  /// that none will.
  /// @pre `next` is `claim_step::none`
  void never_began() {
    auto earlier = std::min<std::uint64_t>(takings_.size() - 1, attempt_ - 1);
    auto has_claim = is_claimed();
    takings_.resize(1);
    unused_ += earlier;
    attempt_ -= earlier;
    if (!has_claim)
      begin_attempt();
  }

private:
  bool may_claim() const noexcept {
    return attempt_ <= last_attempt_;
  }

  /// An attempt beyond the last one needs no claim, but another front can have
  /// one, for which an earlier claim does not count.
  void begin_attempt() noexcept {
    step_ = may_claim() ? claim_step::claim : claim_step::search;
  }

  std::vector<work_taking> takings_; // this one first
  std::uint64_t unused_;
  std::uint64_t last_attempt_;
  std::uint64_t attempt_ = 1;
  claim_step step_ = claim_step::claim;
};

} // namespace libpool
