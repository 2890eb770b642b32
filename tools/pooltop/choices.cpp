#include "choices.hpp"

#include <algorithm>

namespace pooltop {

const pool* chosen_pool(const snapshot& from, const std::string& name) {
  if (from.pools.empty())
    return nullptr;
  const auto found =
    std::find_if(from.pools.begin(), from.pools.end(),
                 [&](const pool& each) { return each.name == name; });
  return found == from.pools.end() ? from.pools.data() : &*found;
}

} // namespace pooltop
