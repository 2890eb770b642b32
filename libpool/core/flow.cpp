#include "libpool/core/flow.hpp"

#include <algorithm>
#include <cstddef>
#include <tuple>

namespace libpool {

bool is_longer(const flow_stats& x, const std::string& name_of_x,
               const flow_stats& y, const std::string& name_of_y) {
  return std::tie(y.waiting, y.running, y.served, name_of_x)
         < std::tie(x.waiting, x.running, x.served, name_of_y);
}

std::vector<flow_stats> longest(std::vector<flow_stats> rows,
                                std::size_t most) {
  auto goes_first = [](const flow_stats& x, const flow_stats& y) {
    return is_longer(x, x.name, y, y.name);
  };
  auto end = rows.begin()
             + static_cast<std::ptrdiff_t>(std::min(most, rows.size()));
  std::partial_sort(rows.begin(), end, rows.end(), goes_first);
  rows.erase(end, rows.end());
  return rows;
}

} // namespace libpool
