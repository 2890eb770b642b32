#include "libpool/actors/managed/arrivals.hpp"

#include "libpool/actors/caf/fact_inbox.hpp"
#include "libpool/actors/caf/port/elements.hpp"
#include "libpool/actors/caf/port/tracked_element.hpp"
#include "libpool/actors/gate/submission.hpp"
#include "libpool/core/joint_run.hpp"
#include "libpool/core/lease_size.hpp"

#include <caf/scheduled_actor.hpp>

#include <utility>

namespace libpool {

namespace {

/// Returns the task of the worker for which `f` returns true; nullptr if there
/// is none.
template <class F>
managed_task* find_task(managed_worker& worker, F f) {
  for (auto& each : worker.mailbox)
    if (auto& task = static_cast<managed_task&>(each);
        task.carrier != nullptr && f(*task.carrier))
      return &task;
  return nullptr;
}

} // namespace

const element_record*
arrivals::handled_by_sender(const caf::mailbox_element& request) const {
  if (!request.mid.is_request() || request.sender == nullptr)
    return nullptr;
  const auto& client = client_behind(request.sender);
  const auto& here = element_record::handler_in_thread();
  if (client == nullptr || here.owner != &pool_ || here.actor != client->get())
    return nullptr;
  const element_record* handled = tracked_element::handled_by(*here.worker);
  return handled == here.element ? handled : nullptr;
}

void arrivals::asked_by_handler(caf::mailbox_element_ptr element,
                                const element_record& handled) {
  auto* worker = staff_.asking_worker(*element);
  if (worker == nullptr) // it has left
    return submitted(std::move(element), clock_.now());
  auto* asker = find_task(*worker, [&](const tracked_element& carrier) {
    return &carrier == &handled;
  });
  asked_by_worker(*worker, std::move(element), clock_.now(), asker);
}

/// Makes a task of the request, which the worker may wait for with the handler
/// of `asker`; nullptr: it is not known with which. A worker that blocks waits
/// with the only handler that it runs.
void arrivals::asked_by_worker(managed_worker& worker,
                               caf::mailbox_element_ptr element, instant came,
                               managed_task* asker) {
  auto blocks = worker.receiver.blocking != nullptr;
  if (blocks)
    asker = find_task(worker, [](const tracked_element& carrier) {
      return carrier.has_started();
    });
  submitted(std::move(element), came, asker, blocks ? nullptr : &worker);
}

void arrivals::arrived(caf::mailbox_element_ptr&& element, instant came) {
  if (auto* worker = staff_.asking_worker(*element))
    asked_by_worker(*worker, std::move(element), came, nullptr);
  else
    submitted(std::move(element), came);
}

/// Makes a task of the message, and submits it or refuses it.
void arrivals::submitted(caf::mailbox_element_ptr&& element, instant came,
                         managed_task* asker, managed_worker* asking) {
  auto& task = recycler_.take_task();
  if ((asker != nullptr || asking != nullptr) && !gathers_.are_on()) {
    auto& notes = task.own_notes();
    notes.asker = asker;
    notes.asking = asker == nullptr ? asking : nullptr;
  }
  auto* outer = intake_.load(task, std::move(element));
  if (outer != nullptr && outer->has_passed(pool_))
    return dispatcher_.refused(task, errc::cycle);
  if (!end_.accepts())
    return dispatcher_.refused(task, errc::pool_closed);
  if (outer == nullptr && belongs_to_stream(*task.element))
    return dispatcher_.refused(task, errc::no_streams);
  if (end_.refuses_if_alone() && staff_.is_alone())
    return dispatcher_.refused(task, errc::no_workers);
  if (gathers_.are_on())
    return gathers_.scatter(task, came);
  if (options_.capacity && dispatcher_.capacity().is_full())
    flight_.tell_ends();
  intake_.take_in(task, came, clock_.now());
  if (outer != nullptr && is_joiner(task) && task.is >= task::condition::sent)
    flight_.joined(task);
}

/// Whether new messages would have to wait, for something that will be told,
/// and need not be looked at before that.
bool arrivals::messages_can_wait() const noexcept {
  auto may_be_refused = options_.nodes || intake_.throttles()
                        || dispatcher_.needs().limits_flows
                        || options_.too_wide == too_wide::refuse;
  auto would_wait = dispatcher_.is_saturated()
                    || dispatcher_.is_busy_or_pauses();
  return would_wait && !dispatcher_.workers().is_suspended() && !may_be_refused
         && end_.accepts() && staff_.workers().size() > 0;
}

instant arrivals::patient_until() {
  constexpr std::size_t plenty = 4096;
  if (staff_.may_wait() // for messages that would stay
      || intake_.has_own_deadlines())
    return fact_inbox::impatient;
  auto may_wait = clock_.measures()
                    ? clock_.tasks_are_tiny()
                    : dispatcher_.is_busy_or_pauses() && !options_.capacity;
  if (!may_wait || !messages_can_wait()
      || dispatcher_.capacity().room() < plenty)
    return fact_inbox::impatient;
  if (!clock_.measures())
    return never;
  auto time = options_.deadline ? clock_.look() : clock_.now();
  return later(time, lease_size::longest);
}

} // namespace libpool
