#include "attendance.hpp"

#include "hash_tree/format.hpp"

#include <algorithm>

namespace farm {

namespace {

std::string description(const node_glance& node) {
  auto out = hash_tree::printable(node.name) + ", " + std::to_string(node.slots)
             + (node.slots == 1 ? " slot" : " slots");
  for (const auto& label : node.labels)
    out += ", " + hash_tree::printable(label);
  return out;
}

bool contains(const std::vector<node_glance>& all, std::uint64_t id) {
  return std::any_of(all.begin(), all.end(),
                     [=](const auto& node) { return node.id == id; });
}

} // namespace

std::vector<std::string>
attendance::update(const std::vector<node_glance>& now) {
  std::vector<std::string> out;
  for (auto i = names_.begin(); i != names_.end();) {
    if (contains(now, i->first)) {
      ++i;
      continue;
    }
    out.push_back("a node is gone: " + hash_tree::printable(i->second));
    i = names_.erase(i);
  }
  const bool changes = !out.empty() || !was_told_;
  for (const auto& node : now)
    if (names_.emplace(node.id, node.name).second)
      out.push_back("a node has joined: " + description(node));
  if (changes && names_.empty())
    out.emplace_back("waits for a node");
  was_told_ = true;
  return out;
}

std::string render(const progress& at, const std::vector<node_glance>& nodes,
                   std::size_t width) {
  const auto rate = at.seconds > 0 ? static_cast<double>(at.bytes) / at.seconds
                                   : 0.0;
  auto out = std::to_string(at.files) + " files  "
             + hash_tree::human_bytes(static_cast<double>(at.bytes)) + "  "
             + hash_tree::human_bytes(rate) + "/s";
  for (const auto& node : nodes)
    out += "  " + hash_tree::printable(node.name) + ": "
           + std::to_string(node.in_flight);
  out.resize(std::min(out.size(), width));
  return out;
}

} // namespace farm
