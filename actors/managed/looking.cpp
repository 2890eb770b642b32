/// How a managed pool finds out how long handlers run.

#include "libpool/actors/caf/inner_pool.hpp"
#include "libpool/actors/managed/managed_pool.hpp"

#include <algorithm>

namespace libpool {

/// Tells how far the worker is with the task. If the handler has reached the
/// time limit, other workers get the messages behind it. A node is asked: it
/// opens a message before the handler begins.
void managed_pool::look(managed_task& task, managed_worker& at, host_ptr host) {
  if (task.on != &at)
    return; // has come back
  tell_ends(at, nullptr);
  if (task.on != &at)
    return; // has ended
  auto started = start_of(task);
  if (at.node != nullptr && started != never && task.carrier != nullptr
      && task.extras().to_inner != nullptr) {
    if (task.extras().to_inner->began != never)
      started = std::max(started, task.extras().to_inner->began);
    else if (at.receiver.pool->tells_begin(*task.carrier, host))
      return dispatcher_.looked_at(task, never, now());
  }
  auto is_over = started != never
                 && later(started, *options_.time_limit) <= now();
  if (is_over && task.carrier != nullptr) {
    take_followers_back(at);
    started = look_at(task); // the worker may have gone on meanwhile
    if (task.on != &at)
      return;
  }
  dispatcher_.looked_at(task, started, now());
}

/// The passage is of one run of the task.
void managed_pool::began_at_node(const std::shared_ptr<passage>& by,
                                 instant began, host_ptr host) {
  auto has_begun = [this, by, began](host_ptr here) {
    by->began = began;
    auto is_there = by->task != nullptr && by->task->on != nullptr;
    if (is_there && options_.time_limit)
      look(*by->task, worker_of(*by->task), here);
  };
  tell(has_begun, host);
}

} // namespace libpool
