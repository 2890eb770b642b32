#include "libpool/core/staffing.hpp"

#include <algorithm>
#include <iterator>

namespace libpool {

namespace {

std::size_t difference(std::size_t x, std::size_t y) noexcept {
  return x > y ? x - y : 0;
}

} // namespace

void staffing::resized(std::size_t wanted) noexcept {
  wanted_ = std::min(wanted, limits_.most_workers);
  is_settled_ = false;
}

void staffing::added() noexcept {
  wanted_ = std::min(wanted_ + 1, limits_.most_workers);
  is_settled_ = false;
}

void staffing::removed(const headcount& now_there) noexcept {
  note(now_there);
  if (wanted_ > 1 || now_there.serving == 0)
    wanted_ = difference(wanted_, 1);
  else if (gap(now_there) > 0)
    give_up_one();
}

void staffing::ended(const headcount& now_there) noexcept {
  note(now_there);
  if (gap(now_there) > 0)
    give_up_one();
}

void staffing::crashed(const headcount& now_there, instant now) {
  note(now_there);
  if (gap(now_there) == 0)
    return;
  auto when = can_make_ ? restarts_.crashed(now) : std::nullopt;
  if (when)
    due_.insert(*when);
  else
    give_up_one();
}

bool staffing::compare(const headcount& now_there) noexcept {
  note(now_there);
  is_settled_ = due_.empty() && missing(now_there) == 0
                && surplus(now_there) == 0;
  return !is_settled_;
}

/// Forgets replacements that are not needed any more, the latest first.
staffing_change staffing::decide(const headcount& now_there, instant now) {
  note(now_there);
  auto needed = difference(target(now_there),
                           now_there.serving + now_there.unreported);
  while (due_.size() > needed)
    due_.erase(std::prev(due_.end()));
  auto before = due_.size();
  due_.erase(due_.begin(), due_.upper_bound(now));
  return {missing(now_there), before - due_.size(), surplus(now_there)};
}

std::size_t staffing::missing(const headcount& now_there) const noexcept {
  return can_make_ ? gap(now_there) : 0;
}

std::size_t staffing::surplus(const headcount& now_there) const noexcept {
  return difference(now_there.serving, target(now_there));
}

std::size_t staffing::stand_ins() const noexcept {
  return std::min(difference(last_.serving, wanted_), permitted(last_));
}

/// Returns the number of stand-ins for these numbers of workers.
std::size_t staffing::permitted(const headcount& there) const noexcept {
  return can_make_ ? std::min(difference(needing(there), lost_),
                              limits_.most_workers - wanted_)
                   : 0;
}

/// Returns the number of stuck workers for which the limits permit stand-ins.
std::size_t staffing::needing(const headcount& there) const noexcept {
  return std::min(there.stuck, limits_.stand_ins);
}

std::size_t staffing::target(const headcount& there) const noexcept {
  return wanted_ + permitted(there);
}

/// Returns the number of workers that are neither there nor pending.
std::size_t staffing::gap(const headcount& there) const noexcept {
  return difference(target(there),
                    there.serving + there.unreported + due_.size());
}

/// For each stuck worker that has gone on, a lost stand-in is permitted again.
void staffing::note(const headcount& now_there) noexcept {
  lost_ = difference(lost_, difference(last_.stuck, now_there.stuck));
  last_ = now_there;
  is_settled_ = false;
}

/// Gives up one worker of the target: a stand-in if there is one.
void staffing::give_up_one() noexcept {
  auto stand_ins = permitted(last_);
  wanted_ -= stand_ins == 0 && wanted_ > 0 ? 1U : 0U;
  lost_ = needing(last_) - difference(stand_ins, 1);
}

} // namespace libpool
