/// Times and numbers as texts.

#pragma once

#include "libpool/core/instant.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace libpool::detail {

struct unit {
  std::string_view name;
  duration length;
  /// Shortest time that is written in this unit.
  duration least;
};

const unit& unit_for(duration time) noexcept;

std::string text_of(duration time, const unit& in);

/// Returns the time in a suitable unit.
std::string text_of(duration time);

/// Returns the number with a narrow space after each thousand.
std::string grouped(std::uint64_t number);

/// Returns the number and the noun, in the plural unless the number is 1.
std::string counted(std::uint64_t number, std::string_view noun);

std::string percent(double share);

/// Returns the smallest of 1, 2, 5, 10, … times `step` that is at least
/// `least`.
template <class Number>
Number round_up(Number step, Number least) {
  for (;; step *= 10)
    for (auto multiple : {step, step * 2, step * 5})
      if (multiple >= least)
        return multiple;
}

/// Returns the distance of ticks with at most ten ticks up to `end`.
duration tick_step(duration end);

} // namespace libpool::detail
