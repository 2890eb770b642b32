/// Times and numbers for people.

#pragma once

#include "libpool/core/instant.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace libpool::detail {

struct unit {
  std::string_view name;
  duration length;
  /// From where on times are told in it.
  duration least;
};

const unit& unit_for(duration time) noexcept;

std::string text_of(duration time, const unit& in);

/// In the unit that suits it.
std::string text_of(duration time);

/// The number with a narrow space after each thousand.
std::string grouped(std::uint64_t number);

/// The number and the noun, in the plural unless the number is 1.
std::string counted(std::uint64_t number, std::string_view noun);

std::string percent(double share);

/// The least of 1, 2, 5, 10, … times `step` that is not below `least`.
template <class Number>
Number round_up(Number step, Number least) {
  for (;; step *= 10)
    for (auto multiple : {step, step * 2, step * 5})
      if (multiple >= least)
        return multiple;
}

/// The distance of ticks that makes at most ten of them up to the end.
duration tick_step(duration end);

} // namespace libpool::detail
