#pragma once

#include "poolctl/program.hpp"

#include <sstream>
#include <string>
#include <vector>

namespace test {

struct ended_poolctl {
  int code = 0;
  std::string out;
  std::string err;
};

/// Runs poolctl with these arguments.
inline ended_poolctl run_poolctl(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "poolctl");
  std::ostringstream out;
  std::ostringstream err;
  const auto code = poolctl::run(static_cast<int>(arguments.size()),
                                 arguments.data(), out, err);
  return {code, out.str(), err.str()};
}

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

} // namespace test
