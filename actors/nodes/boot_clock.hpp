#pragma once

#include "libpool/core/instant.hpp"

namespace libpool {

/// The time since the machine has started, the time that it was suspended
/// included: a lease must not last longer because its node slept.
///
/// Not the time of `std::chrono::steady_clock`, where that stands still
/// meanwhile: moments of the two are not to be compared.
instant boot_time() noexcept;

} // namespace libpool
