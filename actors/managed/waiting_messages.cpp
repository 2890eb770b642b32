#include "libpool/actors/managed/waiting_messages.hpp"

#include <utility>

namespace libpool {

waiting_line& waiting_messages::of(const flow_key& flow) {
  if (auto* known = find(flow.hash()))
    return *known;
  if (spare_.empty()) {
    auto& made = by_flow_[flow.hash()];
    made.flow = flow;
    return made;
  }
  auto node = std::move(spare_.back());
  spare_.pop_back();
  node.key() = flow.hash();
  node.mapped().flow = flow;
  return by_flow_.insert(std::move(node)).position->second;
}

waiting_line* waiting_messages::next_without_head() {
  while (!looked_at_.empty()) {
    auto& line = *looked_at_.back();
    looked_at_.pop_back();
    line.is_looked_at = false;
    if (!line.messages.empty())
      return &line;
    if (line.leases == 0)
      forget(line);
  }
  return nullptr;
}

/// Nothing of it waits, or may come back.
void waiting_messages::forget(waiting_line& line) {
  constexpr std::size_t most_spare = 1024;
  auto node = by_flow_.extract(line.flow.hash());
  if (spare_.size() < most_spare)
    spare_.push_back(std::move(node));
}

} // namespace libpool
