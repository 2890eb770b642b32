#include "libpool/policies/placement/join_shortest_estimated_queue.hpp"

#include "libpool/policies/placement/tie_rule.hpp"

#include <algorithm>
#include <memory>

namespace libpool {

namespace {

/// Estimated cost of a task before a task of any kind has ended. The value is
/// negligible later, but sufficient to count tasks.
constexpr duration least_estimate{1};

struct queue_record final : placement_record {
  duration work{0};
};

queue_record& queue_of(const worker& worker) noexcept {
  return static_cast<queue_record&>(*worker.placed);
}

} // namespace

std::vector<option> options_in(shortest_queue_options& options) {
  return {
    {"alpha", number_option{options.alpha, 0, 1},
     "weight of the most recent task in the estimated service time of its "
     "kind, a moving average"},
  };
}

join_shortest_estimated_queue::join_shortest_estimated_queue(
  const shortest_queue_options& options)
  : estimates_(options.alpha, least_estimate) {
  check_each(options);
}

bool join_shortest_estimated_queue::has_less_work::operator()(
  const worker& x, const worker& y) const noexcept {
  auto work_of_x = queue_of(x).work;
  auto work_of_y = queue_of(y).work;
  return work_of_x != work_of_y ? work_of_x < work_of_y : wins_tie{}(x, y);
}

void join_shortest_estimated_queue::joined(worker& worker, instant) noexcept {
  worker.placed = std::make_unique<queue_record>();
}

void join_shortest_estimated_queue::left(worker& worker, instant) noexcept {
  worker.placed = nullptr;
}

void join_shortest_estimated_queue::offered(worker& worker, instant) noexcept {
  offered_.insert(worker);
}

void join_shortest_estimated_queue::withdrawn(worker& worker,
                                              instant) noexcept {
  offered_.erase(offered_.iterator_to(worker));
}

void join_shortest_estimated_queue::assigned(worker& worker, task& task,
                                             instant) noexcept {
  add_work(worker, task.own_attempt().placed.emplace(
                     std::max(estimates_.of(task), least_estimate)));
}

void join_shortest_estimated_queue::measured(worker&, task& task, ending ending,
                                             duration cost, instant) noexcept {
  if (ending == ending::completed) // the cost of a crashed task is no sample
    estimates_.add(task.kind(), cost);
}

void join_shortest_estimated_queue::unassigned(worker& worker, task& task,
                                               instant) noexcept {
  add_work(worker, -task.attempt().placed.as<duration>());
  task.own_attempt().placed.reset();
}

void join_shortest_estimated_queue::add_work(worker& worker,
                                             duration more) noexcept {
  auto is_offered = worker.placement_hook.is_linked();
  if (is_offered)
    offered_.erase(offered_.iterator_to(worker));
  queue_of(worker).work += more;
  if (is_offered)
    offered_.insert(worker);
}

worker* join_shortest_estimated_queue::choose(const task&, instant) noexcept {
  return offered_.empty() ? nullptr : &*offered_.begin();
}

worker*
join_shortest_estimated_queue::choose_among(const std::vector<worker*>& some,
                                            const task&, instant) noexcept {
  return *std::min_element(
    some.begin(), some.end(),
    [](const worker* x, const worker* y) { return has_less_work{}(*x, *y); });
}

} // namespace libpool
