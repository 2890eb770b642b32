#include "libpool/core/flow.hpp"

#include <algorithm>
#include <cstddef>
#include <tuple>

namespace libpool {

std::vector<flow_stats> longest(std::vector<flow_stats> rows,
                                std::size_t most) {
  auto goes_first = [](const flow_stats& x, const flow_stats& y) {
    return std::tie(y.waiting, y.running, y.served, x.name)
           < std::tie(x.waiting, x.running, x.served, y.name);
  };
  auto end = rows.begin()
             + static_cast<std::ptrdiff_t>(std::min(most, rows.size()));
  std::partial_sort(rows.begin(), end, rows.end(), goes_first);
  rows.erase(end, rows.end());
  return rows;
}

} // namespace libpool
