#include "libpool/actors/managed/task_leasing.hpp"

#include <memory>
#include <utility>

namespace libpool {

void task_leasing::begin(managed_task& first, managed_worker& to) {
  if (to.lease == nullptr)
    to.lease = std::make_unique<worker_lease>(to);
  to.lease->begin(first.accepted, clock_.now(), to.leased_until);
  to.leased.assign(1, &first);
}

void task_leasing::add(managed_task& added, managed_worker& to) {
  to.lease->add({{std::move(added.element), follows::yes}, 0}, added.accepted,
                added.deadline);
  to.leased.push_back(&added);
}

/// Answers of requests pass when the worker goes on with the next message.
void task_leasing::give(tracked_element& carrier, managed_worker& to) const {
  carrier.follow_with(*to.lease);
  if (std::any_of(to.leased.begin(), to.leased.end(), [](auto* each) {
        return each->extras().interceptor != nullptr;
      }))
    carrier.pass_answers();
  if (stops_at_errors_)
    carrier.stop_at_errors();
}

} // namespace libpool
