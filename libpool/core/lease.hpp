#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/core/lease_size.hpp"
#include "libpool/core/run_times.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace libpool {

/// Messages of tasks that were sent to a worker together. The worker handles
/// one after the other before it reports to its pool. The pool can take back
/// the messages that the worker has not begun, the last ones first.
///
/// Entry 0 stands for the message that the worker begins with. The lease owns
/// nothing: `Message` is trivially copyable, and `Message::prefetch` loads what
/// it refers to into the cache.
///
/// Cost:    one atomic exchange for each message. Nothing is allocated.
/// Threads: the pool fills the lease, takes messages back, and reads the
///          entries that have ended. The worker takes messages.
template <class Message>
class lease {
  static_assert(std::is_trivially_copyable_v<Message>);

public:
  /// Maximum number of messages in a lease.
  static constexpr std::size_t most = lease_size::most;

  lease() = default;
  lease(const lease&) = delete;
  lease& operator=(const lease&) = delete;

  // -- of the pool ------------------------------------------------------------

  /// Empties the lease. `since`: the current time. The worker takes no message
  /// after `ends_by`.
  /// @pre the worker does not have the lease
  void begin(instant since, instant ends_by) noexcept {
    since_ = since;
    ends_by_ = ends_by;
    told_ = 0;
    size_ = 1;
    word_.store(word_of(1, 1), std::memory_order_relaxed);
  }

  /// Adds a message.
  /// @pre the worker does not have the lease, and `size() < most`
  void add(const Message& added) noexcept {
    assert(size_ < most);
    messages_[size_++] = added;
    word_.store(word_of(1, size_), std::memory_order_relaxed);
  }

  /// Number of messages in the lease, including those that have ended. Messages
  /// that were taken back do not count.
  std::size_t size() const noexcept {
    return size_;
  }

  /// Time at which the lease was filled.
  instant since() const noexcept {
    return since_;
  }

  /// Number of messages that the worker has ended, and after which it took
  /// another one. They are the first entries.
  std::size_t ended() const noexcept {
    return next_of(word_.load(std::memory_order_acquire)) - 1;
  }

  /// Calls `f(index, times)` with each message that has ended and whose end was
  /// not told before, in their order.
  template <class F>
  void tell_ends(F f) {
    for (const auto end = ended(); told_ < end; ++told_)
      f(told_, times_[told_]);
  }

  /// Returns the end of the last message whose end was told; the beginning of
  /// time if there is none.
  instant told_until() const noexcept {
    return told_ > 0 ? times_[told_ - 1].ended : instant::min();
  }

  /// Takes back the last messages that the worker has not taken, at most `n`.
  /// Calls `f(index, message)` with each of them, the last one first.
  template <class F>
  void take_back(std::size_t n, F f) {
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
      f(end - 1, messages_[end - 1]);
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
    times_[i - 1] = {started, ended};
    do {
      if (i == end_of(seen))
        return nullptr;
    } while (!word_.compare_exchange_weak(seen, word_of(i + 1, end_of(seen)),
                                          std::memory_order_acq_rel,
                                          std::memory_order_relaxed));
    if (i + 1 < end_of(seen))
      messages_[i + 1].prefetch();
    return &messages_[i];
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
  std::array<Message, most> messages_;
  std::array<run_times, most> times_;
};

} // namespace libpool
