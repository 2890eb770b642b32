#include "libpool/nodes/actors/boot_clock.hpp"

#include <chrono>
#include <ctime>

namespace libpool {

instant boot_time() noexcept {
#ifdef CLOCK_BOOTTIME
  timespec now{};
  if (clock_gettime(CLOCK_BOOTTIME, &now) == 0)
    return instant{std::chrono::seconds{now.tv_sec}
                   + std::chrono::nanoseconds{now.tv_nsec}};
#endif
  return std::chrono::steady_clock::now();
}

} // namespace libpool
