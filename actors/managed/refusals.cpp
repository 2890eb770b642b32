#include "libpool/actors/managed/refusals.hpp"

#include "libpool/actors/caf/port/errors.hpp"
#include "libpool/actors/error.hpp"
#include "libpool/core/time_to_begin.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>

namespace libpool {

namespace {

constexpr std::size_t none = 0;

/// Returns the mean service time since the pool was made; zero if unknown.
duration mean_service(const worker_record& of) noexcept {
  auto ended = of.completed + of.failed;
  return ended > 0 ? of.busy / static_cast<duration::rep>(ended) : duration{0};
}

/// Returns the time after which another try makes sense, if it is known. While
/// the waiting tasks of a flow go to workers, each other flow has a turn
/// for each of these tasks, unless fewer tasks wait.
std::optional<duration> retry_after(const managed_task& task, errc why,
                                    const dispatcher& dispatcher,
                                    std::size_t seats) {
  const auto& gates = dispatcher.gates();
  const auto& books = dispatcher.books();
  backlog of_all{books.waiting + books.assigned + dispatcher.followers(), seats,
                 mean_service(dispatcher.record().all), gates.pool().within};
  if (dispatcher.is_suspended() || of_all.within.most_running == none)
    return std::nullopt;
  if (why == errc::queue_full)
    return time_to_begin(of_all);
  const auto& name = task.notes().flow.name();
  auto line = dispatcher.line_for(task);
  of_all.waiting = std::min(of_all.waiting, line.waiting * line.flows);
  auto of_flow = of_all;
  of_flow.waiting = line.waiting;
  of_flow.within = gates.limits_for(name);
  if (line.waiting == 0 || gates.is_paused(name)
      || of_flow.within.most_running == none)
    return std::nullopt;
  return std::max(time_to_begin(of_all), time_to_begin(of_flow));
}

} // namespace

caf::error refusal_of(const managed_task& task, errc why,
                      const dispatcher& dispatcher, std::size_t seats) {
  auto time = retry_after(task, why, dispatcher, seats);
  return time ? make_error(why, *time) : make_error(why);
}

} // namespace libpool
