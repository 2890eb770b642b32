#pragma once

#include "times.hpp"

#include "libpool/core/splitmix64.hpp"

#include <cstdint>
#include <limits>
#include <variant>

namespace poolsim {

/// An engine for the distributions of Boost.Random.
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

/// The purpose for which a time, or a number of bytes, is drawn.
enum class draw_use : std::uint64_t {
  service,
  gap,
  call,
  bytes,
  result_bytes,
  latency,
  loss,
};

/// The engine for one draw, the n-th of a thread of an entry of the scenario.
/// Draws do not depend on each other, so they are the same under all policies,
/// and stay when another entry is changed.
random_bits bits_for(std::uint64_t seed, draw_use use, std::uint64_t entry,
                     std::uint64_t thread, std::uint64_t n) noexcept;

struct exponential {
  duration mean;
};

/// Its logarithm is normally distributed, with that standard deviation.
struct lognormal {
  duration mean;
  double sigma;
};

/// Each nanosecond from `low` to `high` is as likely.
struct uniform {
  duration low;
  duration high;
};

/// Either of two, the high one with that probability.
struct bimodal {
  duration low;
  duration high;
  double high_share;
};

/// How a time is drawn.
///
/// Randomness: the same bits give the same time on every machine: values are
///             made by operations that IEEE 754 defines to the last digit.
struct distribution {
  std::variant<exponential, lognormal, uniform, bimodal> shape;
  /// Longer draws are cut to that.
  duration most = longest_time;

  duration draw(random_bits bits) const;

  /// Whether `most` is ever needed.
  bool is_bounded() const noexcept;

  /// The time that the draws must at least have room for: the longest of them,
  /// or, where there is none, 64 means, at most 2^60 ns. One of 10^27
  /// exponential draws is longer.
  duration least_room() const noexcept;
};

} // namespace poolsim
