#include "libpool/actors/managed/published_room.hpp"

#include <algorithm>

namespace libpool {

std::optional<room_report>
published_room::inner_changed(room now, const room_report& reported) {
  if (!reported.is_for_all && !is_news(now))
    return std::nullopt;
  return publish(now, reported.passed, reported.is_for_all);
}

bool published_room::is_own(const room_report& reported) const noexcept {
  auto& passed = reported.passed;
  return std::find(passed.begin(), passed.end(), pool_) != passed.end();
}

std::uint64_t published_room::progress(const ledger& books) noexcept {
  auto ended = books.completed + books.failed + books.cancelled;
  return ended + books.accepted - books.waiting - books.assigned;
}

room_report published_room::publish(room now, std::vector<std::uint64_t> passed,
                                    bool is_for_all) {
  seats_.store(now.seats, std::memory_order_relaxed);
  expects_change_.store(now.expects_change, std::memory_order_relaxed);
  passed.push_back(pool_);
  return {now, std::move(passed), is_for_all};
}

} // namespace libpool
