#include "reader.hpp"

#include "libpool/actors/error.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

namespace render_queue {

caf::behavior reader(caf::event_based_actor* self, const frame_check& is_wanted,
                     observer* seen) {
  constexpr duration slice = std::chrono::milliseconds{2};
  return {[=](const frame& what) -> caf::result<frame> {
    seen->begins(what);
    const instant begun = std::chrono::steady_clock::now();
    const auto end = begun + what.work;
    for (auto now = begun; now < end; now = std::chrono::steady_clock::now()) {
      if (!is_wanted(self, what)) {
        seen->ends(what, begun, false);
        return libpool::make_error(libpool::errc::cancelled, "not wanted");
      }
      std::this_thread::sleep_until(std::min<instant>(now + slice, end));
    }
    seen->ends(what, begun, true);
    return what;
  }};
}

} // namespace render_queue
