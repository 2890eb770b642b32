#pragma once

#include <caf/message.hpp>

#include <vector>

namespace test {

using numbers = std::vector<int>;

inline void append(numbers& to, caf::message& result) {
  to.push_back(result.get_as<int>(0));
}

} // namespace test
