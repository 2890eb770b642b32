#pragma once

#include <cstdint>

namespace libpool {

/// Returns a number that no other pool in this process has or had.
std::uint64_t next_pool_number() noexcept;

} // namespace libpool
