#pragma once

#include "libpool/actors/caf/lease.hpp"
#include "libpool/actors/managed/waiting_messages.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/core/lease_size.hpp"
#include "libpool/core/worker.hpp"

#include <boost/intrusive/list.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace libpool {

struct managed_worker;

/// The messages that a worker goes on with.
struct worker_lease : lease {
  explicit worker_lease(managed_worker& owner) noexcept : worker(owner) {
    // nop
  }

  managed_worker& worker;
  /// The line that they come from, until the worker has ended with them.
  waiting_line* from = nullptr;
  /// Among the leases that workers have.
  boost::intrusive::list_member_hook<> hook;
  using untold_link = boost::intrusive::list_member_hook<
    boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;
  /// Among the leases of which ends may not have been told, until they were.
  untold_link untold_hook;
};

/// The leases of a managed pool: which messages that wait go to a worker
/// together with a task, so that the pool is told of their ends all at once.
///
/// How many do follows how many wait and how long tasks have taken lately: as
/// much as takes 50 microseconds, and half of their line. A lease that takes
/// longer holds up no message: workers that are idle take over from it, and
/// once it is a millisecond old, all that is left of it waits again when any
/// worker ends a task or a lease. A message that cannot follow others ends a
/// lease.
///
/// Source: decision 0018, leases.
/// Cost:   O(1) for each message.
class leases {
public:
  /// Of messages in `waiting`. None until they are turned on.
  explicit leases(waiting_messages& waiting) noexcept : waiting_(waiting) {
    // nop
  }

  leases(const leases&) = delete;
  leases& operator=(const leases&) = delete;

  ~leases() {
    take_back_all();
  }

  /// A lease is to take no longer than `most`, which is above zero.
  void turn_on(duration most) noexcept {
    longest_ = std::min(longest_, most);
    are_on_ = true;
  }

  bool are_on() const noexcept {
    return are_on_;
  }

  /// No lease is given any more. What workers have not begun waits again.
  void close() {
    is_closed_ = true;
    round_ended();
    take_back_all();
  }

  /// The worker has ended a task in this round, in its own thread: until the
  /// round ends it may get a lease.
  void ended_here(const worker& worker) noexcept {
    here_ = are_on_ && !is_closed_ ? &worker : nullptr;
  }

  void round_ended() noexcept {
    here_ = nullptr;
  }

  /// Whether messages that wait may go to the worker together with a task.
  bool may_go_to(const worker& worker) const noexcept {
    return here_ == &worker && !waiting_.empty();
  }

  /// Makes `filled` a lease of messages of that line, behind its first message,
  /// which came then and has been taken. A task took `service` lately; zero:
  /// nobody knows, and nothing is in it.
  /// @pre `filled` is not out
  void fill(worker_lease& filled, instant came, waiting_line& from,
            duration service, instant now);

  /// The worker has ended with it: what is left waits again.
  void ended(worker_lease& with);

  /// The messages that the worker has ended so far, and whose ends were not
  /// told, which are told with that.
  lease::ends tell_ends(worker_lease& of) noexcept {
    auto result = of.tell_ends();
    untold_messages_ -= static_cast<std::size_t>(result.last - result.first);
    return result;
  }

  /// The messages in leases whose ends were not told, without the first one of
  /// each lease.
  std::size_t untold_messages() const noexcept {
    return untold_messages_;
  }

  /// What workers have not begun of leases that are overdue waits again.
  void take_back_overdue(instant now) {
    while (!out_.empty()
           && later(out_.front().since(), lease_size::overdue) < now)
      come_in(out_.front());
  }

  /// Whether workers may have messages that they have not begun.
  bool are_out() const noexcept {
    return !out_.empty();
  }

  /// Of what a worker has not begun, as much waits again as another one is to
  /// have that has nothing. Returns whether there was anything.
  bool share();

  /// All that workers have not begun waits again.
  void take_back_all();

  /// Calls `f` for each lease with messages whose ends may not have been told.
  template <class F>
  void for_each_untold(F f) {
    for (auto& each : untold_)
      f(each);
  }

  template <class F>
  void for_each_untold(F f) const {
    for (const auto& each : untold_)
      f(each);
  }

  /// How many there were.
  std::uint64_t count() const noexcept {
    return count_;
  }

private:
  void take_back(worker_lease& from, std::size_t n);
  void come_in(worker_lease& from);

  using list = boost::intrusive::list<
    worker_lease,
    boost::intrusive::member_hook<
      worker_lease, boost::intrusive::list_member_hook<>, &worker_lease::hook>>;
  using untold_list = boost::intrusive::list<
    worker_lease,
    boost::intrusive::member_hook<worker_lease, worker_lease::untold_link,
                                  &worker_lease::untold_hook>,
    boost::intrusive::constant_time_size<false>>;

  bool are_on_ = false;
  bool is_closed_ = false;
  duration longest_ = lease_size::longest;
  const worker* here_ = nullptr;
  waiting_messages& waiting_;
  list out_; // those that may have something left, the oldest first
  untold_list untold_;
  std::size_t untold_messages_ = 0;
  std::uint64_t count_ = 0;
};

} // namespace libpool
