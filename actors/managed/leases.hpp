#pragma once

#include "libpool/actors/caf/lease.hpp"
#include "libpool/actors/managed/backlog.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/core/worker.hpp"

#include <boost/intrusive/list.hpp>

#include <cstddef>
#include <cstdint>

namespace libpool {

/// The leases of a managed pool: which messages that wait go to a worker
/// together with a task, so that the pool is told of their ends all at once.
///
/// How many do follows how many wait and how long tasks have taken lately: as
/// much as takes 50 microseconds, and half of all. One that takes longer holds
/// nobody up: workers that have nothing take over from it, and after a
/// millisecond all that is left waits again.
///
/// Source: decision 0018, leases.
/// Cost:   O(1) for each message.
class leases {
public:
  /// Of messages in `waiting`. None until they are turned on.
  explicit leases(backlog& waiting) noexcept : waiting_(waiting) {
    // nop
  }

  leases(const leases&) = delete;
  leases& operator=(const leases&) = delete;

  ~leases() {
    take_back_all();
  }

  void turn_on() noexcept {
    are_on_ = true;
  }

  /// The worker has ended a task in this round, in its own thread: until the
  /// round ends it may get a lease.
  void ended_here(const worker& worker) noexcept {
    here_ = are_on_ ? &worker : nullptr;
  }

  void round_ended() noexcept {
    here_ = nullptr;
  }

  /// Whether messages that wait may go to the worker together with a task.
  bool may_go_to(const worker& worker) const noexcept {
    return here_ == &worker && !waiting_.empty();
  }

  /// Makes `filled` a lease of what waits. A task took `service` lately; zero:
  /// nobody knows, and nothing is in it.
  /// @pre `filled` is not out
  void fill(lease& filled, duration service, instant now);

  /// The worker has ended with it: what is left waits again.
  void ended(lease& with) {
    take_back(with, lease::most);
    if (with.hook.is_linked())
      out_.erase(out_.iterator_to(with));
  }

  /// Of what a worker has not begun, as much waits again as another one is to
  /// have that has nothing. Returns whether there was anything.
  bool share();

  /// All that workers have not begun waits again.
  void take_back_all();

  /// What one worker has not begun waits again.
  void take_back(lease& from) {
    take_back(from, lease::most);
  }

  /// How many there were.
  std::uint64_t count() const noexcept {
    return count_;
  }

private:
  static std::size_t size_of(std::size_t waiting, duration service) noexcept;
  void take_back(lease& from, std::size_t n);
  void take_back_overdue(instant now);

  using list = boost::intrusive::list<
    lease, boost::intrusive::member_hook<
             lease, boost::intrusive::list_member_hook<>, &lease::hook>>;

  bool are_on_ = false;
  const worker* here_ = nullptr;
  backlog& waiting_;
  list out_; // those that may have something left, the oldest first
  std::uint64_t count_ = 0;
};

} // namespace libpool
