#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace test {

/// Lets a pool with leases live through the events that `bytes` stand for, any
/// bytes, and drives it to its end. Checks after each event what holds for
/// every lease book. Returns the law that was broken; empty if none was.
std::string broken_lease_law_in(const std::vector<std::uint8_t>& bytes);

} // namespace test
