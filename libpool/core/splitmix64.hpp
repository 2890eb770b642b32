#pragma once

#include <cstddef>
#include <cstdint>

namespace libpool {

/// The random number generator SplitMix64 (Steele, Lea and Flood 2014).
///
/// Cost:       one addition and a few multiplications per draw; 8 bytes.
/// Randomness: equal seeds give equal numbers; not for cryptography.
/// Threads:    one at a time.
class splitmix64 {
public:
  /// Difference between successive states: 2^64 divided by the golden ratio,
  /// rounded to an odd number.
  static constexpr std::uint64_t golden_gamma = 0x9e3779b97f4a7c15;

  /// Makes a generator with the given seed.
  explicit constexpr splitmix64(std::uint64_t seed) noexcept : state_(seed) {
    // nop
  }

  /// Returns the next random number, of 64 bits.
  constexpr std::uint64_t next() noexcept {
    state_ += golden_gamma;
    return mixed(state_);
  }

  /// Returns a random number from 0 to `size` - 1. The bias is below 2^-32 for
  /// sizes below 2^32.
  /// @pre size > 0
  constexpr std::size_t below(std::size_t size) noexcept {
    return scaled(next(), size);
  }

  /// Scales the random number `drawn` to the range from 0 to `size` - 1.
  static constexpr std::size_t scaled(std::uint64_t drawn,
                                      std::size_t size) noexcept {
    // The high half of the product is uniform; no division is needed.
    __extension__ using wide = unsigned __int128;
    return static_cast<std::size_t>((static_cast<wide>(drawn) * size) >> 64);
  }

  /// Returns a hash of `z`: each bit of the hash depends on all bits of `z`.
  static constexpr std::uint64_t mixed(std::uint64_t z) noexcept {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

private:
  std::uint64_t state_;
};

} // namespace libpool
