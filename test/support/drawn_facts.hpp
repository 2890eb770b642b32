#pragma once

#include "support/fact_sequence.hpp"

#include <rapidcheck.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace test {

template <std::size_t Size>
rc::Gen<std::array<std::uint8_t, Size>> any_bytes() {
  return rc::gen::container<std::array<std::uint8_t, Size>>(
    rc::gen::resize(rc::kNominalSize, rc::gen::arbitrary<std::uint8_t>()));
}

/// Facts which can be left out one by one; up to so many hundreds.
inline std::vector<coded_fact> drawn_facts(double hundreds = 3) {
  return *rc::gen::scale(hundreds, rc::gen::container<std::vector<coded_fact>>(
                                     any_bytes<fact_bytes>()));
}

/// Fails with the law that is broken.
inline void check_life(const settings& how,
                       const std::vector<coded_fact>& facts) {
  auto outcome = live_through(how, facts);
  if (!outcome.broken.empty())
    RC_FAIL(outcome.broken);
}

} // namespace test
