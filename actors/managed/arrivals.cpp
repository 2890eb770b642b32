/// How messages come into a managed pool.

#include "libpool/actors/caf/handles.hpp"
#include "libpool/actors/caf/port/elements.hpp"
#include "libpool/actors/gate/submission.hpp"
#include "libpool/actors/managed/managed_pool.hpp"

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

/// Returns the worker that has sent the request, itself or through a gate, and
/// may wait for the answer; nullptr if there is none.
managed_worker*
managed_pool::asking_worker(const caf::mailbox_element& element) const {
  if (!workers_may_wait_ || !element.mid.is_request()
      || element.sender == nullptr)
    return nullptr;
  const auto& client = client_behind(element.sender);
  return client != nullptr && may_wait(*client->get())
           ? roster_.find_present(*client->get())
           : nullptr;
}

/// Makes a task of the request, which the handler of the message in `by` may
/// wait for. The fact was told before the end of that message.
void managed_pool::asked_by_handler(caf::mailbox_element_ptr element,
                                    const element_record& by) {
  auto* worker = asking_worker(*element);
  if (worker == nullptr) // it has left
    return managing(std::move(element), nullptr);
  auto* asker = find_task(
    *worker, [&](const tracked_element& carrier) { return &carrier == &by; });
  asked_by_worker(*worker, std::move(element), now(), asker);
}

/// Makes a task of the request, which the worker may wait for with the handler
/// of `asker`; nullptr: it is not known with which. A worker that blocks waits
/// with the only handler that it runs.
void managed_pool::asked_by_worker(managed_worker& worker,
                                   caf::mailbox_element_ptr element,
                                   instant came, managed_task* asker) {
  auto blocks = worker.receiver.blocking != nullptr;
  if (blocks)
    asker = find_task(worker, [](const tracked_element& carrier) {
      return carrier.has_started();
    });
  auto how = is_full(*element, came) ? arrival::exceeds : arrival::fits;
  submitted(std::move(element), came, how, asker, blocks ? nullptr : &worker);
}

/// Handles a message that may be addressed to the pool itself, or is in a
/// hurry.
void managed_pool::managing(caf::mailbox_element_ptr element, host_ptr host) {
  auto counts_as_work = tracked_element::from(*element) != nullptr
                        || is_work(*element);
  if (!counts_as_work && element->mid.is_response())
    return; // answers a request that was never sent
  if (!counts_as_work && manage(*element, host))
    return;
  if (intake::may_wait(*element, *this))
    arrived(std::move(element), now());
  else
    hurried(std::move(element));
}

/// Makes a task of the message, which others must not overtake.
void managed_pool::hurried(caf::mailbox_element_ptr element) {
  if (intake::is_urgent(*element))
    intake_.book().leases().take_back_all(); // it goes before them
  if (auto* worker = asking_worker(*element))
    return asked_by_worker(*worker, std::move(element), now(), nullptr);
  auto how = is_full(*element, now()) ? arrival::exceeds : arrival::fits;
  submitted(std::move(element), now(), how);
}

/// Makes a task of the message, or lets it wait until there is room for one.
void managed_pool::arrived(caf::mailbox_element_ptr element, instant came) {
  if (auto* worker = asking_worker(*element))
    return asked_by_worker(*worker, std::move(element), came, nullptr);
  auto& book = intake_.book();
  if (is_full(*element, came))
    return submitted(std::move(element), came, arrival::exceeds);
  if (book.goes_by_worker())
    return line_up_at_worker(std::move(element), came);
  if (book.has_heads())
    return line_up(std::move(element), came);
  auto* described = has_to_wait() ? intake_.describe_choice(*element, came)
                                  : nullptr;
  if (described == nullptr)
    return submitted(std::move(element), came, arrival::fits);
  wait_in(book.waiting().all(), *described, std::move(element), came);
}

/// Whether the maximum number of messages waits, and a message that arrives now
/// would have to wait, too.
bool managed_pool::is_full(caf::mailbox_element& element, instant came) {
  auto& book = intake_.book();
  if (!options_.capacity || !endings_.accepts() || book.room() > 0)
    return false;
  auto* described = book.has_heads() || book.goes_by_worker()
                      ? intake_.describe_choice(element, came)
                      : nullptr;
  return book.is_full(described, *this);
}

void managed_pool::wait_in(element_line& line, const task& described,
                           caf::mailbox_element_ptr element, instant came) {
  recycler_.hold();
  intake_.book().wait_in(line, intake_.queued(std::move(element)), came,
                         described.deadline);
}

/// Whether a message that comes now waits behind all others.
bool managed_pool::has_to_wait() const noexcept {
  return false;
  const auto& book = intake_.book();
  return !book.has_heads() && !book.goes_by_worker() && endings_.accepts()
         && (!book.waiting().empty()
             || (dispatcher_.is_busy_or_pauses() && messages_can_wait()));
}

/// Lets the message wait in the line of its flow or priority, or makes a task
/// of it if it is the first one of the line or need not wait.
void managed_pool::line_up(caf::mailbox_element_ptr element, instant came) {
  auto& book = intake_.book();
  auto* described = book.has_to_wait() && endings_.accepts()
                      ? intake_.describe_choice(*element, came)
                      : nullptr;
  if (described == nullptr)
    return submitted(std::move(element), came, arrival::fits);
  if (auto* line = book.line_for(*described))
    return wait_in(*line, *described, std::move(element), came);
  auto& task = recycler_.take_task();
  intake_.make_first(task, std::move(element), came);
  dispatcher_.submitted(task, now(), came);
}

/// Chooses the worker of the message, and lets the message wait in the line of
/// this worker. Submits a task if the message cannot wait in a line.
void managed_pool::line_up_at_worker(caf::mailbox_element_ptr element,
                                     instant came) {
  auto* described = endings_.accepts() ? intake_.describe_choice(*element, came)
                                       : nullptr;
  if (described == nullptr)
    return submitted(std::move(element), came, arrival::fits);
  if (auto* to = dispatcher_.line_for(*described, now())) {
    recycler_.hold();
    auto message = intake_.queued(std::move(element));
    return intake_.book().line_up(*to, *described, message, came);
  }
  submitted(std::move(element), came, arrival::is_chosen_for);
}

/// Makes a task of a waiting message, without calling functions of the user.
managed_task& managed_pool::task_of(const element_line& of,
                                    const element_line::message& waited) {
  auto& result = new_head(of);
  intake_.load(result, waited.content);
  result.has_waited = true;
  recycler_.let_go();
  return result;
}

/// Makes a task that stands for the messages of the line.
managed_task& managed_pool::new_head(const element_line& of) {
  auto& result = recycler_.take_task();
  intake::make_plain(result, of.flow, of.priority);
  return result;
}

/// The task, which stands for a line, is one for that message from now on.
void managed_pool::become(line_task<queued_element>& head,
                          const queued_element& message) {
  intake_.load(static_cast<managed_task&>(head), message);
  recycler_.let_go();
}

/// Makes a task of a message that has waited.
void managed_pool::submit(const element_line::message& waited) {
  intake_.note_deadline(waited.deadline);
  submitted(waited.content.take(), waited.came,
            waited.content.is_intercepted() ? arrival::is_intercepted
                                            : arrival::has_waited);
  recycler_.let_go();
}

/// A message that is not new was accepted, as far as others know.
void managed_pool::submitted(caf::mailbox_element_ptr element, instant came,
                             arrival how, managed_task* asker,
                             managed_worker* asking) {
  auto is_new = how < arrival::has_waited;
  auto& task = recycler_.take_task();
  auto is_asked_for = asker != nullptr || asking != nullptr;
  if (is_asked_for && !gathers_.are_on()) {
    auto& notes = task.own_notes();
    notes.asker = asker;
    notes.asking = asker == nullptr ? asking : nullptr;
  }
  auto* outer = intake_.load(task, std::move(element));
  task.has_waited = !is_new;
  if (how == arrival::is_intercepted)
    intake_.take_interceptor(task);
  if (how == arrival::is_chosen_for)
    intake_.give_choice(task);
  if (!is_new)
    intake_.give_deadline(task);
  if (outer != nullptr && outer->has_passed(*this))
    return dispatcher_.refused(task, errc::cycle);
  if (is_new && !endings_.accepts())
    return dispatcher_.refused(task, errc::pool_closed);
  if (outer == nullptr && belongs_to_stream(*task.element))
    return dispatcher_.refused(task, errc::no_streams);
  if (is_new && endings_.refuses_if_alone() && is_alone())
    return dispatcher_.refused(task, errc::no_workers);
  if (gathers_.are_on() && !endings_.has_ended())
    return gathers_.scatter(task, came);
  if (how == arrival::exceeds) {
    auto why = intake_.prepare(task, came);
    return dispatcher_.refused(task, why != errc{} ? why : errc::queue_full);
  }
  if (options_.capacity && dispatcher_.is_full())
    tell_leased();
  intake_.take_in(task, came, now());
}

/// Whether new messages would have to wait, for something that will be told,
/// and need not be looked at before that.
bool managed_pool::messages_can_wait() const noexcept {
  auto would_wait = !dispatcher_.is_suspended()
                    && (dispatcher_.is_saturated()
                        || dispatcher_.is_busy_or_pauses());
  auto may_be_refused = options_.nodes || intake_.throttles()
                        || dispatcher_.limits_flows()
                        || options_.too_wide == too_wide::refuse;
  auto has_limits = options_.capacity || options_.deadline
                    || options_.deadline_of != nullptr;
  auto needs_task = has_limits && !intake_.book().are_on();
  return would_wait && !may_be_refused && !needs_task && endings_.accepts()
         && roster_.size() > 0;
}

/// Returns the time until which new messages can stay in the inbox. If recent
/// tasks were very short, the exact arrival time of a message hardly matters:
/// senders read the clock, and a message stays at most as long as a lease
/// takes. If nothing is measured, tasks may be long and many messages may
/// arrive: the messages stay only if they would wait without tasks. With a
/// capacity, new messages stay only if the pool has room for `plenty`, far more
/// than arrive in this time, so that none of them is refused late.
instant managed_pool::patient_until() {
  constexpr std::size_t plenty = 4096;
  if (workers_may_wait_ // for messages that would stay
      || intake_.has_own_deadlines())
    return fact_inbox::impatient;
  auto may_wait = clock_.measures()
                    ? clock_.tasks_are_tiny()
                    : dispatcher_.is_busy_or_pauses() && !options_.capacity;
  if (!may_wait || !messages_can_wait() || intake_.book().room() < plenty)
    return fact_inbox::impatient;
  if (!clock_.measures())
    return never;
  auto time = options_.deadline ? clock_.look() : now();
  return later(time, lease_size::longest);
}

} // namespace libpool
