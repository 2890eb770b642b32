#pragma once

#include "libpool/core/instant.hpp"

#include <caf/mailbox_element.hpp>

#include <boost/container/deque.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace libpool {

/// A waiting message.
struct waiting_message {
  caf::mailbox_element_ptr element;
  instant came;
  /// Position among all messages that ever waited.
  std::uint64_t place;
};

/// Whether a message can follow another message in a lease.
enum class follows : std::uint8_t { yes, no };

/// Messages of a busy pool for which no task was made yet, first come, first
/// served. Waiting messages need no further memory, and the few tasks in use
/// stay in the caches. A message that is put back returns to its former
/// position.
///
/// Load: an empty backlog allocates nothing.
/// Cost: O(1) to add and to take; O(log n) while n messages that were put back
///       wait.
class backlog {
public:
  backlog() = default;
  backlog(const backlog&) = delete;
  backlog& operator=(const backlog&) = delete;

  ~backlog() {
    while (!empty())
      take();
  }

  bool empty() const noexcept {
    return new_.empty() && returned_.empty();
  }

  std::size_t size() const noexcept {
    return new_.size() + returned_.size();
  }

  void add(caf::mailbox_element_ptr element, instant now,
           follows how = follows::yes) {
    add_times(1, now);
    new_.push_back({element.release(), how});
  }

  /// Adds the `n` messages that `next` returns, at least one. Each of them can
  /// follow others in a lease.
  template <class Next>
  void add(std::size_t n, instant now, Next next) {
    add_times(n, now);
    for (std::size_t i = 0; i < n; ++i)
      new_.push_back({next().release(), follows::yes});
  }

  void put_back(waiting_message message) {
    returned_.push_back(std::move(message));
    std::push_heap(returned_.begin(), returned_.end(), goes_after{});
  }

  /// Whether the first message can follow another one in a lease.
  /// @pre not empty
  bool first_follows() const noexcept {
    return !returned_.empty() || new_.front().follows_others();
  }

  /// Acceptance time of the first message.
  /// @pre not empty
  instant first_came() const noexcept {
    return returned_.empty() ? times_.front().came : returned_.front().came;
  }

  /// Calls `f` with the acceptance time of each message, until `f` returns
  /// false.
  template <class F>
  void for_each_time(F f) const {
    for (const auto& each : returned_)
      if (!f(each.came))
        return;
    for (const auto& each : times_)
      for (std::size_t i = 0; i < each.count; ++i)
        if (!f(each.came))
          return;
  }

  /// Removes and returns the first message.
  /// @pre not empty
  waiting_message take() noexcept {
    return returned_.empty() ? take_new() : take_returned();
  }

private:
  struct arrival {
    instant came;
    std::size_t count;
  };

  /// A message, packed into one word.
  class word {
  public:
    word(caf::mailbox_element* message, follows how) noexcept
      : bits_(reinterpret_cast<std::uintptr_t>(message)
              | static_cast<std::uintptr_t>(how)) {
      // nop
    }

    bool follows_others() const noexcept {
      return (bits_ & mask) == static_cast<std::uintptr_t>(follows::yes);
    }

    caf::mailbox_element* message() const noexcept {
      // NOLINTNEXTLINE(performance-no-int-to-ptr)
      return reinterpret_cast<caf::mailbox_element*>(bits_ & ~mask);
    }

  private:
    static constexpr std::uintptr_t mask = 1;

    std::uintptr_t bits_;
  };

  struct goes_after {
    bool operator()(const waiting_message& x,
                    const waiting_message& y) const noexcept {
      return x.place > y.place;
    }
  };

  void add_times(std::size_t n, instant now) {
    if (times_.empty() || times_.back().came != now)
      times_.push_back({now, 0});
    times_.back().count += n;
  }

  waiting_message take_new() noexcept {
    auto* taken = new_.front().message();
    new_.pop_front();
    auto came = times_.front().came;
    if (--times_.front().count == 0)
      times_.pop_front();
    return {caf::mailbox_element_ptr{taken}, came, ++taken_};
  }

  /// Messages that were put back have lower positions than all others.
  waiting_message take_returned() noexcept {
    std::pop_heap(returned_.begin(), returned_.end(), goes_after{});
    auto result = std::move(returned_.back());
    returned_.pop_back();
    return result;
  }

  boost::container::deque<word> new_; // messages that were never taken
  std::uint64_t taken_ = 0;           // messages taken out of `new_`
  boost::container::deque<arrival> times_;
  std::vector<waiting_message> returned_; // a heap
};

} // namespace libpool
