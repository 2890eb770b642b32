#pragma once

#include <cstddef>

namespace test {

/// How often this program has allocated memory so far.
std::size_t allocations() noexcept;

} // namespace test
