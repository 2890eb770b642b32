#pragma once

#include "libpool/actors/caf/inner_pool.hpp"
#include "libpool/core/ledger.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace libpool {

/// Room of a managed pool as its outer pools know it, and when they must be
/// told: when it changes, when a pool that was full has room again, and when a
/// worker is a new pool, so that a cycle of pools is detected.
///
/// Source:  decision 0013, pools as workers.
/// Threads: `get` from any thread; everything else from the thread that handles
///          the pool's facts.
class published_room {
public:
  /// `pool` is the serial number of the pool.
  explicit published_room(std::uint64_t pool) noexcept : pool_(pool) {
    // nop
  }

  /// Returns the room that was published last.
  room get() const noexcept {
    return {seats_.load(std::memory_order_relaxed),
            expects_change_.load(std::memory_order_relaxed)};
  }

  /// Notes that a message was given back to its outer pool because the pool was
  /// full.
  void was_full(const ledger& books) noexcept {
    was_full_at_ = progress(books);
  }

  /// Notes that a new worker is a pool.
  void pool_joined() noexcept {
    has_new_pool_ = true;
  }

  /// Ends a round of facts with the room `now`. Returns the report for the
  /// outer pools; unset if none is needed.
  std::optional<room_report> round_ended(room now, const ledger& books) {
    auto is_for_all = has_room_again(books)
                      || std::exchange(has_new_pool_, false);
    if (!is_for_all && !is_news(now))
      return std::nullopt;
    return publish(now, {}, is_for_all);
  }

  /// Notes that an inner pool's report changed the room to `now`. Returns the
  /// report for the outer pools; unset if none is needed.
  std::optional<room_report> inner_changed(room now,
                                           const room_report& reported);

  /// Whether the report goes back to a change of this pool, which is then a
  /// worker of itself.
  bool is_own(const room_report& reported) const noexcept;

private:
  /// Number of tasks that the pool has taken out of its queue or ended.
  static std::uint64_t progress(const ledger& books) noexcept;

  bool has_room_again(const ledger& books) noexcept {
    if (!was_full_at_ || *was_full_at_ == progress(books))
      return false;
    was_full_at_ = std::nullopt;
    return true;
  }

  bool is_news(room now) const noexcept {
    auto before = get();
    return before.seats != now.seats
           || before.expects_change != now.expects_change;
  }

  room_report publish(room now, std::vector<std::uint64_t> passed,
                      bool is_for_all);

  const std::uint64_t pool_;
  std::atomic<std::size_t> seats_{0};
  std::atomic<bool> expects_change_{false};
  /// Progress at the time when a message was given back because the pool was
  /// full.
  std::optional<std::uint64_t> was_full_at_;
  bool has_new_pool_ = false;
};

} // namespace libpool
