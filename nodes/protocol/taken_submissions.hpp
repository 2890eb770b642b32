#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/export.hpp"
#include "libpool/nodes/protocol/nodes_of_front.hpp"
#include "libpool/nodes/protocol/submission_claims.hpp"
#include "libpool/nodes/protocol/work_queue.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace libpool {

/// What a submission needs of the servers next.
enum class work_step : std::uint8_t {
  none,     ///< Nothing: the pool has the submission.
  claim,    ///< Store its claim.
  search,   ///< Look for its result; if there is none, read its claim.
  look,     ///< Read the records of the fronts that had it earlier.
  judge,    ///< Close these records, and then look for its result.
  result,   ///< Store its result.
  put_back, ///< Store it once more, at the end of the queue.
  failure,  ///< Store its failed message.
  origin,   ///< Remove the failed message that it came of.
};

/// A submission that a front has taken from a durable queue.
struct LIBPOOL_EXPORT taken_submission {
  /// Place in the queue. A cluster that has lost a server can use a place
  /// twice.
  std::uint64_t place = 0;
  /// Name of the submission: client + "." + id.
  std::string name;
  /// Subject at which the submission is acknowledged.
  std::string reply;
  /// Content of the message.
  std::shared_ptr<const std::string> content;
  /// Claims of fronts, of which this front has made one or none.
  submission_claims claims;
  /// Place of the failed message that the submission came of; 0: none.
  std::uint64_t former = 0;
  /// Number of attempts at that message.
  std::uint64_t earlier_attempts = 0;
  /// Result of the pool; unset: none yet.
  std::optional<std::string> result = std::nullopt;
  /// How the submission has failed for good; unset if it has not.
  std::optional<work_failure> failure = std::nullopt;
  /// Whether the servers have a result, which another front may have stored.
  bool is_settled = false;
  /// Whether the servers have the result of another front, which must be read.
  bool has_other_result = false;
  /// Whether the pool has given the submission back.
  bool goes_back = false;
  /// Whether it is decided that the submission has begun for an earlier front.
  bool is_checked = false;
  /// Whether the records of earlier fronts must be read.
  bool must_look = false;
  /// Nodes that serve this front and have not begun the submission, if the
  /// records of earlier fronts must be closed.
  std::optional<std::vector<std::uint64_t>> serving = std::nullopt;
  /// Time from which the next step is taken.
  instant due{};
  /// Time at which the claim was stored last.
  instant claimed{};

  /// Returns the next step.
  work_step next() const noexcept;
};

/// The submissions that a front has taken from a durable queue, from their
/// arrival until they are settled or have gone back. It decides what the
/// servers must store, and in which order, and when the pool gets a submission.
///
/// The owner of this object carries the steps out, and reports the answers of
/// the servers. A step without an answer is repeated after 2 s. An answer for a
/// submission that has ended, or that needs something else, has no effect.
///
/// Cost:    O(log submissions), unless stated otherwise.
/// Threads: one at a time.
class LIBPOOL_EXPORT taken_submissions {
public:
  /// Time before a step is repeated, and before a submission goes back to a
  /// queue that gives this front further submissions.
  static constexpr duration before_repeat = std::chrono::seconds{2};

  /// Makes an object without submissions, for a front that does not take any
  /// yet. `keeps_failures`: the servers store failed messages.
  explicit taken_submissions(bool keeps_failures) noexcept
    : keeps_failures_(keeps_failures) {
    // nop
  }

  // -- facts of the queue -----------------------------------------------------

  /// Notes that the front takes submissions from now on.
  void open() noexcept {
    is_open_ = true;
  }

  /// Notes that the front takes no further submissions.
  void close() noexcept {
    is_open_ = false;
  }

  /// Notes that the front ends: from now on, a submission that is claimed goes
  /// back and not to the pool.
  ///
  /// Cost: O(submissions).
  void end();

  /// Notes that answers of the servers may be lost, so that all steps are
  /// repeated.
  ///
  /// Cost: O(submissions).
  void reconnected();

  /// Notes a submission that the queue has given to the front. If the front has
  /// it already, only its `reply` is new.
  void came(taken_submission given);

  // -- facts of the pool ------------------------------------------------------

  /// Notes the result of the submission, and how it has failed for good, if it
  /// has.
  void settle(std::uint64_t number, std::string result,
              std::optional<work_failure> failure);

  /// Notes that the submission has not begun, and goes back to the queue.
  void put_back(std::uint64_t number, instant now);

  /// Notes that the nodes `serving` serve the front and have not begun the
  /// submission, and that no other node serves it.
  void check_earlier(std::uint64_t number, std::vector<std::uint64_t> serving);

  // -- answers of the servers -------------------------------------------------

  /// Notes that the servers have a claim with the number `claim`, and whether
  /// it is the claim of this front.
  void claimed(std::uint64_t number, std::uint64_t claim, bool is_own);

  /// Notes that the servers have a result, or the submission once more, and
  /// whether it is that of this front.
  void stored(std::uint64_t number, bool is_own);

  /// Notes that the servers have a failed message, and whether it is that of
  /// this front.
  void kept(std::uint64_t number, bool is_own);

  /// Notes that the servers have a result, and how it says that the submission
  /// has failed for good, if it does.
  void found(std::uint64_t number, std::optional<work_failure> failure);

  /// Notes that the servers have no result, and which claim they have; without
  /// takings if they have none.
  ///
  /// Cost: O(submissions).
  void found_none(std::uint64_t number, const work_claim& other);

  /// Notes that the records of the earlier fronts are read.
  void looked(std::uint64_t number);

  /// Notes whether the submission has begun for an earlier front, by the
  /// records of these fronts; the servers have no result.
  void judged(std::uint64_t number, front_verdict verdict);

  /// Notes that the failed message that the submission came of is removed.
  void removed_origin(std::uint64_t number);

  // -- what the owner must do -------------------------------------------------

  /// A step to take with a submission.
  struct need {
    /// Number of the submission.
    std::uint64_t number = 0;
    /// Step to take.
    work_step step = work_step::none;
  };

  /// Returns the steps that are due, by number: at most 16 of them remove
  /// failed messages. A claim waits unless `may_claim`.
  ///
  /// Cost: O(submissions).
  std::vector<need> take_due(bool may_claim, instant now);

  /// Returns the numbers of the submissions whose claims were stored more than
  /// `age` ago, and counts these claims as stored now.
  ///
  /// Cost: O(submissions).
  std::vector<std::uint64_t> take_old_claims(duration age, instant now);

  /// If the front is closed, drops submissions without a complete claim whose
  /// next step is due. Returns where the queue is told that another front can
  /// have them.
  ///
  /// Cost: O(submissions).
  std::vector<std::string> drop_unclaimed(instant now);

  /// Where submissions that have ended are acknowledged. The caller clears the
  /// list.
  std::vector<std::string>& ended() noexcept {
    return ended_;
  }

  /// Submissions for the pool. The caller clears the list.
  std::vector<queued_work>& arrived() noexcept {
    return arrived_;
  }

  /// Takings of each submission that has ended. The caller clears the list.
  std::vector<std::vector<std::uint64_t>>& settled() noexcept {
    return settled_;
  }

  /// Returns whether a step has become due, or a submission has ended, since
  /// the last call.
  bool take_change() noexcept {
    return std::exchange(has_changed_, false);
  }

  // -- questions --------------------------------------------------------------

  /// Whether the front takes submissions.
  bool is_open() const noexcept {
    return is_open_;
  }

  /// Whether something must be sent to the servers before the front may end.
  ///
  /// Cost: O(submissions).
  bool has_to_send() const noexcept;

  /// Number of the last submission that has come.
  std::uint64_t last_number() const noexcept {
    return last_number_;
  }

  /// Returns the submissions by number.
  const std::map<std::uint64_t, taken_submission>& all() const noexcept {
    return all_;
  }

private:
  using iterator = std::map<std::uint64_t, taken_submission>::iterator;

  template <class F>
  void change(std::uint64_t number, F action);
  void make_due(taken_submission& work);
  void go_on(iterator entry);
  void hand_over(iterator entry);
  void settle(iterator entry, std::optional<work_failure> failure);
  void finish(iterator entry);
  iterator remove(iterator entry);
  bool has_pool(const std::string& name) const;

  const bool keeps_failures_;
  bool is_open_ = false;
  bool is_over_ = false;
  bool has_changed_ = false;
  std::map<std::uint64_t, taken_submission> all_;
  /// Numbers of the submissions, by place and name.
  std::map<std::pair<std::uint64_t, std::string>, std::uint64_t> numbers_;
  std::uint64_t last_number_ = 0;
  std::vector<std::string> ended_;
  std::vector<queued_work> arrived_;
  std::vector<std::vector<std::uint64_t>> settled_;
};

} // namespace libpool
