#pragma once

#include "libpool/actors/caf/port/tracked_element.hpp"
#include "libpool/actors/managed/answers.hpp"
#include "libpool/actors/managed/intake.hpp"
#include "libpool/actors/managed/managed_task.hpp"
#include "libpool/actors/managed/managed_worker.hpp"
#include "libpool/actors/managed/pool_clock.hpp"
#include "libpool/actors/managed/recycler.hpp"
#include "libpool/core/dispatcher.hpp"
#include "libpool/core/instant.hpp"

#include <cstddef>

namespace libpool {

/// Gives leases to the workers of a managed pool, and tells the other parts of
/// the pool which leased messages have ended.
class leasing {
public:
  leasing(intake& in, dispatcher& to, pool_clock& clock, recycler& used,
          answers& by)
    : intake_(in),
      book_(in.book()),
      dispatcher_(to),
      clock_(clock),
      recycler_(used),
      answers_(by) {
    // nop
  }

  /// Fills a lease with waiting messages for the worker, which is about to get
  /// the element.
  void lease_behind(tracked_element& carrier, managed_task& task,
                    managed_worker& to);

  /// Ends the lease of the worker, which has handled all of its messages or
  /// cannot go on. `task` stands for the message that has ended last.
  void end_lease(managed_task& task, tracked_element& carrier);

  /// Reports the messages of the lease that the worker has ended so far.
  void tell_ends(managed_task& task, worker_lease& of);

  /// Releases what was noted of the messages of the worker's lease.
  static void forget_notes(managed_worker& of) {
    of.notes.clear();
    of.interceptors.clear();
  }

  /// Reports the start of the task, and the ends of messages of its lease, if
  /// no fact has told them. Returns the time at which the handler of the task
  /// began, if times are measured; `never`: it has not begun.
  instant look_at(managed_task& task);

  /// Calls `look_at` for each task of the worker.
  void look_at(managed_worker& worker);

  /// Calls `look_at` for each worker with a lease that may have unreported
  /// ends.
  void tell_all();

  /// Takes back the messages that the worker has not begun.
  void take_back(managed_worker& from) {
    if (from.lease != nullptr)
      book_.leases().ended(*from.lease);
  }

private:
  void note_names(const managed_task& first, managed_worker& on);
  void describe(managed_worker& on);
  void intercept(const managed_task& first, managed_worker& on);
  void note_answer(managed_task& task, std::size_t i, instant deadline,
                   const message_note* note);
  void note_answers(managed_task& task, const worker_lease& of,
                    const worker_lease::ends& ended);
  void take_interceptor(managed_task& task, const worker_lease& of,
                        const worker_lease::ends& ended);
  void tell(managed_task& task, const worker_lease& of,
            const worker_lease::ends& ended);
  void tell_by_name(managed_task& task, const worker_lease& of,
                    const worker_lease::ends& ended);
  void tell_one_by_one(managed_task& task, const worker_lease& of,
                       const worker_lease::ends& ended);
  static void stands_for_another(managed_task& task);

  intake& intake_;
  lease_book<queued_element>& book_;
  dispatcher& dispatcher_;
  pool_clock& clock_;
  recycler& recycler_;
  answers& answers_;
};

} // namespace libpool
