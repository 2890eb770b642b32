#include "sources.hpp"

#include "libpool/pool.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace render_queue {

frame_source by_pool(caf::actor_system& system, const scenario& scenario,
                     instant begin, const reader_maker& make) {
  libpool::managed_options options;
  options.deadline_of =
    [begin](
      const libpool::message_content& message) -> std::optional<duration> {
    const auto* what = libpool::first_of<frame>(message);
    if (what == nullptr)
      return std::nullopt;
    return begin + what->due - std::chrono::steady_clock::now();
  };
  options.throttled_by =
    libpool::flow_by<frame>([](const frame& what) { return what.playhead; });
  options.throttles.of_each_flow.most_running = scenario.most_reading;
  auto is_wanted = [](caf::local_actor* self, const frame&) {
    return !libpool::this_task(self).stop_requested();
  };
  auto pool = libpool::actor_pool::make(
    system, scenario.readers, [=] { return make(is_wanted); },
    libpool::actor_pool::earliest_deadline(options));
  auto drop = [pool](std::uint32_t playhead, std::uint32_t) {
    const auto name = std::to_string(playhead);
    libpool::actor_pool::cancel(pool, libpool::selection::of_flow(name));
  };
  auto end = [pool] {
    caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
  };
  return {pool, drop, end};
}

} // namespace render_queue
