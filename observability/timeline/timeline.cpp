#include "libpool/observability/timeline/timeline.hpp"

#include <algorithm>
#include <cassert>
#include <limits>

namespace libpool {

std::uint32_t interned_texts::number_of(std::string_view text) {
  auto i = numbers_.find(text);
  if (i == numbers_.end()) {
    i = numbers_.emplace(text, size()).first;
    texts_.push_back(&i->first);
  }
  return i->second;
}

void timeline::add_worker(worker_number worker, std::string_view name) {
  auto& known = workers_[worker];
  if (!name.empty())
    known = name;
}

void timeline::add(const span& added) {
  constexpr worker_number no_worker{std::numeric_limits<std::uint64_t>::max()};
  assert(added.worker || added.started == never);
  record kept{added.task,
              added.worker.value_or(no_worker),
              std::min({added.submitted, added.started, added.finished}),
              added.started,
              added.finished,
              flows_.number_of(added.flow),
              outcomes_.number_of(added.outcome),
              added.steals,
              traces_.number_of(added.trace),
              kinds_.number_of(added.kind)};
  assert(kept.submitted != never);
  if (kept.started != never)
    kept.started = std::min(kept.started, kept.finished);
  records_.push_back(kept);
  if (added.worker)
    workers_.try_emplace(*added.worker);
  for (auto moment : {kept.submitted, kept.started, kept.finished})
    if (moment != never)
      extend_to(moment);
}

void timeline::extend_to(instant moment) noexcept {
  first_ = std::min(first_, moment);
  last_ = std::max(last_, moment);
}

} // namespace libpool
