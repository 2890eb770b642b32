#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/core/shed.hpp"
#include "libpool/core/task.hpp"
#include "libpool/export.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>

namespace libpool {

/// Decides which tasks an overloaded pool drops.
///
/// A pool, or a flow where the order has flows, is overloaded as soon as its
/// next task has waited for more than the target, whenever a worker had room,
/// for an interval. Then tasks that have waited for more than twice the target
/// are dropped when their turn comes, and of the others the one that came last
/// goes first, since it has the best chance to be answered in time. The
/// overload ends when each next task of an interval has waited for at most the
/// target. Tasks
/// of exempt flows, tasks that have begun before, and tasks that a limit or a
/// restriction has held back go in their turn.
///
/// Source:  controlled delay (Nichols and Jacobson 2012), for servers as in
///          folly.
/// Load:    one entry for each flow whose tasks wait for more than the target,
///          or did so a minute ago.
/// Cost:    O(1), amortised.
/// Threads: one at a time.
class LIBPOOL_EXPORT load_shedding {
public:
  /// Treatment of the next task. `in_turn`: it goes. `newest_first`: the task
  /// that came last goes. `dropped`: it is dropped.
  enum class verdict : std::uint8_t { in_turn, newest_first, dropped };

  /// Makes an object; without a rule, no task is dropped. `by_flow`: whether
  /// each flow has its own queue.
  load_shedding(const std::optional<shed>& rule, bool by_flow)
    : rule_(rule), by_flow_(by_flow) {
    // nop
  }

  /// Whether tasks may be dropped.
  bool is_on() const noexcept {
    return rule_.has_value();
  }

  /// Returns the treatment of the task, which is the next one of its queue, at
  /// the time `now`, when a worker has room for it.
  /// @pre is_on()
  verdict judge(const task& task, instant now);

  /// Records that a pause ends at the time `now`: waiting times before it do
  /// not count.
  void resumed(instant now) noexcept {
    resumed_ = now;
    busy_.clear();
  }

private:
  /// Time for which the tasks of a queue have waited for more than the target.
  struct busy_time {
    instant since;
    instant last;

    bool is_overload(duration interval) const noexcept {
      return last - since >= interval;
    }
  };

  void calm_down(std::uint64_t queue, instant now);

  void forget_old(instant now);

  const std::optional<shed> rule_;
  const bool by_flow_;
  instant resumed_ = instant::min();
  std::unordered_map<std::uint64_t, busy_time> busy_; // by hash of the flow
  std::size_t most_busy_ = 1'024; // before old entries are looked for
};

} // namespace libpool
