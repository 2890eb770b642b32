/// The end of tasks in a managed pool.

#include "libpool/actors/caf/port/front_actor.hpp"
#include "libpool/actors/error.hpp"
#include "libpool/actors/managed/managed_pool.hpp"
#include "libpool/actors/managed/managed_worker.hpp"

#include <caf/error.hpp>

namespace libpool {

/// Reports the end of the task to its client and to the functions of the user.
void managed_pool::tell_end(managed_task& task, const decision& by,
                            host_ptr host) {
  intake_.describe_late(task);
  caf::error why;
  if (by.how != outcome::completed) {
    why = error_of(
      task, by,
      {endings_.has_ended(), staff_.problem(), options_.patience.has_value()});
    if (why == errc::queue_full || why == errc::flow_full)
      why = refusal_of(task, by.why);
    fail(task, by, why, host);
  }
  if (!answers_.tells_settled())
    return;
  answers_.note_settled(task, task.extras().note, by, why,
                        by.how == outcome::refused ? now() : by.at);
  answers_.report_settled();
}

/// The task was not completed: tells its client, and an outer pool.
void managed_pool::fail(managed_task& task, const decision& by,
                        const caf::error& why, host_ptr host) {
  using outer_message = answers::outer_message;
  auto outer = answers::tell_outer(task, by, why);
  if (outer == outer_message::given_back && by.why != errc::pool_closed)
    staff_.was_full();
  if (outer != outer_message::settled)
    return;
  auto handler_still_runs = task.is == task::condition::overdue;
  if (task.extras().from_outer != nullptr && handler_still_runs)
    if (auto pool = reach(task.extras().from_outer->owner))
      static_cast<managed_pool*>(pool->get())
        ->settled_inside(task.extras().from_outer, by.why, host);
  answers_.tell_client(task, by, why, host);
}

/// The task is over, and the dispatcher knows it no more.
void managed_pool::recycle(managed_task& task) {
  if (task.gather != nullptr)
    gathers_.left(task);
  intake_.forget(task);
  recycler_.give_back(task);
}

/// A worker that is a pool has given up on a message that may still run.
void managed_pool::settled_inside(const std::shared_ptr<passage>& of, errc why,
                                  host_ptr host) {
  auto is_settled = [this, of, why](host_ptr) {
    if (of->task == nullptr)
      return; // it has ended since
    dispatcher_.started(*of->task, now());
    dispatcher_.cancelled(*of->task, why, now());
  };
  tell(is_settled, host);
}

} // namespace libpool
