#pragma once

#include "times.hpp"

#include "libpool/core/splitmix64.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <variant>
#include <vector>

namespace poolsim {

/// Random engine for the distributions of Boost.Random.
class random_bits {
public:
  using result_type = std::uint64_t;

  explicit random_bits(std::uint64_t seed) noexcept : source_(seed) {
    // nop
  }

  static constexpr result_type min() noexcept {
    return 0;
  }

  static constexpr result_type max() noexcept {
    return std::numeric_limits<result_type>::max();
  }

  result_type operator()() noexcept {
    return source_.next();
  }

private:
  libpool::splitmix64 source_;
};

/// Purpose of a draw.
enum class draw_use : std::uint64_t {
  service,
  gap,
  call,
  bytes,
  result_bytes,
  latency,
  loss,
  error,
  deadline,
};

/// Returns the random engine for the n-th draw of a thread of an entry of the
/// scenario. Draws do not depend on each other. Draws are the same under all
/// policies, and do not change if another entry changes.
random_bits bits_for(std::uint64_t seed, draw_use use, std::uint64_t entry,
                     std::uint64_t thread, std::uint64_t n) noexcept;

struct exponential {
  duration mean;
};

/// A distribution whose logarithm is normal, with standard deviation `sigma`.
struct lognormal {
  duration mean;
  double sigma;
};

/// A distribution in which each nanosecond from `low` to `high` is equally
/// likely.
struct uniform {
  duration low;
  duration high;
};

/// A distribution of two values, with the probability `high_share` of `high`.
struct bimodal {
  duration low;
  duration high;
  double high_share;
};

/// A distribution of times.
///
/// Randomness: the same bits give the same time on every machine, since values
///             are computed with operations that IEEE 754 defines exactly.
struct distribution {
  std::variant<exponential, lognormal, uniform, bimodal> shape;
  /// Maximum of a draw; longer draws are cut to it.
  duration most = longest_time;

  duration draw(random_bits bits) const;

  /// Whether a draw can reach `most`.
  bool is_bounded() const noexcept;

  /// Returns a lower bound for `most`: the maximum of the distribution or, if
  /// it is unbounded, 64 times its mean; at most 2^60 ns. One of 10^27
  /// exponential draws exceeds 64 times the mean.
  duration least_room() const noexcept;
};

/// Rate of arrivals at one time.
struct rate_point {
  duration at{0};
  double per_second = 0;
};

/// Rate of arrivals over time: linear between two points, zero before the first
/// and after the last one. The times of the points are ascending; two points of
/// equal time are a jump.
using rate_curve = std::vector<rate_point>;

/// Returns the mean number of arrivals.
double expected_arrivals(const rate_curve& curve);

/// Returns the time between which and `time` the mean number of arrivals is
/// `number`; unset if the curve ends before. With exponential numbers of mean
/// 1, these are the times of a Poisson process with this rate.
///
/// Cost:       O(points).
/// Randomness: none; equal on every machine, as draws are.
/// @pre number > 0, and `time` is not before the first point
std::optional<duration> time_after(const rate_curve& curve, duration time,
                                   double number);

} // namespace poolsim
