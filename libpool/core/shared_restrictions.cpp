#include "libpool/core/shared_restrictions.hpp"

#include <boost/container_hash/hash.hpp>

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace libpool {

namespace {

/// Sorts the numbers and removes those that are there twice, unless this was
/// done before.
void put_in_order(std::vector<worker_number>& only) {
  auto is_in_order = std::adjacent_find(only.begin(), only.end(),
                                        std::greater_equal<>{})
                     == only.end();
  if (is_in_order)
    return;
  std::sort(only.begin(), only.end());
  only.erase(std::unique(only.begin(), only.end()), only.end());
}

} // namespace

restriction& shared_restrictions::take(std::vector<worker_number> only,
                                       bool loose) {
  if (only.empty())
    throw std::invalid_argument{
      "may_run_on: must name at least 1 worker, got none"};
  put_in_order(only);
  auto hash = static_cast<std::size_t>(loose);
  for (auto each : only)
    boost::hash_combine(hash, static_cast<std::uint64_t>(each));
  auto [first, last] = entries_.equal_range(hash);
  auto found = std::find_if(first, last, [&](const auto& each) {
    return each.second.loose == loose && each.second.only == only;
  });
  if (found == last) {
    found = entries_.emplace(std::piecewise_construct,
                             std::forward_as_tuple(hash), std::tuple<>{});
    found->second.only = std::move(only);
    found->second.loose = loose;
    found->second.hash = hash;
  }
  ++found->second.tasks;
  return found->second;
}

void shared_restrictions::give_back(restriction& where) {
  auto& known = static_cast<entry&>(where);
  if (--known.tasks > 0)
    return;
  auto [first, last] = entries_.equal_range(known.hash);
  entries_.erase(std::find_if(
    first, last, [&](const auto& each) { return &each.second == &known; }));
}

} // namespace libpool
