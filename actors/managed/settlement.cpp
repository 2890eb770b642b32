#include "libpool/actors/managed/settlement.hpp"

#include "libpool/actors/caf/port/front_actor.hpp"
#include "libpool/actors/error.hpp"
#include "libpool/actors/managed/managed_front.hpp"
#include "libpool/actors/managed/refusals.hpp"
#include "libpool/actors/managed/round_size.hpp"

#include <utility>

namespace libpool {

void settlement::end(managed_task& task, const decision& by, host_ptr host) {
  auto may_wait = by.how != outcome::completed && by.how != outcome::refused
                  && task.asked_of == nullptr;
  if (may_wait && told_++ >= most_in_round)
    return put_off_.push_back(by);
  settle(task, by, host);
  release(task);
}

void settlement::tell_more(std::size_t most, host_ptr host) {
  for (; most > 0 && !put_off_.empty(); --most) {
    const auto end = put_off_.front();
    put_off_.pop_front();
    auto& task = static_cast<managed_task&>(*end.task);
    settle(task, end, host);
    release(task);
  }
}

/// Reports the end of the task to its client and to the functions of the user.
void settlement::tell_end(managed_task& task, const decision& by,
                          host_ptr host) {
  intake_.describe_late(task);
  caf::error why;
  if (by.how != outcome::completed) {
    why = error_of(task, by, staff_.condition());
    if (why == errc::queue_full || why == errc::flow_full)
      why = refusal_of(task, by.why, dispatcher_, staff_.workers().seats());
    fail(task, by, why, host);
  }
  if (!answers_.tells_settled())
    return;
  answers_.note_settled(task, task.extras().note, by, why,
                        by.how == outcome::refused ? clock_.now() : by.at);
  answers_.report_settled();
}

/// The task was not completed: tells its client, and an outer pool.
void settlement::fail(managed_task& task, const decision& by,
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
      static_cast<managed_front*>(pool->get())
        ->settled_inside(task.extras().from_outer, by.why, host);
  answers_.tell_client(task, by, why, host);
}

void settlement::release(managed_task& task) {
  if (task.gather != nullptr)
    gathers_.left(task);
  intake_.forget(task);
  recycler_.give_back(task);
}

void settlement::tell_callers(host_ptr host) {
  for (auto& each : std::exchange(callers_, {}))
    each(host);
}

} // namespace libpool
