#include "libpool/core/timeline.hpp"

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

void timeline::add_worker(worker_number who, std::string_view name) {
  auto& known = workers_[who];
  if (!name.empty())
    known = name;
}

void timeline::add(const span& what) {
  constexpr worker_number nobody{std::numeric_limits<std::uint64_t>::max()};
  assert(what.worker || what.started == never);
  record kept{what.task,
              what.worker.value_or(nobody),
              std::min({what.submitted, what.started, what.finished}),
              what.started,
              what.finished,
              flows_.number_of(what.flow),
              outcomes_.number_of(what.outcome),
              what.steals};
  assert(kept.submitted != never);
  if (kept.started != never)
    kept.started = std::min(kept.started, kept.finished);
  records_.push_back(kept);
  if (what.worker)
    workers_.try_emplace(*what.worker);
  for (auto moment : {kept.submitted, kept.started, kept.finished})
    if (moment != never)
      extend_to(moment);
}

void timeline::extend_to(instant moment) noexcept {
  first_ = std::min(first_, moment);
  last_ = std::max(last_, moment);
}

} // namespace libpool
