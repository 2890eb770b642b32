#pragma once

#include "libpool/actors/caf/passage.hpp"
#include "libpool/actors/caf/port/tracked_element.hpp"
#include "libpool/actors/caf/port/types.hpp"
#include "libpool/actors/managed/batches.hpp"
#include "libpool/actors/managed/gathers.hpp"
#include "libpool/actors/managed/intake.hpp"
#include "libpool/actors/managed/managed_front.hpp"
#include "libpool/actors/managed/managed_task.hpp"
#include "libpool/actors/managed/managed_worker.hpp"
#include "libpool/actors/managed/messages_at_pools.hpp"
#include "libpool/actors/managed/pool_clock.hpp"
#include "libpool/actors/managed/recycler.hpp"
#include "libpool/actors/managed/settlement.hpp"
#include "libpool/actors/managed/staff.hpp"
#include "libpool/actors/managed_setup.hpp"
#include "libpool/core/dispatcher.hpp"
#include "libpool/core/errc.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/core/worker_number.hpp"

#include <caf/error.hpp>

#include <cstddef>
#include <memory>
#include <vector>

namespace libpool {

/// Tasks of a managed pool that workers have: sends them, one by one or as
/// leases, looks at their handlers, takes tasks back, asks handlers to stop,
/// and reports how tasks come back. A task whose message cannot be sent is
/// cancelled.
///
/// Threads: the pool's.
class tasks_in_flight {
public:
  using host_ptr = execution_context*;

  tasks_in_flight(managed_front& pool, const managed_setup& options,
                  dispatcher& dispatcher, pool_clock& clock, recycler& recycler,
                  intake& intake, gathers& gathers, staff& staff,
                  const batches& batches, settlement& settlement) noexcept
    : pool_(pool),
      options_(options),
      dispatcher_(dispatcher),
      clock_(clock),
      recycler_(recycler),
      intake_(intake),
      gathers_(gathers),
      staff_(staff),
      batches_(batches),
      settlement_(settlement),
      notes_workers_(settlement.is_told()) {
    // nop
  }

  /// Sends the task, and the tasks that follow it, to the worker. Does nothing
  /// if the task was taken back meanwhile.
  void send(managed_task& task, managed_worker& worker, host_ptr host);

  /// Notes that the run that the task shares is at a worker. For an outer pool,
  /// the message of the task has begun then.
  void joined(managed_task& task);

  // -- facts ------------------------------------------------------------------

  /// Notes that a worker is done with the element.
  void element_ended(tracked_element& carrier, host_ptr host);

  /// Notes that a worker has died. The worker may be replaced.
  void worker_died(worker_number number, const caf::error& reason,
                   host_ptr host);

  /// Notes that a handler began inside the worker that has the message of
  /// `sent`.
  void began_inside(passage& sent, instant began, host_ptr host);

  /// Reports the ends of all tasks that were sent together.
  void tell_ends();

  // -- looks ------------------------------------------------------------------

  /// Reports the start of the task, and the ends of tasks that were sent
  /// together with it, if no fact has told them. Returns the time at which the
  /// handler of the task began, if times are measured; `never`: it has not
  /// begun.
  instant look_at(managed_task& task);

  /// Looks at tasks that workers have, as far as they still have them then.
  void look_at(const std::vector<task*>& some);

  /// Tells how far the worker is with the task. If the handler has reached the
  /// time limit, other workers get the messages behind it.
  void look(managed_task& task, managed_worker& worker, host_ptr host);

  /// Returns the start of the handler of a task that a worker has; `never` if
  /// the handler has not begun.
  instant start_of(managed_task& task) {
    return task.carrier != nullptr ? look_at(task) : task.started;
  }

  /// Returns what the handler of the message can know of it; nullptr if the
  /// message was taken back.
  std::shared_ptr<const task_facts> facts_of(const tracked_element& handled);

  // -- tasks that are wanted back, or are to end ------------------------------

  /// Takes the message back from a worker that has not begun with it.
  void recall(managed_task& task, managed_worker& worker);

  /// Takes all tasks back that were sent together with another one and that the
  /// worker has not begun.
  void take_followers_back(managed_worker& worker);

  /// Takes back tasks that wait behind one that takes long, where times are not
  /// measured: the dispatcher does it elsewhere.
  void take_overdue_back();

  /// Tells the handler, and the pool or node that has the message, to stop. A
  /// message that comes back unhandled after that is cancelled.
  void ask_to_stop(managed_task& task);

  /// Tells the handler of a task that was settled before its end to stop.
  void give_up(managed_task& task);

  /// Tells inner pools of their messages that are not wanted any more.
  void tell_cancelled(host_ptr host) {
    if (!cancelled_.empty())
      tell_pools(host);
  }

  /// Whether the pool can answer the client of a message that a worker has
  /// begun. If answers are intercepted, a message without an interceptor has no
  /// client that waits.
  bool may_answer_for(const managed_task& task) const noexcept {
    return task.extras().interceptor != nullptr || intake_.intercepts();
  }

private:
  void send_followers(managed_task& first, tracked_element& carrier,
                      managed_worker& worker);
  errc make_ready(managed_task& task, managed_worker& worker);
  errc make_run_ready(managed_task& leader, const managed_worker& worker);
  errc compose(managed_task& leader);
  void cancel_run(managed_task& task, errc why);
  void came_unhandled(managed_task& task, tracked_element& carrier);
  void keep_from(managed_task& task, worker_number worker);
  bool take_back_follower(managed_task& task, managed_worker& worker);
  void came_back(managed_task& task);
  void tell_ends(managed_worker& worker, host_ptr host);
  void note_service(const managed_worker& worker, std::size_t tasks);
  void reclaim(managed_worker& worker);
  void returned(managed_task& task);
  void unhandled(managed_task& task);
  void tell_pools(host_ptr host);

  managed_front& pool_;
  const managed_setup& options_;
  dispatcher& dispatcher_;
  pool_clock& clock_;
  recycler& recycler_;
  intake& intake_;
  gathers& gathers_;
  staff& staff_;
  const batches& batches_;
  settlement& settlement_;
  const bool notes_workers_;    // for reports about ends
  messages_at_pools cancelled_; // of which inner pools are to be told
};

} // namespace libpool
