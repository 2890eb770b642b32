#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace test {

/// How many bytes say what the pool is like, and how many stand for one fact.
constexpr std::size_t setting_bytes = 7;
constexpr std::size_t fact_bytes = 5;

/// Tells a dispatcher the facts that `bytes` stand for, whatever they are,
/// drives it to its end, and checks after each fact what holds for every
/// dispatcher. Returns which law was broken and by which facts; empty if none.
std::string broken_law_in(const std::vector<std::uint8_t>& bytes);

struct fact_outcome {
  /// Empty if none was.
  std::string broken;
  /// Which tasks were sent to which workers, by number.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> sends;
  std::uint64_t completed = 0;
};

struct settings;

/// The same in a pool of these settings; `facts` stand for facts alone. Equal
/// facts, equal lives.
fact_outcome live_through(const settings& how,
                          const std::vector<std::uint8_t>& facts);

} // namespace test
