#include "libpool/nodes/protocol/taken_submissions.hpp"

#include <algorithm>

namespace libpool {

namespace {

/// Maximum number of failed messages that are removed in one round, for which
/// the thread of the queue waits.
constexpr std::size_t most_removed = 16;

std::vector<std::uint64_t> numbers_of(const std::vector<work_taking>& takings) {
  std::vector<std::uint64_t> result;
  for (const auto& each : takings)
    result.push_back(each.number);
  return result;
}

/// Whether the step decides whether a submission has begun for an earlier
/// front.
bool is_of_check(work_step step) noexcept {
  return step == work_step::look || step == work_step::judge;
}

} // namespace

work_step taken_submission::next() const noexcept {
  if (is_settled)
    return failure ? work_step::failure : work_step::origin;
  if (claims.next() == claim_step::claim)
    return work_step::claim;
  if (claims.next() != claim_step::none || has_other_result)
    return work_step::search;
  if (must_look)
    return work_step::look;
  if (serving)
    return work_step::judge;
  if (result)
    return work_step::result;
  return goes_back ? work_step::put_back : work_step::none;
}

/// Calls `action` with the submission, if the front has it.
template <class F>
void taken_submissions::change(std::uint64_t number, F action) {
  if (auto found = all_.find(number); found != all_.end())
    action(found);
}

void taken_submissions::make_due(taken_submission& work) {
  work.due = {};
  has_changed_ = true;
}

// -- facts of the queue -------------------------------------------------------

void taken_submissions::end() {
  is_over_ = true;
  close();
  for (auto& [number, work] : all_)
    if (work.next() >= work_step::result)
      make_due(work);
}

void taken_submissions::reconnected() {
  for (auto& [number, work] : all_)
    if (!work.goes_back)
      make_due(work);
}

void taken_submissions::came(taken_submission given) {
  auto [known, is_new] = numbers_.try_emplace({given.place, given.name},
                                              last_number_ + 1);
  if (!is_new) {
    all_.at(known->second).reply = std::move(given.reply);
    return;
  }
  all_.emplace(++last_number_, std::move(given));
  has_changed_ = true;
}

// -- facts of the pool --------------------------------------------------------

void taken_submissions::settle(std::uint64_t number, std::string result,
                               std::optional<work_failure> failure) {
  change(number, [&](iterator entry) {
    auto& work = entry->second;
    if (work.is_settled)
      return;
    work.result = std::move(result);
    if (keeps_failures_ && failure) {
      failure->attempts += work.earlier_attempts;
      work.failure = std::move(failure);
    }
    make_due(work);
  });
}

void taken_submissions::put_back(std::uint64_t number, instant now) {
  change(number, [&](iterator entry) {
    entry->second.goes_back = true;
    make_due(entry->second);
    if (is_open_) // this front would take it again
      entry->second.due = later(now, before_repeat);
  });
}

void taken_submissions::check_earlier(std::uint64_t number,
                                      std::vector<std::uint64_t> serving) {
  change(number, [&](iterator entry) {
    entry->second.serving = std::move(serving);
    make_due(entry->second);
  });
}

// -- answers of the servers ---------------------------------------------------

void taken_submissions::claimed(std::uint64_t number, std::uint64_t claim,
                                bool is_own) {
  change(number, [&](iterator entry) {
    if (entry->second.claims.next() != claim_step::claim)
      return;
    entry->second.claims.claimed(claim, is_own);
    go_on(entry);
  });
}

void taken_submissions::stored(std::uint64_t number, bool is_own) {
  change(number, [&](iterator entry) {
    auto& work = entry->second;
    if (work.is_settled)
      return;
    if (!work.result) // it goes back
      return finish(entry);
    if (is_own || !keeps_failures_)
      return settle(entry, std::move(work.failure));
    work.has_other_result = true; // which may be a failure
    make_due(work);
  });
}

/// If a failed message that came of an earlier one has no former message, it
/// was removed or is too old.
void taken_submissions::kept(std::uint64_t number, bool is_own) {
  change(number, [&](iterator entry) {
    if (is_own || entry->second.former == 0)
      return finish(entry);
    entry->second.former = 0;
    make_due(entry->second);
  });
}

void taken_submissions::found(std::uint64_t number,
                              std::optional<work_failure> failure) {
  change(number, [&](iterator entry) { settle(entry, std::move(failure)); });
}

/// A submission that the pool has under another number waits for its result.
void taken_submissions::found_none(std::uint64_t number,
                                   const work_claim& other) {
  change(number, [&](iterator entry) {
    auto& work = entry->second;
    work.has_other_result = false;
    if (has_pool(work.name))
      return;
    work.claims.not_found();
    work.claims.was_read(other);
    go_on(entry);
  });
}

void taken_submissions::looked(std::uint64_t number) {
  change(number, [&](iterator entry) {
    entry->second.must_look = false;
    hand_over(entry);
  });
}

void taken_submissions::judged(std::uint64_t number, front_verdict verdict) {
  change(number, [&](iterator entry) {
    auto& work = entry->second;
    work.serving.reset();
    work.is_checked = verdict == front_verdict::may_have_begun;
    if (verdict == front_verdict::never_began)
      work.claims.never_began();
    go_on(entry);
  });
}

void taken_submissions::removed_origin(std::uint64_t number) {
  change(number, [&](iterator entry) { finish(entry); });
}

// -- submissions --------------------------------------------------------------

/// Passes a submission on whose claims are complete.
void taken_submissions::go_on(iterator entry) {
  auto& work = entry->second;
  auto is_complete = work.claims.next() == claim_step::none;
  work.goes_back = is_over_ && work.claims.is_claimed();
  auto is_unknown = work.claims.takings().size() > 1 && !work.is_checked;
  if (is_complete && !work.goes_back && !is_unknown)
    return hand_over(entry);
  work.must_look = is_complete && !work.goes_back;
  make_due(work);
}

void taken_submissions::hand_over(iterator entry) {
  const auto& [number, work] = *entry;
  arrived_.push_back({number,
                      numbers_of(work.claims.takings()),
                      work.claims.attempt(),
                      work.is_checked,
                      work.name.substr(0, work.name.find('.')),
                      {work.content, *work.content}});
}

/// Notes that the result of a submission is stored. Its failed message is
/// stored or removed before the submission is.
void taken_submissions::settle(iterator entry,
                               std::optional<work_failure> failure) {
  auto& work = entry->second;
  work.failure = std::move(failure);
  work.is_settled = true;
  if (!keeps_failures_ || (!work.failure && work.former == 0))
    return finish(entry);
  make_due(work);
}

void taken_submissions::finish(iterator entry) {
  ended_.push_back(std::move(entry->second.reply));
  settled_.push_back(numbers_of(entry->second.claims.takings()));
  remove(entry);
  has_changed_ = true;
}

taken_submissions::iterator taken_submissions::remove(iterator entry) {
  numbers_.erase({entry->second.place, entry->second.name});
  return all_.erase(entry);
}

/// Whether the pool has a submission of the name.
bool taken_submissions::has_pool(const std::string& name) const {
  return std::any_of(all_.begin(), all_.end(), [&](const auto& each) {
    return each.second.name == name
           && each.second.claims.next() == claim_step::none;
  });
}

// -- what the owner must do ---------------------------------------------------

std::vector<taken_submissions::need> taken_submissions::take_due(bool may_claim,
                                                                 instant now) {
  std::vector<need> result;
  std::size_t removed = 0;
  for (auto& [number, work] : all_) {
    auto step = work.next();
    if (step == work_step::none || work.due > now
        || (is_over_ && is_of_check(step))
        || (step == work_step::claim && !may_claim)
        || (step == work_step::origin && removed++ >= most_removed))
      continue;
    work.due = later(now, before_repeat);
    if (step == work_step::claim)
      work.claimed = now;
    result.push_back({number, step});
  }
  return result;
}

std::vector<std::uint64_t> taken_submissions::take_old_claims(duration age,
                                                              instant now) {
  std::vector<std::uint64_t> result;
  for (auto& [number, work] : all_)
    if (work.claims.is_claimed() && now - work.claimed > age) {
      work.claimed = now;
      result.push_back(number);
    }
  return result;
}

std::vector<std::string> taken_submissions::drop_unclaimed(instant now) {
  std::vector<std::string> result;
  for (auto i = all_.begin(); !is_open_ && i != all_.end();) {
    const auto& work = i->second;
    if (work.claims.next() == claim_step::none || work.is_settled
        || work.due > now) {
      ++i;
    } else {
      result.push_back(work.reply);
      i = remove(i);
    }
  }
  return result;
}

bool taken_submissions::has_to_send() const noexcept {
  return !ended_.empty()
         || std::any_of(all_.begin(), all_.end(), [](const auto& each) {
              auto step = each.second.next();
              return step != work_step::none && !is_of_check(step);
            });
}

} // namespace libpool
