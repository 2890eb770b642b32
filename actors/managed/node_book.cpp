#include "libpool/actors/managed/node_book.hpp"

#include "libpool/actors/caf/node_worker.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <utility>

namespace libpool {

namespace {

/// Maximum number of restrictions that are kept without a task.
constexpr std::size_t most_kept = 256;

std::vector<std::string> sorted(std::vector<std::string> labels) {
  std::sort(labels.begin(), labels.end());
  labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
  return labels;
}

bool has_all(const std::vector<std::string>& labels,
             const std::vector<std::string>& wanted) {
  return std::includes(labels.begin(), labels.end(), wanted.begin(),
                       wanted.end());
}

} // namespace

// -- nodes --------------------------------------------------------------------

/// Numbers grow, so that it is the last of those that are named.
std::vector<node_book::change> node_book::joins(worker_number number,
                                                const node_worker& node) {
  auto labels = node.labels();
  if (!node.node_name().empty())
    labels.push_back(node.node_name());
  auto& added = members_[number];
  added = {&node, sorted(std::move(labels))};
  by_name_.emplace(node.node_name(), number);
  std::vector<change> result;
  for (auto& [wanted, where] : entries_)
    if (has_all(added.labels, wanted)) {
      result.push_back({&where, where.only});
      result.back().only.push_back(number);
    }
  return result;
}

std::vector<node_book::change> node_book::left(worker_number number) {
  std::vector<change> result;
  auto found = members_.find(number);
  if (found == members_.end())
    return result;
  by_name_.erase({found->second.node->node_name(), number});
  members_.erase(found);
  for (auto& [wanted, where] : entries_)
    if (permits(where, number)) {
      result.push_back({&where, where.only});
      auto& only = result.back().only;
      only.erase(std::find(only.begin(), only.end(), number));
    }
  return result;
}

std::optional<node_book::home> node_book::find(const std::string& name) const {
  constexpr auto behind_all =
    worker_number{std::numeric_limits<std::uint64_t>::max()};
  auto behind = by_name_.upper_bound({name, behind_all});
  if (name.empty() || behind == by_name_.begin()
      || std::prev(behind)->first != name)
    return std::nullopt;
  auto number = std::prev(behind)->second;
  return home{number, members_.at(number).node};
}

// -- tasks --------------------------------------------------------------------

restriction* node_book::take(std::vector<std::string> labels) {
  if (labels.empty())
    return nullptr;
  auto [found, is_new] = entries_.try_emplace(sorted(std::move(labels)));
  auto& where = found->second;
  ++where.tasks;
  if (!is_new)
    return &where;
  where.open = true;
  where.labels = &found->first;
  for (const auto& [number, each] : members_)
    if (has_all(each.labels, found->first))
      where.only.push_back(number);
  return &where;
}

void node_book::give_back(restriction& where) {
  auto& its = static_cast<entry&>(where);
  if (--its.tasks == 0 && entries_.size() > most_kept)
    entries_.erase(*its.labels);
}

} // namespace libpool
