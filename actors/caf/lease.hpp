#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/core/lease_size.hpp"
#include "libpool/core/run_times.hpp"

#include <caf/mailbox_element.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace libpool {

/// Messages that a worker handles one after the other without a word to its
/// pool, behind the message of the task that it was sent. Whoever owns the pool
/// may take back those that the worker has not begun, the last ones first.
///
/// Entry 0 is the message of the task itself.
///
/// Cost:    one atomic exchange for each message; nothing is allocated.
/// Threads: the pool fills it, takes back and reads the entries that have
///          ended; the worker takes.
class lease {
public:
  /// The messages of a lease, that of the task included.
  static constexpr std::size_t most = lease_size::most;

  /// A message, and its place among all that ever waited.
  struct entry {
    caf::mailbox_element* message = nullptr;
    std::uint64_t place = 0;
  };

  lease() = default;
  lease(const lease&) = delete;
  lease& operator=(const lease&) = delete;

  // -- of the pool ------------------------------------------------------------

  /// Begins anew, without any message but that of the task, which came then.
  /// The worker takes nothing once it has passed `ends_by`.
  /// @pre the worker does not have it
  void begin(instant came, instant since, instant ends_by) noexcept {
    times_[0].accepted = came;
    since_ = since;
    ends_by_ = ends_by;
    told_ = 0;
    size_ = 1;
    word_.store(word_of(1, 1), std::memory_order_relaxed);
  }

  /// Adds a message, which came then and is the lease's until it is taken.
  /// @pre the worker does not have it, and `size() < most`
  void add(const entry& added, instant came) noexcept {
    assert(size_ < most);
    times_[size_].accepted = came;
    entries_[size_++] = added;
    word_.store(word_of(1, size_), std::memory_order_relaxed);
  }

  /// All messages but those that were taken back.
  std::size_t size() const noexcept {
    return size_;
  }

  /// Of these, those that have begun or not, but for the first one of which no
  /// end was told.
  std::size_t unknown() const noexcept {
    return size_ - told_ - 1;
  }

  /// When it was filled.
  instant since() const noexcept {
    return since_;
  }

  /// The messages that the worker has not taken.
  std::size_t left() const noexcept {
    auto word = word_.load(std::memory_order_relaxed);
    return end_of(word) - next_of(word);
  }

  /// Calls `f` with when each message came that the worker has not taken, the
  /// next one first, until it returns false.
  template <class F>
  void for_each_left(F f) const {
    auto word = word_.load(std::memory_order_relaxed);
    for (auto i = next_of(word); i < end_of(word); ++i)
      if (!f(times_[i].accepted))
        return;
  }

  /// The messages that the worker has ended, and that were followed by others:
  /// the first entries.
  std::size_t ended() const noexcept {
    return next_of(word_.load(std::memory_order_acquire)) - 1;
  }

  /// The times of messages that have ended, one after the other; those of the
  /// next message, of which no end was told, are at `last`.
  struct ends {
    const run_times* first;
    const run_times* last;
  };

  /// The ends that were not told, which are told with that.
  ends tell_ends() noexcept {
    auto first = std::exchange(told_, ended());
    return {times_.data() + first, times_.data() + told_};
  }

  /// Takes back at most `n` of the messages that the worker has not taken, the
  /// last ones. `each` is given their entries and when they came, the last one
  /// first.
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
      each(entries_[end - 1], times_[end - 1].accepted);
  }

  // -- of the worker ----------------------------------------------------------

  /// The message that the worker has had was handled in that time. Returns the
  /// next one; nullptr if none is left, or it is time to tell the pool: then
  /// the end is not noted.
  caf::mailbox_element* take_next(instant started, instant ended) noexcept {
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
      prefetch(*entries_[i + 1].message);
    return entries_[i].message;
  }

private:
  static void prefetch(const caf::mailbox_element& next) noexcept {
    constexpr auto cache_line = 64;
    const auto* bytes = reinterpret_cast<const char*>(&next);
    __builtin_prefetch(bytes);
    __builtin_prefetch(bytes + cache_line);
  }

  // The entry that the worker takes next, and the end of those that it may.

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
};

} // namespace libpool
