#include "libpool/actors/core_speeds.hpp"

#include <cmath>
#include <fstream>
#include <string>

namespace libpool {

std::vector<unsigned> core_speeds() {
  std::vector<unsigned> result;
  std::ifstream cores{"/proc/cpuinfo"};
  for (std::string line; std::getline(cores, line);) {
    if (line.rfind("processor", 0) == 0)
      result.push_back(0);
    auto value = line.find(": ");
    if (line.rfind("cpu MHz", 0) == 0 && value != std::string::npos
        && !result.empty())
      result.back() = static_cast<unsigned>(
        std::lround(std::strtod(line.c_str() + value + 2, nullptr)));
  }
  return result;
}

} // namespace libpool
