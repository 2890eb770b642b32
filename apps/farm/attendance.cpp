#include "attendance.hpp"

#include "console/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace farm {

namespace {

std::string description(const node_glance& node) {
  auto out = fmt::format("{}, {} slot{}", console::printable(node.name),
                         node.slots, node.slots == 1 ? "" : "s");
  for (const auto& label : node.labels)
    out += ", " + console::printable(label);
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
    out.push_back("a node has left or is lost: "
                  + console::printable(i->second));
    i = names_.erase(i);
  }
  const bool changes = !out.empty() || !was_told_;
  for (const auto& node : now)
    if (names_.emplace(node.id, node.name).second)
      out.push_back("a node has joined: " + description(node));
  if (changes && names_.empty())
    out.emplace_back("waiting for a node");
  was_told_ = true;
  return out;
}

std::string render(const progress& progress,
                   const std::vector<node_glance>& nodes, std::size_t width) {
  std::vector<std::string> figures{
    fmt::format("{} files", progress.files),
    console::human_bytes(progress.bytes),
    console::human_rate(progress.bytes, progress.seconds)};
  for (const auto& node : nodes)
    figures.push_back(
      fmt::format("{}: {}", console::printable(node.name), node.in_flight));
  return console::line_of(figures, width);
}

} // namespace farm
