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

/// How much room a managed pool has, as its outer pools know it, and when they
/// have to be told: when it changes, when a pool that was full has room again,
/// and when one of its workers is a new pool, so that a ring of pools shows.
///
/// Source:  decision 0013, pools as workers.
/// Threads: `get` from any; everything else belongs to whoever handles the
///          facts of the pool.
class published_room {
public:
  /// `pool` is the serial number of the pool whose room it is.
  explicit published_room(std::uint64_t pool) noexcept : pool_(pool) {
    // nop
  }

  /// The room that was published last.
  room get() const noexcept {
    return {seats_.load(std::memory_order_relaxed),
            expects_change_.load(std::memory_order_relaxed)};
  }

  /// A message was given back to its outer pool for want of room.
  void was_full(const ledger& books) noexcept {
    was_full_at_ = progress(books);
  }

  /// One of the workers is a pool, and new.
  void pool_joined() noexcept {
    has_new_pool_ = true;
  }

  /// A round of facts has ended with this room. Returns what outer pools have
  /// to be told, if anything.
  std::optional<room_report> round_ended(room now, const ledger& books) {
    auto is_for_all = has_room_again(books)
                      || std::exchange(has_new_pool_, false);
    if (!is_for_all && !is_news(now))
      return std::nullopt;
    return publish(now, {}, is_for_all);
  }

  /// The room has become `now` because of what an inner pool has reported.
  /// Returns what outer pools have to be told, if anything.
  std::optional<room_report> inner_changed(room now,
                                           const room_report& reported);

  /// Whether the report tells of a change of this pool's own: it is a worker of
  /// itself then.
  bool is_own(const room_report& reported) const noexcept;

private:
  /// How many messages the pool has taken out of its queue, or ended.
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
  /// The progress when a message was given back for want of room.
  std::optional<std::uint64_t> was_full_at_;
  bool has_new_pool_ = false;
};

} // namespace libpool
