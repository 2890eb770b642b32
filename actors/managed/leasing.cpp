#include "libpool/actors/managed/leasing.hpp"

#include <memory>
#include <utility>

namespace libpool {

/// If tasks are not measured, reads the clock once for all messages. No message
/// follows a request whose answer is intercepted: the answer is held back until
/// the pool is told that the handler has ended, and the pool is told of the
/// ends in a lease together.
void leasing::lease_behind(tracked_element& carrier, managed_task& task,
                           managed_worker& to) {
  auto* line = to.may_go_on && task.interceptor == nullptr
                   && task.from_outer == nullptr
                 ? book_.line_behind(task)
                 : nullptr;
  if (line == nullptr)
    return;
  if (to.lease == nullptr)
    to.lease = std::make_unique<worker_lease>(to);
  book_.fill(*to.lease, task, *line, clock_.slow_service(),
             clock_.measures() ? clock_.now() : clock_.look());
  if (intake_.describes())
    describe(to);
  dispatcher_.leads(task, to.lease->unknown());
  if (to.lease->size() > 1 || !clock_.measures())
    carrier.follow_with(*to.lease);
  if (task.repeatable)
    carrier.keep_messages();
}

/// Notes the descriptions of the messages of the lease. The first message that
/// cannot be described waits again, with all messages behind it. The message is
/// cancelled when it is sent.
void leasing::describe(managed_worker& on) {
  auto& notes = on.notes;
  notes.clear();
  notes.emplace_back(); // the task has the first one
  on.lease->for_each_left([&](const queued_element& each, instant) {
    if (intake_.describe(notes.emplace_back(), each.element()))
      return true;
    notes.pop_back();
    return false;
  });
  book_.leases().shorten(*on.lease, notes.size());
}

void leasing::end_lease(managed_task& task, tracked_element& carrier) {
  auto& lease = *worker_of(task).lease;
  book_.leases().ended(lease);
  tell_ends(task, lease);
  lease.untold_hook.unlink();
  if (!clock_.measures())
    clock_.task_took((clock_.look() - lease.since())
                     / static_cast<duration::rep>(lease.size()));
  worker_of(task).notes.clear();
  task.is_request = carrier.message_id().is_request();
}

void leasing::tell_ends(managed_task& task, worker_lease& of) {
  auto ended = book_.leases().tell_ends(of);
  if (ended.first == ended.last)
    return;
  if (clock_.measures())
    clock_.tasks_ended(ended.first, ended.last);
  if (intake_.describes())
    tell_one_by_one(task, of, ended);
  else
    dispatcher_.went_on(task, ended.first, ended.last,
                        of.assigned_behind(*ended.first));
  stands_for_another(task);
  recycler_.let_go(static_cast<std::size_t>(ended.last - ended.first));
}

void leasing::tell_one_by_one(managed_task& task, const worker_lease& of,
                              const worker_lease::ends& ended) {
  auto* notes = worker_of(task).notes.data();
  const auto* note = &task.note;
  for (const auto* each = ended.first; each != ended.last; ++each) {
    task.started = each->started;
    if (answers_.tells_settled())
      answers_.note_settled(task, *note,
                            {decision::kind::settle, &task, task.on,
                             outcome::completed, errc{}, each->ended},
                            {}, each->ended);
    if (task.trace != nullptr)
      task.trace = &note->trace;
    dispatcher_.went_on(task, each, each + 1, of.assigned_behind(*each));
    note = &notes[of.index_of(*each) + 1];
  }
  task.note = std::move(notes[of.index_of(*ended.last)]);
  if (task.trace != nullptr)
    task.trace = &task.note.trace;
}

void leasing::stands_for_another(managed_task& task) {
  task.type_names = nullptr;
  if (!std::exchange(task.is_secured, false) || !task.repeatable)
    return;
  task.content = caf::message{};
  task.client = nullptr;
  task.id = caf::message_id{};
  task.crash.clear();
}

void leasing::look_at(managed_task& task) {
  auto* carrier = task.carrier;
  if (carrier == nullptr)
    return;
  auto since = instant::min();
  if (carrier->lease() != nullptr) {
    auto& lease = *worker_of(task).lease;
    tell_ends(task, lease);
    since = lease.told_until();
  }
  // A worker that goes on may still show the start of its last message.
  if (carrier->has_started() && carrier->started_at() >= since
      && task.is == task::condition::sent)
    dispatcher_.started(task, clock_.now());
}

void leasing::look_at(managed_worker& worker) {
  for (auto& each : worker.mailbox)
    look_at(static_cast<managed_task&>(each));
}

void leasing::tell_all() {
  book_.leases().for_each_untold([this](worker_lease& each) {
    look_at(static_cast<managed_worker&>(each.worker));
  });
}

} // namespace libpool
