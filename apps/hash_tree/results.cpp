#include "results.hpp"

#include <algorithm>
#include <numeric>

namespace hash_tree {

namespace {

using counter = std::atomic<std::uint64_t> worker_tally::*;

std::vector<double> read(const std::vector<worker_tally>& tallies,
                         counter member) {
  std::vector<double> out;
  out.reserve(tallies.size());
  for (const auto& tally : tallies)
    out.push_back(static_cast<double>((tally.*member).load()));
  return out;
}

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

} // namespace

void totals::count(const result& result) {
  if (result.skipped)
    return;
  if (!result.error.empty()) {
    ++errors;
    return;
  }
  ++files;
  bytes += result.size;
}

std::uint64_t run_state::bytes_hashed() const {
  std::uint64_t out = 0;
  for (const auto& tally : tallies)
    out += tally.bytes.load(std::memory_order_relaxed);
  return out;
}

std::vector<double> run_state::shares() const {
  auto values = read(tallies, &worker_tally::bytes);
  if (sum(values) == 0)
    values = read(tallies, &worker_tally::files);
  const auto whole = std::max(sum(values), 1.0);
  for (auto& value : values)
    value = 100 * value / whole;
  return values;
}

} // namespace hash_tree
