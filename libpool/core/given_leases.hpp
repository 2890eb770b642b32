#pragma once

#include "libpool/core/dispatcher.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/core/lease.hpp"
#include "libpool/core/lease_size.hpp"
#include "libpool/core/waiting_lines.hpp"

#include <boost/intrusive/list.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace libpool {

/// Tells the dispatcher which message is the first of the line, if the line is
/// that of a worker.
template <class Message>
void tell_first(dispatcher& to, const waiting_line<Message>& of) noexcept {
  if (of.assigned_to != nullptr)
    to.lined(*of.assigned_to,
             of.messages.empty() ? 0 : of.messages.first_assigned().number);
}

/// Leases that workers have, until their messages have ended or have been taken
/// back, and their ends were reported. Messages that are taken back wait in
/// their lines again.
///
/// Cost:    O(1) for each lease, and for each message that is taken back.
/// Threads: as `lease_book`.
template <class Message>
class given_leases {
public:
  /// Lease of a worker.
  using held_lease = booked_lease<Message>;

  /// Both are those of the `lease_book`.
  given_leases(dispatcher& of, waiting_lines<Message>& lines) noexcept
    : dispatcher_(of), waiting_(lines) {
    // nop
  }

  given_leases(const given_leases&) = delete;
  given_leases& operator=(const given_leases&) = delete;
  ~given_leases() = default;

  /// Whether workers may have messages that they have not begun.
  bool are_out() const noexcept {
    return !out_.empty();
  }

  /// Notes a lease that goes to its worker, with messages of the line `from`.
  /// `rank`: that of the task.
  /// @pre the lease has messages besides that of the task
  void add(held_lease& given, waiting_line<Message>& from, std::int64_t rank) {
    given.from = &from;
    ++from.leases;
    untold_ += given.unknown();
    if (out_.empty())
      lowest_rank_ = highest_rank_ = rank;
    lowest_rank_ = std::min(lowest_rank_, rank);
    highest_rank_ = std::max(highest_rank_, rank);
    out_.push_back(given);
    if (!given.untold_hook.is_linked())
      untold_leases_.push_back(given);
    ++count_;
  }

  /// Makes the last messages of the lease wait again, so that at most `size`
  /// messages remain, the message of the task included.
  /// @pre the worker does not have the lease; `size` is at least 1
  void shorten(held_lease& given, std::size_t size) {
    if (given.hook.is_linked() && given.size() > size)
      take_back(given, given.size() - size);
    if (given.size() == 1)
      ended(given);
  }

  /// Notes that the worker has ended the lease. Messages left in it wait again.
  void ended(held_lease& with) {
    if (with.hook.is_linked())
      come_in(with);
    if (auto* from = std::exchange(with.from, nullptr))
      waiting_.lease_ended(*from);
  }

  /// Makes messages that are taken back keep deadlines of their own.
  void keep_deadlines() noexcept {
    has_own_deadlines_ = true;
  }

  // -- messages that are taken back -------------------------------------------

  /// Makes the messages of overdue leases that workers have not begun wait
  /// again. Returns whether there were overdue leases.
  bool take_back_overdue(instant now) {
    auto result = false;
    while (!out_.empty()
           && later(out_.front().since(), lease_size::overdue) < now) {
      come_in(out_.front());
      result = true;
    }
    return result;
  }

  /// Makes half of the messages left in a lease wait again, for an idle worker:
  /// in the oldest lease with messages left for whose line `may_go` returns
  /// true. Returns whether there was one.
  ///
  /// Cost: O(leases) if `may_go` returns false.
  template <class F>
  bool share(F may_go) {
    const auto before = waiting_.size();
    for (auto i = out_.begin(); i != out_.end();) {
      auto& next = *i++;
      if (auto left = next.left(); left > 0) {
        if (!may_go(std::as_const(*next.from)))
          continue;
        take_back(next, (left + 1) / 2);
      }
      if (next.left() == 0)
        come_in(next);
      if (waiting_.size() > before)
        return true;
    }
    return false;
  }

  /// Makes half of the messages left in the oldest lease with messages left
  /// wait again, for an idle worker. Returns whether there was one.
  bool share() {
    return share([](const waiting_line<Message>&) { return true; });
  }

  /// Makes all messages that workers have not begun wait again.
  void take_back_all() {
    while (!out_.empty())
      come_in(out_.front());
  }

  /// Lower bound of the ranks of messages that workers have not begun.
  /// @pre `are_out()`
  std::int64_t lowest_rank() const noexcept {
    return lowest_rank_;
  }

  /// Upper bound of the ranks of messages that workers have not begun.
  /// @pre `are_out()`
  std::int64_t highest_rank() const noexcept {
    return highest_rank_;
  }

  // -- ends -------------------------------------------------------------------

  /// Returns the ends of messages in the lease that were not reported yet, and
  /// marks them as reported.
  typename lease<Message>::ends tell_ends(held_lease& of) noexcept {
    auto result = of.tell_ends();
    untold_ -= static_cast<std::size_t>(result.last - result.first);
    return result;
  }

  /// Number of messages whose ends were not reported, without the first one of
  /// each lease, which is that of its task.
  std::size_t untold() const noexcept {
    return untold_;
  }

  /// Calls `f` for each lease with ends that may not have been reported.
  template <class F>
  void for_each_untold(F f) {
    for (auto& each : untold_leases_)
      f(each);
  }

  /// Calls `f` for each lease with ends that may not have been reported.
  template <class F>
  void for_each_untold(F f) const {
    for (const auto& each : untold_leases_)
      f(each);
  }

  /// Number of leases so far.
  std::uint64_t count() const noexcept {
    return count_;
  }

private:
  /// Makes all messages that are left in the lease wait again.
  void come_in(held_lease& from) {
    take_back(from, lease_size::most);
    out_.erase(out_.iterator_to(from));
  }

  void take_back(held_lease& from, std::size_t n) {
    from.take_back(
      n, [&](const auto& each, const auto& times, const auto* assigned) {
        --untold_;
        waiting_message<Message> returned{
          each.message, times.accepted, each.place,
          has_own_deadlines_ ? times.deadline : never};
        if (assigned != nullptr)
          waiting_.put_first(*from.from, returned, *assigned);
        else
          waiting_.put_back(*from.from, returned);
      });
    if (from.from != nullptr)
      tell_first(dispatcher_, *from.from);
  }

  using list = boost::intrusive::list<
    held_lease,
    boost::intrusive::member_hook<
      held_lease, boost::intrusive::list_member_hook<>, &held_lease::hook>>;
  using untold_list = boost::intrusive::list<
    held_lease,
    boost::intrusive::member_hook<held_lease, typename held_lease::untold_link,
                                  &held_lease::untold_hook>,
    boost::intrusive::constant_time_size<false>>;

  dispatcher& dispatcher_;
  waiting_lines<Message>& waiting_;
  list out_; // leases that may have messages left, the oldest first
  std::int64_t lowest_rank_ = 0;
  std::int64_t highest_rank_ = 0;
  untold_list untold_leases_;
  std::size_t untold_ = 0;
  bool has_own_deadlines_ = false;
  std::uint64_t count_ = 0;
};

} // namespace libpool
