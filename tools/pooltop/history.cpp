#include "history.hpp"

#include <utility>

namespace pooltop {

namespace {

void append(past& to, const sample& latest) {
  to.samples.push_back(latest);
  if (to.samples.size() > history::most_samples)
    to.samples.pop_front();
}

/// The server's own rate, or else whether the count has grown.
bool is_refusing(const pool& now, const past& before) {
  if (now.recent.refused_per_s)
    return *now.recent.refused_per_s > 0;
  return now.refused && before.refused && *now.refused > *before.refused;
}

void add_to(past& known, const pool& now, double now_s) {
  append(known, {now.waiting, now.recent.completed_per_s});
  if (!is_refusing(now, known))
    known.refusing_since_s.reset();
  else if (!known.refusing_since_s)
    known.refusing_since_s = now_s;
  known.refused = now.refused;
}

} // namespace

void history::add(const snapshot& told, double now_s) {
  std::map<std::string, past> next;
  for (const auto& each : told.pools) {
    auto [to, is_first] = next.try_emplace(each.name);
    if (!is_first)
      continue; // pools of one name cannot be told apart
    if (auto known = pools_.find(each.name); known != pools_.end())
      to->second = std::move(known->second);
    add_to(to->second, each, now_s);
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
