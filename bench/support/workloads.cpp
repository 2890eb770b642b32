#include "support/workloads.hpp"

#include <cmath>
#include <cstddef>
#include <random>

namespace bench {

namespace {

using std::chrono::nanoseconds;

nanoseconds ms(double x) {
  using milliseconds = std::chrono::duration<double, std::milli>;
  return std::chrono::duration_cast<nanoseconds>(milliseconds{x});
}

/// `n` tasks, the i-th of which takes `length(i)` milliseconds.
template <class Length>
workload make_workload(std::size_t n, Length length) {
  workload result;
  for (std::size_t i = 0; i < n; ++i)
    result.push_back(ms(length(i)));
  return result;
}

/// Tasks of 0.2 ms on average, lognormal with a deviation of 1 in the
/// logarithm.
workload lognormal() {
  std::mt19937 random{1};
  std::lognormal_distribution<double> length{std::log(0.2) - 0.5, 1};
  return make_workload(500, [&](std::size_t) { return length(random); });
}

workload ascending() {
  return make_workload(500, [](std::size_t i) {
    return 0.05 + 0.3 * static_cast<double>(i) / 500;
  });
}

/// One task in ten takes ten times as long.
workload bimodal() {
  std::mt19937 random{1};
  std::bernoulli_distribution is_long{0.1};
  return make_workload(500,
                       [&](std::size_t) { return is_long(random) ? 1 : 0.1; });
}

workload alternating() {
  return make_workload(200, [](std::size_t i) { return i % 2 == 0 ? 0.1 : 1; });
}

} // namespace

std::vector<std::pair<std::string, workload>> workloads() {
  return {{"lognormal", lognormal()},
          {"ascending", ascending()},
          {"bimodal", bimodal()},
          {"alternating 0.1/1 ms", alternating()}};
}

void spin(nanoseconds length) {
  auto end = std::chrono::steady_clock::now() + length;
  while (std::chrono::steady_clock::now() < end)
    ; // nop
}

} // namespace bench
