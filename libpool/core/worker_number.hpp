#pragma once

#include <cstdint>

namespace libpool {

/// Number of a worker of a pool, from 0 in the order in which workers join.
/// Numbers are never reused.
enum class worker_number : std::uint64_t {};

/// Returns the number that follows `number`.
constexpr worker_number next(worker_number number) noexcept {
  return worker_number{static_cast<std::uint64_t>(number) + 1};
}

} // namespace libpool
