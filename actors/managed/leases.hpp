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

/// A lease of a worker of a managed pool.
struct worker_lease : lease {
  explicit worker_lease(managed_worker& owner) noexcept : worker(owner) {
    // nop
  }

  managed_worker& worker;
  /// Line from which the messages come, until the worker has ended the lease.
  waiting_line* from = nullptr;
  /// Link in the list of leases that workers have.
  boost::intrusive::list_member_hook<> hook;
  using untold_link = boost::intrusive::list_member_hook<
    boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;
  /// Link in the list of leases whose ends may not have been reported.
  untold_link untold_hook;
};

/// Leases of a managed pool: waiting messages that go to a worker together with
/// a task, so that the pool is told of their ends together.
///
/// The size of a lease depends on the number of waiting messages and on the
/// recent service times: as many as take 50 microseconds, and at most half of
/// their line. A lease that takes longer delays no message: an idle worker
/// takes over a part of it, and once the lease is a millisecond old, all
/// messages left in it wait again when any worker ends a task or a lease. A
/// message that cannot follow others ends a lease.
///
/// Source: decision 0018, leases.
/// Cost:   O(1) for each message.
class leases {
public:
  /// Leases of messages in `waiting`. Turned off at first.
  explicit leases(waiting_messages& waiting) noexcept : waiting_(waiting) {
    // nop
  }

  leases(const leases&) = delete;
  leases& operator=(const leases&) = delete;

  ~leases() {
    take_back_all();
  }

  /// Turns leases on. `most` is the maximum duration of a lease; above zero.
  void turn_on(duration most) noexcept {
    longest_ = std::min(longest_, most);
    are_on_ = true;
  }

  bool are_on() const noexcept {
    return are_on_;
  }

  /// Stops giving leases. Messages that workers have not begun wait again.
  void close() {
    is_closed_ = true;
    round_ended();
    take_back_all();
  }

  /// Notes that the worker has ended a task in this round, in its own thread.
  /// The worker may get a lease until the round ends.
  void ended_here(const worker& worker) noexcept {
    here_ = are_on_ && !is_closed_ ? &worker : nullptr;
  }

  void round_ended() noexcept {
    here_ = nullptr;
  }

  /// Whether waiting messages may go to the worker together with a task.
  bool may_go_to(const worker& worker) const noexcept {
    return here_ == &worker && !waiting_.empty();
  }

  /// Fills a lease with messages of the line `from`. Its first message,
  /// accepted at `came`, was already taken. `service` is the recent service
  /// time; zero means unknown and leaves the lease empty.
  /// @pre the worker does not have the lease
  void fill(worker_lease& filled, instant came, waiting_line& from,
            duration service, instant now);

  /// Notes that the worker has ended the lease. Messages left in it wait again.
  void ended(worker_lease& with);

  /// Returns the ends of messages in the lease that were not reported yet, and
  /// marks them as reported.
  lease::ends tell_ends(worker_lease& of) noexcept {
    auto result = of.tell_ends();
    untold_messages_ -= static_cast<std::size_t>(result.last - result.first);
    return result;
  }

  /// Number of messages in leases whose ends were not reported, without the
  /// first message of each lease.
  std::size_t untold_messages() const noexcept {
    return untold_messages_;
  }

  /// Makes the messages of overdue leases that workers have not begun wait
  /// again.
  void take_back_overdue(instant now) {
    while (!out_.empty()
           && later(out_.front().since(), lease_size::overdue) < now)
      come_in(out_.front());
  }

  /// Whether workers may have messages of leases that they have not begun.
  bool are_out() const noexcept {
    return !out_.empty();
  }

  /// Makes half of the messages left in the oldest lease wait again, for an
  /// idle worker. Returns whether any message waits.
  bool share();

  /// Makes all messages that workers have not begun wait again.
  void take_back_all();

  /// Calls `f` for each lease with ends that may not have been reported.
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

  /// Number of leases so far.
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
  list out_; // leases that may have messages left, the oldest first
  untold_list untold_;
  std::size_t untold_messages_ = 0;
  std::uint64_t count_ = 0;
};

} // namespace libpool
