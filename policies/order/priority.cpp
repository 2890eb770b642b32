#include "libpool/policies/order/priority.hpp"

#include <algorithm>
#include <limits>

namespace libpool {

std::vector<option> options_in(priority_options& options) {
  return {
    {"age_step", time_option{options.age_step},
     "waiting time that raises the priority of a task by one level",
     "waiting does not raise the priority"},
  };
}

priority::priority(const priority_options& options)
  : age_step_(options.age_step) {
  check_each(options);
}

void priority::added(task& task, instant) noexcept {
  waiting_.add(task);
}

void priority::removed(task& task, instant) noexcept {
  waiting_.remove(task);
}

/// Returns the rank of the task. The priorities of all waiting tasks grow at
/// the same rate, so the order of two tasks never changes, and the time of
/// acceptance is sufficient.
std::int64_t priority::rank(const task& task) const noexcept {
  if (!age_step_)
    return task.notes().priority;
  __extension__ using wide = __int128;
  using bounds = std::numeric_limits<std::int64_t>;
  auto key = static_cast<wide>(task.notes().priority) * age_step_->count()
             - task.accepted.time_since_epoch().count();
  return static_cast<std::int64_t>(
    std::clamp<wide>(key, bounds::min(), bounds::max()));
}

bool priority::set_age_step(duration step) noexcept {
  if (age_step_)
    age_step_ = step;
  return age_step_.has_value();
}

task* priority::choose(instant) noexcept {
  return waiting_.empty() ? nullptr : &waiting_.front();
}

} // namespace libpool
