#include "libpool/actors/managed/thread_sharing.hpp"

#include <chrono>
#include <utility>

namespace libpool {

bool thread_sharing::has_to_pause(managed_worker& worker, std::size_t workers,
                                  std::size_t tasks, duration service,
                                  const pool_clock& clock) const {
  using std::chrono::milliseconds;
  auto patience = workers > threads_ ? 1U : 10U;
  auto many = patience * 512U;
  auto long_time = patience * milliseconds{clock.measures() ? 1 : 10};
  worker.ran += clock.measures() ? service
                                 : time_since_look(worker, tasks, clock);
  worker.ended += static_cast<unsigned>(tasks);
  if (worker.ended < many && worker.ran < long_time)
    return false;
  worker.ended = 0;
  worker.ran = duration{0};
  return true;
}

/// Returns the time since the last look at the clock, if it is time for another
/// look; otherwise zero. `tasks` tasks have just ended. The time in which the
/// thread did not run counts as well.
duration thread_sharing::time_since_look(managed_worker& worker,
                                         std::size_t tasks,
                                         const pool_clock& clock) {
  constexpr auto between_looks = 64U;
  if (worker.ended / between_looks == (worker.ended + tasks - 1) / between_looks
      && worker.ended % between_looks != 0)
    return duration{0};
  auto now = clock.look();
  auto before = std::exchange(worker.looked, now);
  return worker.ended == 0 ? duration{0} : now - before;
}

} // namespace libpool
