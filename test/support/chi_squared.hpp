#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

namespace test {

/// How far `counts` are from equal: Pearson's chi-squared.
inline double chi_squared(const std::vector<double>& counts) {
  auto sum = 0.0;
  for (auto count : counts)
    sum += count;
  auto expected = sum / static_cast<double>(counts.size());
  auto result = 0.0;
  for (auto count : counts)
    result += (count - expected) * (count - expected) / expected;
  return result;
}

/// The value that chi-squared exceeds by chance once in a million times: z =
/// 4.75 in the approximation of Wilson and Hilferty (1931), which is too lax by
/// a sixth with one degree of freedom and exact to a percent from five on.
inline double once_in_a_million(std::size_t cells) {
  auto degrees = static_cast<double>(cells - 1);
  auto spread = 2 / (9 * degrees);
  return degrees * std::pow(1 - spread + 4.75 * std::sqrt(spread), 3);
}

} // namespace test
