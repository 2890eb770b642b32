#include "libpool/actors/managed/leasing.hpp"

#include <memory>

namespace libpool {

/// If tasks are not measured, reads the clock once for all messages.
void leasing::lease_behind(tracked_element& carrier, managed_task& task,
                           managed_worker& to) {
  auto* line = to.may_go_on ? book_.line_behind(task) : nullptr;
  if (line == nullptr)
    return;
  if (to.lease == nullptr)
    to.lease = std::make_unique<worker_lease>(to);
  book_.fill(*to.lease, task.accepted, *line, clock_.slow_service(),
             clock_.measures() ? clock_.now() : clock_.look());
  dispatcher_.leads(task, to.lease->unknown());
  if (to.lease->size() > 1 || !clock_.measures())
    carrier.follow_with(*to.lease);
}

void leasing::end_lease(managed_task& task, tracked_element& carrier) {
  auto& lease = *worker_of(task).lease;
  book_.ended(lease);
  tell_ends(task, lease);
  lease.untold_hook.unlink();
  if (!clock_.measures())
    clock_.task_took((clock_.look() - lease.since())
                     / static_cast<duration::rep>(lease.size()));
  task.is_request = carrier.message_id().is_request();
}

void leasing::tell_ends(managed_task& task, worker_lease& of) {
  auto [first, last] = book_.tell_ends(of);
  if (clock_.measures())
    clock_.tasks_ended(first, last);
  dispatcher_.went_on(task, first, last);
  if (first != last)
    task.type_names = nullptr; // it stands for another message
  recycler_.let_go(static_cast<std::size_t>(last - first));
}

} // namespace libpool
