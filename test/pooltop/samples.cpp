#include "pooltop/samples.hpp"

#include "pooltop/reading.hpp"

#include <fstream>
#include <iterator>
#include <stdexcept>

namespace test {

std::string text_in(const std::string& name) {
  std::ifstream in{POOLTOP_SAMPLES "/" + name};
  if (!in)
    throw std::runtime_error("no sample " + name);
  return {std::istreambuf_iterator<char>{in}, {}};
}

std::string busy_pools() {
  return text_in("busy_pools.json");
}

pooltop::view view_of_busy_pools(std::size_t times) {
  pooltop::view result;
  result.address = "http://127.0.0.1:8080";
  result.told = pooltop::read_snapshot(busy_pools());
  result.was_told = true;
  auto before = result.told;
  for (std::size_t i = 1; i < times; ++i) {
    before.pools.front().numbers["waiting"] = static_cast<double>(200 * i);
    result.known.add(before);
    result.told_s += 1;
  }
  result.known.add(result.told);
  result.now_s = result.told_s;
  return result;
}

std::string text_of(const std::vector<pooltop::line>& lines) {
  std::string result;
  for (const auto& each : lines)
    result += each.text() + '\n';
  return result;
}

} // namespace test
