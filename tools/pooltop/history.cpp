#include "history.hpp"

#include "numbers.hpp"

#include <utility>

namespace pooltop {

namespace {

void append(past& to, const sample& latest) {
  to.samples.push_back(latest);
  if (to.samples.size() > history::most_samples)
    to.samples.pop_front();
}

} // namespace

void history::add(const snapshot& told) {
  std::map<std::string, past> next;
  for (const auto& each : told.pools) {
    auto [to, is_first] = next.try_emplace(each.name);
    if (!is_first)
      continue; // pools of one name cannot be told apart
    if (auto known = pools_.find(each.name); known != pools_.end())
      to->second = std::move(known->second);
    append(to->second, {waiting_in(each), each["window.completed_per_s"]});
  }
  pools_ = std::move(next);
}

void history::add_gap() {
  for (auto& [name, known] : pools_)
    append(known, {});
}

const past& history::of(const std::string& pool) const {
  static const past nothing;
  const auto known = pools_.find(pool);
  return known == pools_.end() ? nothing : known->second;
}

} // namespace pooltop
