/// How a managed pool leaves several messages at a time to a worker.

#include "libpool/actors/managed/managed_pool.hpp"

#include <memory>

namespace libpool {

/// Fills a lease with waiting messages for the worker, which is about to get
/// the element. If tasks are not measured, the clock is read once for all of
/// them.
void managed_pool::lease_behind(tracked_element& carrier, managed_task& task,
                                managed_worker& to) {
  auto* line = to.may_go_on ? line_behind(task) : nullptr;
  if (line == nullptr || line->messages.empty())
    return;
  if (to.lease == nullptr)
    to.lease = std::make_unique<worker_lease>(to);
  intake_.leases().fill(*to.lease, task.accepted, *line, clock_.slow_service(),
                        clock_.measures() ? now() : clock_.look());
  dispatcher_.leads(task, to.lease->unknown());
  if (to.lease->size() > 1 || !clock_.measures())
    carrier.follow_with(*to.lease);
}

/// The line whose messages are next after the task; nullptr if others are.
waiting_line* managed_pool::line_behind(const managed_task& task) {
  auto& waiting = intake_.waiting();
  if (task.leads)
    return waiting.find(task.flow.hash());
  auto is_next = !dispatcher_.has_flows() && dispatcher_.books().waiting == 0;
  return is_next ? &waiting.all() : nullptr;
}

/// The worker has ended with all that it was left, or cannot go on. `task`
/// stands for the message that it has ended with.
void managed_pool::end_lease(managed_task& task, tracked_element& carrier) {
  auto& lease = *static_cast<managed_worker&>(*task.on).lease;
  intake_.leases().ended(lease);
  tell_ends(task, lease);
  lease.untold_hook.unlink();
  if (!clock_.measures())
    clock_.task_took((clock_.look() - lease.since())
                     / static_cast<duration::rep>(lease.size()));
  task.is_request = carrier.message_id().is_request();
}

/// Tells the dispatcher which messages the worker has ended so far.
void managed_pool::tell_ends(managed_task& task, worker_lease& of) {
  auto [first, last] = intake_.leases().tell_ends(of);
  if (clock_.measures())
    clock_.tasks_ended(first, last);
  dispatcher_.went_on(task, first, last);
  if (first != last)
    task.type_names = nullptr; // it stands for another message
  recycler_.let_go(static_cast<std::size_t>(last - first));
}

/// The worker is to go on with nothing that it has not begun.
void managed_pool::take_lease_back(managed_worker& from) {
  if (from.lease != nullptr)
    intake_.leases().ended(*from.lease);
}

} // namespace libpool
