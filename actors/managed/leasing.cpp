#include "libpool/actors/managed/leasing.hpp"

#include "libpool/actors/managed/task_leasing.hpp"

#include <cstddef>
#include <memory>
#include <utility>

namespace libpool {

/// If tasks are not measured, reads the clock once for all messages.
void leasing::lease_behind(tracked_element& carrier, managed_task& task,
                           managed_worker& to) {
  auto* line = to.takes_leases && task.extras().from_outer == nullptr
                   && !dispatcher_.gates().limits_rate(task)
                 ? book_.line_behind(task)
                 : nullptr;
  if (line == nullptr)
    return;
  if (to.lease == nullptr)
    to.lease = std::make_unique<worker_lease>(to);
  book_.fill(*to.lease, task, *line, clock_.slow_service(),
             clock_.measures() ? clock_.now() : clock_.look());
  if (dispatcher_.records())
    note_names(task, to);
  if (intake_.describes())
    describe(to);
  to.interceptors.clear();
  if (intake_.intercepts() && to.lease->size() > 1)
    intercept(task, to);
  dispatcher_.leads(task, to.lease->unknown());
  if (to.lease->size() > 1 || !clock_.measures())
    carrier.follow_with(*to.lease);
  if (!to.interceptors.empty())
    carrier.pass_answers();
  if (intake_.retries_errors())
    carrier.stop_at_errors();
  if (task.repeatable)
    carrier.keep_messages();
}

void leasing::note_names(const managed_task& first, managed_worker& on) {
  on.recorded.assign(1,
                     {first.notes().kind_name, first.notes().recorded_client});
  on.lease->for_each_follower([&](const queued_element& each) {
    on.recorded.push_back(intake_.recorded_names_of(each));
  });
}

/// Notes the descriptions of the messages of the lease. The first message that
/// cannot be described waits again, with all messages behind it. The message is
/// cancelled when it is sent.
void leasing::describe(managed_worker& on) {
  auto& notes = on.notes;
  notes.clear();
  notes.emplace_back(); // the task has the first one
  on.lease->for_each_left([&](const queued_element& each, instant) {
    if (intake_.describe(notes.emplace_back(), each))
      return true;
    notes.pop_back();
    return false;
  });
  book_.leases().shorten(*on.lease, notes.size());
}

/// Answers of the messages in the lease pass when their handlers have returned.
void leasing::intercept(const managed_task& first, managed_worker& on) {
  auto has_requests = first.extras().interceptor != nullptr;
  on.lease->for_each_follower(
    [&](const queued_element& each) { has_requests |= each.is_to_pass(); });
  if (!has_requests)
    return;
  on.interceptors.assign(1, first.extras().interceptor);
  on.lease->for_each_follower([&](queued_element& each) {
    on.interceptors.push_back(intake_.intercept(each));
  });
}

/// Notes how the worker has answered message `i` of the lease, which has the
/// deadline, as far as the pool knows. `note`: description of the message;
/// nullptr if messages are not described.
void leasing::note_answer(managed_task& task, std::size_t i, instant deadline,
                          const message_note* note) {
  const auto& interceptors = worker_of(task).interceptors;
  if (interceptors.empty())
    return; // no answer passes the pool
  const auto& request = interceptors[i];
  const auto& names = worker_of(task).recorded;
  const auto* kind = i < names.size()  ? names[i].kind
                     : note != nullptr ? kind_in(*note)
                                       : nullptr;
  task.own_extras().answered_with_error =
    request != nullptr
    && answers_.handler_returned(request, deadline, task.notes().flow, kind);
}

/// The task still stands for the first message that has ended.
void leasing::note_answers(managed_task& task, const worker_lease& of,
                           const worker_lease::ends& ended) {
  auto deadline = task.deadline;
  for (const auto* each = ended.first; each != ended.last; ++each) {
    note_answer(task, of.index_of(*each), deadline, nullptr);
    deadline = each[1].deadline;
  }
}

/// Gives the task the interceptor of its present message.
void leasing::take_interceptor(managed_task& task, const worker_lease& of,
                               const worker_lease::ends& ended) {
  auto& extras = task.own_extras();
  extras.answered_with_error = false;
  if (extras.interceptor != nullptr)
    extras.interceptor->task = nullptr;
  extras.interceptor = worker_of(task).interceptors[of.index_of(*ended.last)];
  if (extras.interceptor != nullptr)
    extras.interceptor->task = &task;
}

void leasing::end_lease(managed_task& task, tracked_element& carrier) {
  auto& lease = *worker_of(task).lease;
  book_.leases().ended(lease);
  tell_ends(task, lease);
  lease.untold_hook.unlink();
  if (!clock_.measures())
    clock_.task_took((clock_.look() - lease.since())
                     / static_cast<duration::rep>(lease.size()));
  forget_notes(worker_of(task));
  task.is_request = carrier.message_id().is_request();
}

inline void leasing::stands_for_another(managed_task& task) {
  if (task.extras().facts != nullptr)
    task.own_extras().facts = nullptr;
  if (!std::exchange(task.is_secured, false) || !task.repeatable)
    return;
  auto& extras = task.own_extras();
  extras.content = caf::message{};
  extras.client = nullptr;
  extras.id = caf::message_id{};
  extras.crash.clear();
}

void leasing::tell_ends(managed_task& task, worker_lease& of) {
  auto ended = book_.leases().tell_ends(of);
  if (ended.first == ended.last)
    return;
  if (clock_.measures())
    clock_.tasks_ended(ended.first, ended.last);
  auto pass_pool = !worker_of(task).interceptors.empty();
  if (pass_pool && !intake_.describes()) // else they are noted one by one
    note_answers(task, of, ended);
  if (dispatcher_.records()) {
    tell_by_name(task, of, ended);
  } else {
    forget_names(task);
    tell(task, of, ended);
  }
  stands_for_another(task);
  if (pass_pool)
    take_interceptor(task, of, ended);
  recycler_.let_go(static_cast<std::size_t>(ended.last - ended.first));
}

inline void leasing::tell(managed_task& task, const worker_lease& of,
                          const worker_lease::ends& ended) {
  if (intake_.describes())
    tell_one_by_one(task, of, ended);
  else
    dispatcher_.went_on(task, ended.first, ended.last,
                        of.assigned_behind(*ended.first));
}

/// Reports the ends of messages of the same kind and client together, so that
/// each run is recorded with its names.
void leasing::tell_by_name(managed_task& task, const worker_lease& of,
                           const worker_lease::ends& ended) {
  const auto& names = worker_of(task).recorded;
  auto names_at = [&](std::size_t n) {
    return n < names.size() ? names[n] : recorded_names{};
  };
  auto i = of.index_of(*ended.first);
  for (const auto* each = ended.first; each != ended.last;) {
    const auto present = names_at(i);
    set_names(task, present);
    const auto* next = each;
    do {
      ++next;
      ++i;
    } while (next != ended.last && names_at(i) == present);
    tell(task, of, {each, next});
    each = next;
  }
  set_names(task, names_at(i)); // of the message that the worker has now
}

void leasing::tell_one_by_one(managed_task& task, const worker_lease& of,
                              const worker_lease::ends& ended) {
  auto& worker = worker_of(task);
  auto* notes = worker.notes.data();
  const auto* note = &task.extras().note;
  for (const auto* each = ended.first; each != ended.last; ++each) {
    task.own_attempt().started = each->started;
    note_answer(task, of.index_of(*each), task.deadline, note);
    if (answers_.tells_settled())
      answers_.note_settled(task, *note,
                            {decision::kind::settle, &task, task.on,
                             outcome::completed, errc{}, each->ended},
                            {}, each->ended);
    if (task.notes().trace != nullptr)
      task.own_notes().trace = &note->trace;
    dispatcher_.went_on(task, each, each + 1, of.assigned_behind(*each));
    note = &notes[of.index_of(*each) + 1];
  }
  auto& own = task.own_extras().note;
  own = std::move(notes[of.index_of(*ended.last)]);
  if (task.notes().trace != nullptr)
    task.own_notes().trace = &own.trace;
}

instant leasing::look_at(managed_task& task) {
  auto* carrier = task.carrier;
  if (carrier == nullptr)
    return never;
  auto since = instant::min();
  if (carrier->lease() != nullptr) {
    auto& worker = worker_of(task);
    if (!task_leasing::has(worker))
      tell_ends(task, *worker.lease);
    since = worker.lease->told_until();
  }
  // A worker that goes on may still show the start of its last message.
  auto started = carrier->started_at();
  if (!carrier->has_started() || started < since)
    return never;
  if (task.is == task::condition::sent)
    dispatcher_.started(task, clock_.now());
  return started;
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
