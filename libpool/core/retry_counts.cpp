#include "libpool/core/retry_counts.hpp"

namespace libpool {

bool retry_counts::allows(const task& task) const {
  if (!within_)
    return true;
  auto i = counts_.find(key_of(task));
  auto known = i != counts_.end() ? i->second : counts{};
  auto most = within_->share * static_cast<double>(known.at_workers);
  auto retried = known.retried + (task.notes().errors == 0 ? 1 : 0);
  return retried <= within_->at_least || static_cast<double>(retried) <= most;
}

/// Lowers the number by one, and forgets flows without tasks.
void retry_counts::change(const task& task, std::size_t counts::*lowered) {
  auto i = counts_.find(key_of(task));
  if (i == counts_.end())
    return;
  --(i->second.*lowered);
  if (i->second.at_workers == 0 && i->second.retried == 0)
    counts_.erase(i);
}

} // namespace libpool
