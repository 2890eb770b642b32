#include "libpool/core/shared_restrictions.hpp"

#include <algorithm>
#include <stdexcept>

namespace libpool {

restriction& shared_restrictions::take(std::vector<worker_number> only,
                                       bool loose) {
  if (only.empty())
    throw std::invalid_argument{
      "may_run_on: must name at least 1 worker, got none"};
  std::sort(only.begin(), only.end());
  only.erase(std::unique(only.begin(), only.end()), only.end());
  auto& found = entries_[{only, loose}];
  if (found.tasks++ == 0) {
    found.where.only = std::move(only);
    found.where.loose = loose;
  }
  return found.where;
}

void shared_restrictions::give_back(const restriction& where) {
  auto found = entries_.find({where.only, where.loose});
  if (--found->second.tasks == 0)
    entries_.erase(found);
}

} // namespace libpool
