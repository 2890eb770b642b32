#pragma once

#include "libpool/core/instant.hpp"

namespace libpool {

/// Returns the time since the start of the machine, including the time during
/// which it was suspended. Leases use this clock, so that a lease does not last
/// longer if its node is suspended.
///
/// This time is not comparable with the time of `std::chrono::steady_clock`,
/// which may stop while the machine is suspended.
instant boot_time() noexcept;

} // namespace libpool
