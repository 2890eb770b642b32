#include "libpool/policies/placement/weighted_round_robin.hpp"

#include <algorithm>
#include <cstddef>

namespace libpool {

weighted_round_robin::weighted_round_robin(const estimate_options& options)
  : weighted(options) {
  // nop
}

void weighted_round_robin::settled(estimate_record& record,
                                   duration cost) noexcept {
  record.account -= cost;
}

void weighted_round_robin::charged(estimate_record& record,
                                   duration more) noexcept {
  record.account -= more;
}

estimate_record& weighted_round_robin::pick(const records& room) noexcept {
  next_ = {&room, 0, 0, 0};
  auto next = at_or_behind(room, cursor());
  if (next != room.end() && (*next)->turn == cursor()) {
    if ((*next)->account.count() > 0)
      return **next;
    ++next;
  }
  next_.from = static_cast<std::size_t>(next - room.begin());
  auto* picked = lap();
  if (picked != nullptr)
    return *picked;
  next_.laps = 1 + laps_in_debt();
  return *lap();
}

estimate_record& weighted_round_robin::visited(std::size_t i) const noexcept {
  return *(*next_.room)[(next_.from + i) % next_.room->size()];
}

/// Visits all workers once more, until a worker has budget left. Returns its
/// record; nullptr if there is none.
estimate_record* weighted_round_robin::lap() noexcept {
  for (std::size_t i = 0; i < next_.room->size(); ++i) {
    auto& record = visited(i);
    next_.visits = i + 1;
    if ((record.account + (next_.laps + 1) * weight_of(record)).count() > 0)
      return &record;
  }
  return nullptr;
}

/// Returns the number of further laps, after the first one, in which no worker
/// has budget left.
duration::rep weighted_round_robin::laps_in_debt() const noexcept {
  auto laps = [this](const estimate_record* record) {
    return -(record->account + weight_of(*record)) / weight_of(*record);
  };
  auto result = laps(next_.room->front());
  for (const auto* record : *next_.room)
    result = std::min(result, laps(record));
  return result;
}

void weighted_round_robin::ended_turns() noexcept {
  auto gets = next_.laps > 0 ? next_.room->size() : next_.visits;
  for (std::size_t i = 0; i < gets; ++i)
    visited(i).account += (next_.laps + (i < next_.visits ? 1 : 0))
                          * weight_of(visited(i));
  next_ = {};
}

} // namespace libpool
