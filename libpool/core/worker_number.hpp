#pragma once

#include <cstdint>

namespace libpool {

/// Numbers the workers of one pool in the order in which they join, from 0. A
/// number is never given again.
enum class worker_number : std::uint64_t {};

/// The number after `number`.
constexpr worker_number next(worker_number number) noexcept {
  return worker_number{static_cast<std::uint64_t>(number) + 1};
}

} // namespace libpool
