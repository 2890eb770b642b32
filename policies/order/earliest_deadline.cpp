#include "libpool/policies/order/earliest_deadline.hpp"

namespace libpool {

void earliest_deadline::added(task& task, instant) noexcept {
  waiting_.add(task);
}

void earliest_deadline::removed(task& task, instant) noexcept {
  waiting_.remove(task);
}

/// Returns the rank of the task: its deadline, counted backwards. No deadline
/// is the latest one.
std::int64_t earliest_deadline::rank(const task& task) const noexcept {
  return -task.deadline.time_since_epoch().count();
}

task* earliest_deadline::choose(instant) noexcept {
  return waiting_.empty() ? nullptr : &waiting_.front();
}

} // namespace libpool
