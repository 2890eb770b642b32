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

const unit& unit_for(duration what) noexcept;

std::string text_of(duration what, const unit& in);

/// In the unit that suits it.
std::string text_of(duration what);

/// With a narrow space after each thousand.
std::string grouped(std::uint64_t number);

/// With its plural.
std::string counted(std::uint64_t number, std::string_view what);

std::string percent(double share);

/// The least of 1, 2, 5, 10, … times `step` that is not below `least`.
template <class Number>
Number round_up(Number step, Number least) {
  for (;; step *= 10)
    for (auto multiple : {step, step * 2, step * 5})
      if (multiple >= least)
        return multiple;
}

/// So that there are at most ten ticks up to the end.
duration tick_step(duration end);

} // namespace libpool::detail
