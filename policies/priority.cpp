#include "libpool/policies/priority.hpp"

#include "libpool/policies/requirement.hpp"

#include <algorithm>
#include <limits>

namespace libpool {

priority::priority(std::optional<duration> age_step) : age_step_(age_step) {
  require(!age_step || age_step->count() > 0, "age_step", "above 0");
}

void priority::added(task& what, instant) noexcept {
  waiting_.insert(waiting_.end(), what);
}

void priority::removed(task& what, instant) noexcept {
  waiting_.erase(waiting_.iterator_to(what));
}

/// While tasks wait their priorities grow, all at the same pace: who goes first
/// never changes, so one look at the time when it is accepted is enough.
std::int64_t priority::rank(const task& what) const noexcept {
  if (!age_step_)
    return what.priority;
  __extension__ using wide = __int128;
  using bounds = std::numeric_limits<std::int64_t>;
  auto key = static_cast<wide>(what.priority) * age_step_->count()
             - what.accepted.time_since_epoch().count();
  return static_cast<std::int64_t>(
    std::clamp<wide>(key, bounds::min(), bounds::max()));
}

task* priority::choose(instant) noexcept {
  return waiting_.empty() ? nullptr : &*waiting_.begin();
}

} // namespace libpool
