#pragma once

#include "libpool/core/assigned_message.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/core/lease_size.hpp"
#include "libpool/core/run_times.hpp"

#include <boost/intrusive/list_hook.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace libpool {

template <class Message>
struct waiting_line;

struct worker;

/// Messages that a worker handles after the message of its task, one after the
/// other, before it reports to its pool. The pool can take back the messages
/// that the worker has not begun, the last ones first.
///
/// Entry 0 is the message of the task itself. The lease owns nothing: `Message`
/// is trivially copyable, and `Message::prefetch` loads what it refers to into
/// the cache.
///
/// Cost:    one atomic exchange for each message. Nothing is allocated.
/// Threads: the pool fills the lease, takes messages back, and reads the
///          entries that have ended. The worker takes messages.
template <class Message>
class lease {
  static_assert(std::is_trivially_copyable_v<Message>);

public:
  /// Maximum number of messages in a lease, including that of the task.
  static constexpr std::size_t most = lease_size::most;

  /// A message of the lease.
  struct entry {
    /// The message.
    Message message{};
    /// Position among all messages that ever waited in the line.
    std::uint64_t place = 0;
  };

  lease() = default;
  lease(const lease&) = delete;
  lease& operator=(const lease&) = delete;

  // -- of the pool ------------------------------------------------------------

  /// Empties the lease, for a task that was accepted at `came`. The worker
  /// takes no message after `ends_by`.
  /// @pre the worker does not have the lease
  void begin(instant came, instant since, instant ends_by) noexcept {
    times_[0].accepted = came;
    since_ = since;
    ends_by_ = ends_by;
    told_ = 0;
    size_ = 1;
    word_.store(word_of(1, 1), std::memory_order_relaxed);
  }

  /// Adds a message that was accepted at `came`.
  /// @pre the worker does not have the lease, and `size() < most`
  void add(const entry& added, instant came,
           instant deadline = never) noexcept {
    assert(size_ < most);
    times_[size_].accepted = came;
    times_[size_].deadline = deadline;
    entries_[size_++] = added;
    word_.store(word_of(1, size_), std::memory_order_relaxed);
  }

  /// Stores the assignment data of the message that is added next.
  /// @pre as for `add`
  void assign_next(const assigned_message& data) {
    assigned_.resize(most);
    assigned_[size_] = data;
  }

  /// Number of messages in the lease, the message of the task included.
  /// Messages that were taken back do not count.
  std::size_t size() const noexcept {
    return size_;
  }

  /// Number of messages whose end was not reported, without the first of them.
  std::size_t unknown() const noexcept {
    return size_ - told_ - 1;
  }

  /// Time at which the lease was filled.
  instant since() const noexcept {
    return since_;
  }

  /// Number of messages that the worker has not taken.
  std::size_t left() const noexcept {
    auto word = word_.load(std::memory_order_relaxed);
    return end_of(word) - next_of(word);
  }

  /// Calls `f` with each message that the worker has not taken, and with its
  /// acceptance time, in the order of the lease, until `f` returns false.
  template <class F>
  void for_each_left(F f) const {
    auto word = word_.load(std::memory_order_relaxed);
    for (auto i = next_of(word); i < end_of(word); ++i)
      if (!f(entries_[i].message, times_[i].accepted))
        return;
  }

  /// Calls `f` with each message besides that of the task. `f` may change the
  /// message.
  /// @pre the worker does not have the lease
  template <class F>
  void for_each_follower(F f) {
    for (std::size_t i = 1; i < size_; ++i)
      f(entries_[i].message);
  }

  /// Number of messages that the worker has ended, and after which it took
  /// another one. They are the first entries.
  std::size_t ended() const noexcept {
    return next_of(word_.load(std::memory_order_acquire)) - 1;
  }

  /// Times of messages that have ended, from `first` to `last`.
  struct ends {
    /// Times of the first message.
    const run_times* first;
    /// End of the range: the entry of the next message.
    const run_times* last;
  };

  /// Returns the ends that were not reported before, and marks them as
  /// reported.
  ends tell_ends() noexcept {
    auto first = std::exchange(told_, ended());
    return {times_.data() + first, times_.data() + told_};
  }

  /// Returns the end of the last message whose end was reported; the beginning
  /// of time if there is none.
  instant told_until() const noexcept {
    return told_ > 0 ? times_[told_ - 1].ended : instant::min();
  }

  /// Returns a pointer to the assignment data of the message after the one with
  /// the times `of`; the data of later messages follows. nullptr: the messages
  /// of the lease have no assignment data.
  const assigned_message* assigned_behind(const run_times& of) const noexcept {
    return assigned_.empty() ? nullptr : &assigned_[index_of(of) + 1];
  }

  /// Returns the index of the message with these times.
  std::size_t index_of(const run_times& of) const noexcept {
    return static_cast<std::size_t>(&of - times_.data());
  }

  /// Takes back the last messages that the worker has not taken, at most `n`.
  /// Calls `each` with the entry, the times, and the data of the assignment of
  /// each message, the last message first. The data is nullptr if
  /// the messages are not assigned to the worker.
  template <class F>
  void take_back(std::size_t n, F each) {
    auto seen = word_.load(std::memory_order_relaxed);
    std::size_t end = 0;
    std::size_t rest = 0;
    do {
      end = end_of(seen);
      rest = end - std::min(n, end - next_of(seen));
    } while (!word_.compare_exchange_weak(seen, word_of(next_of(seen), rest),
                                          std::memory_order_acq_rel,
                                          std::memory_order_relaxed));
    size_ = rest;
    for (; end > rest; --end)
      each(entries_[end - 1], times_[end - 1],
           assigned_.empty() ? nullptr : &assigned_[end - 1]);
  }

  // -- of the worker ----------------------------------------------------------

  /// Records the times of the worker's message, and returns the next one.
  /// Returns nullptr if none is left. Returns nullptr without recording if it
  /// is time to report to the pool.
  const Message* take_next(instant started, instant ended) noexcept {
    if (ended > ends_by_)
      return nullptr;
    auto seen = word_.load(std::memory_order_relaxed);
    auto i = next_of(seen);
    times_[i - 1].started = started;
    times_[i - 1].ended = ended;
    do {
      if (i == end_of(seen))
        return nullptr;
    } while (!word_.compare_exchange_weak(seen, word_of(i + 1, end_of(seen)),
                                          std::memory_order_acq_rel,
                                          std::memory_order_relaxed));
    if (i + 1 < end_of(seen))
      entries_[i + 1].message.prefetch();
    return &entries_[i].message;
  }

private:
  // Index of the entry that the worker takes next, and end of the entries that
  // it may take.

  static constexpr std::uint32_t word_of(std::size_t next,
                                         std::size_t end) noexcept {
    return static_cast<std::uint32_t>(next)
           | static_cast<std::uint32_t>(end) << 16U;
  }

  static constexpr std::size_t next_of(std::uint32_t word) noexcept {
    return word & 0xffffU;
  }

  static constexpr std::size_t end_of(std::uint32_t word) noexcept {
    return word >> 16U;
  }

  std::atomic<std::uint32_t> word_{word_of(1, 1)};
  instant ends_by_{};
  instant since_{};
  std::size_t told_ = 0;
  std::size_t size_ = 1;
  std::array<entry, most> entries_;
  std::array<run_times, most> times_;
  std::vector<assigned_message> assigned_; // empty, or one for each entry
};

/// A lease of a worker, as the pool keeps it.
template <class Message>
struct booked_lease : lease<Message> {
  /// Makes an empty lease of the worker `owner`.
  explicit booked_lease(libpool::worker& owner) noexcept : worker(owner) {
    // nop
  }

  /// Worker that gets the lease.
  libpool::worker& worker;
  /// Line from which the messages come, until the worker has ended the lease.
  waiting_line<Message>* from = nullptr;
  /// Link in the list of leases that workers have.
  boost::intrusive::list_member_hook<> hook;
  /// Type of `untold_hook`.
  using untold_link = boost::intrusive::list_member_hook<
    boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;
  /// Link in the list of leases whose ends may not have been reported.
  untold_link untold_hook;
};

} // namespace libpool
