#include "libpool/actors/managed/sending.hpp"

#include "libpool/actors/caf/node_worker.hpp"
#include "libpool/actors/managed/leasing.hpp"
#include "libpool/actors/managed/outgoing.hpp"
#include "libpool/actors/managed/packer.hpp"

#include <iterator>
#include <memory>
#include <utility>

namespace libpool {

namespace {

/// Puts the message of the task into a tracked element for the worker.
void load(tracked_element& carrier, managed_task& task,
          const managed_worker& to) {
  auto is_of_outer = tracked_element::from(*task.element) != nullptr;
  task.carrier = &carrier;
  carrier.load(task, std::move(task.element), to.receiver,
               task.extras().interceptor == nullptr);
  if (task.repeatable && !is_of_outer)
    carrier.keep_message();
  if (task.extras().stand_in != nullptr)
    carrier.answer_to(std::move(task.own_extras().stand_in));
  carrier.announce(task.extras().to_inner);
  if (task.extras().outer != nullptr) // and not in what is sent
    carrier.descend_from(tracked_element::from(*task.extras().outer)->line());
  if (task.gather != nullptr)
    carrier.descend_from(gather_of(task).before);
}

/// Notes the worker, for the reports about the task's end.
void note_worker(managed_task& task, const managed_worker& to) {
  auto& extras = task.own_extras();
  extras.worker = to.handle;
  extras.last_worker = to.number;
  if (to.node != nullptr)
    extras.node = to.node->node_name();
}

} // namespace

void sending::send(managed_task& task, managed_worker& to,
                   execution_context* host) {
  if (task.on != &to || task.is != task::condition::sent
      || task.carrier != nullptr)
    return; // was taken back before it was sent
  if (auto why = make_ready(task, to); why != errc{})
    return dispatcher_.cancelled(task, why, clock_.now());
  if (task.gather != nullptr)
    gathers_.was_sent(task);
  auto& carrier = recycler_.take_carrier([this] {
    auto counts = dispatcher_.measures() == measure::cpu_time;
    return std::make_unique<tracked_element>(pool_, clock_.timer(), counts);
  });
  load(carrier, task, to);
  if (options_.busy_until == busy_until::answer && to.receiver.has_mailbox)
    carrier.note_thread(); // the handler may ask this pool
  if (to.followers > 0)
    send_followers(task, carrier, to);
  if (!clock_.measures() && to.takes_leases)
    to.sent_at = clock_.look();
  carrier.send(host);
}

/// Adds the tasks that follow the task to a lease.
void sending::send_followers(managed_task& first, tracked_element& carrier,
                             managed_worker& to) {
  leasing::begin(first, to, clock_.now());
  for (auto i = std::next(to.mailbox.iterator_to(first));
       i != to.mailbox.end() && i->follows; ++i) {
    auto& next = static_cast<managed_task&>(*i);
    if (next.recalled)
      continue;
    if (auto why = make_ready(next, to); why != errc{})
      dispatcher_.cancelled(next, why, clock_.now());
    else
      leasing::add(next, to);
  }
  leasing::give(carrier, to, options_.retry_on != nullptr);
}

/// Prepares the message of the task for the worker. Returns the reason why the
/// task has to be cancelled; errc{} if it can be sent.
errc sending::make_ready(managed_task& task, managed_worker& to) {
  if (task.is_request && client_is_gone(task))
    return errc::client_gone;
  intake_.intercept(task);
  if (task.was_handled)
    renew_interceptor(task, answers_);
  if (task.extras().is_packed)
    pack_for(task, to.node != nullptr, pool_.home_system());
  if (dispatcher_.records())
    set_names(task, intake_.recorded_names_of(task));
  auto why = get_ready(task, to, pool_);
  if (why == errc{} && answers_.tells_settled())
    note_worker(task, to);
  return why;
}

} // namespace libpool
