#include "support/dispatcher_witness.hpp"

using libpool::assignment;
using libpool::decision;
using libpool::task;

namespace test {

// -- who could have what ------------------------------------------------------

/// Whether something may be bound to it, if only to be sent later.
bool dispatcher_witness::is_well(std::size_t task) const {
  const auto& life = workers_[task];
  return life.known && !life.out && life.hanging == 0
         && !world_.workers[task].rest_hook.is_linked();
}

/// Whether it may be sent something, as far as there is room for it.
bool dispatcher_witness::is_fit(std::size_t task) const {
  return is_well(task) && !workers_[task].pauses;
}

bool dispatcher_witness::has_room(std::size_t task) const {
  if (how_.by_flows)
    return has_place(task);
  return is_fit(task)
         && workers_[task].in_mailbox < world_.workers[task].window;
}

bool dispatcher_witness::may_run(std::size_t task, std::size_t one) const {
  const auto* where = world_.tasks[task].where;
  return where == nullptr || where->loose
         || permits(*where, world_.workers[one].number);
}

/// Whether the task could be bound to that worker right now.
bool dispatcher_witness::may_be_bound(std::size_t task, std::size_t one) const {
  return may_run(task, one)
         && (how_.when == assignment::eager ? is_well(one)
                                            : has_room(one, task));
}

/// Whether the worker is one of those that the task has named.
bool dispatcher_witness::is_preferred(std::size_t task, std::size_t one) const {
  const auto* where = world_.tasks[task].where;
  return where != nullptr && permits(*where, world_.workers[one].number);
}

bool dispatcher_witness::prefers_somebody(std::size_t task) const {
  for (std::size_t i = 0; i < workers_.size(); ++i)
    if (is_preferred(task, i) && may_be_bound(task, i))
      return true;
  return false;
}

/// Whether a task waits for others of its key: they are with a worker that
/// takes nothing new, or on which it may not run; or one that goes before it
/// waits.
bool dispatcher_witness::is_held(std::size_t task) const {
  const auto& key = world_.tasks[task].key;
  if (!how_.holds_keys || !key)
    return false;
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    const auto& other = world_.tasks[i];
    if (i == task || other.key != key)
      continue;
    if (other.is == task::condition::waiting && goes_before(i, task))
      return true;
    for (std::size_t j = 0; j < workers_.size(); ++j)
      if (other.on == &world_.workers[j] && (!is_well(j) || !may_run(task, j)))
        return true;
  }
  return false;
}

/// Whether others of its key are with that worker.
bool dispatcher_witness::is_tied_to(std::size_t task, std::size_t one) const {
  const auto& key = world_.tasks[task].key;
  for (std::size_t i = 0; i < tasks_.size(); ++i)
    if (how_.holds_keys && key && i != task && world_.tasks[i].key == key
        && world_.tasks[i].on == &world_.workers[one])
      return true;
  return false;
}

/// The home of a task that is bound at once, if that is there and permitted.
std::optional<std::size_t> dispatcher_witness::home_of(std::size_t task) const {
  const auto& it = world_.tasks[task];
  for (std::size_t i = 0; i < workers_.size(); ++i)
    if (it.home == world_.workers[i].number && is_well(i)
        && how_.when == assignment::eager
        && (it.where == nullptr || is_preferred(task, i)))
      return i;
  return std::nullopt;
}

/// The higher goes first.
std::int64_t dispatcher_witness::level_of(std::size_t task) const {
  const auto& it = world_.tasks[task];
  if (!how_.by_priority)
    return it.urgent ? 1 : 0;
  if (!how_.age_step)
    return it.priority;
  return it.priority * how_.age_step->count()
         - tasks_[task].submitted.time_since_epoch().count();
}

/// Which of two tasks that wait goes first.
bool dispatcher_witness::goes_before(std::size_t x, std::size_t y) const {
  auto level_of_x = level_of(x);
  auto level_of_y = level_of(y);
  return level_of_x != level_of_y
           ? level_of_x > level_of_y
           : world_.tasks[x].number < world_.tasks[y].number;
}

// -- what holds when something is sent or bound -------------------------------

void dispatcher_witness::check_place(std::size_t what, std::size_t who) const {
  require(may_run(what, who), "a task is sent to workers only that may run it");
  if (how_.when == assignment::lazy && prefers_somebody(what))
    require(is_preferred(what, who),
            "a wish is followed while one of its workers has room");
}

void dispatcher_witness::check_keys(std::size_t task, std::size_t who) const {
  const auto& key = world_.tasks[task].key;
  if (!how_.keeps_keys || !key)
    return;
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    if (i == task || !tasks_[i].known || world_.tasks[i].key != key)
      continue;
    if (tasks_[i].on)
      require(tasks_[i].on == who, "tasks of one key are with one worker");
    else if (!tasks_[i].settled)
      require(world_.tasks[i].number > world_.tasks[task].number,
              "tasks of one key are sent in their order");
  }
}

void dispatcher_witness::note_bindings() {
  for (std::size_t i = 0; i < tasks_.size(); ++i)
    bound_[i] = world_.tasks[i].on;
}

void dispatcher_witness::check_bindings() const {
  if (how_.when == assignment::lazy)
    return;
  for (std::size_t i = 0; i < tasks_.size(); ++i)
    for (std::size_t j = 0; j < workers_.size(); ++j)
      if (world_.tasks[i].on == &world_.workers[j]
          && bound_[i] != &world_.workers[j])
        check_binding(i, j);
}

void dispatcher_witness::check_binding(std::size_t what,
                                       std::size_t who) const {
  require(may_be_bound(what, who),
          "tasks are bound to workers that may run them and that take some");
  auto home = home_of(what);
  if (is_tied_to(what, who))
    return;
  if (home && !how_.steals)
    require(who == *home, "a task is bound to its home if that is there");
  if (prefers_somebody(what) && !how_.weighs_costs)
    require(is_preferred(what, who),
            "a wish is followed while one of its workers is there");
}

// -- what holds after a dispatch ----------------------------------------------

void dispatcher_witness::check_nobody_waits_in_vain() const {
  auto first = how_.by_flows ? head() : std::nullopt;
  if (first)
    check_head_waits_for_a_reason(*first);
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    if (world_.tasks[i].is != task::condition::waiting)
      continue;
    require(!is_lost(i) || !world_.tasks[i].held,
            "no task is set aside for workers that have all left");
    if (!first || how_.is_narrow)
      check_waits_for_a_reason(i);
    else if (world_.tasks[i].held)
      check_held_waits_for_a_reason(i);
  }
  for (std::size_t i = 0; i < workers_.size(); ++i)
    if (is_fit(i))
      check_worker_is_used(i);
}

void dispatcher_witness::check_waits_for_a_reason(std::size_t one) const {
  auto waits_for_key = is_held(one);
  for (std::size_t i = 0; i < workers_.size(); ++i)
    require(waits_for_key || !may_be_bound(one, i),
            "no task waits while a worker could have it");
}

void dispatcher_witness::check_worker_is_used(std::size_t one) const {
  const auto& it = world_.workers[one];
  if (has_room(one))
    require(it.deque.empty(), "no bound task waits while its worker has room");
  if (!how_.steals || how_.moves_by_plan || it.in_flight > 0)
    return;
  for (const auto& what : world_.tasks)
    require(what.is != task::condition::assigned || !should_move(what, one),
            "no bound task waits while a thief has nothing");
}

/// Whether the task, which is bound, is for a worker that has nothing: where
/// costs matter, at least if it costs nothing to move it, and as long as it is
/// not the last of another one.
bool dispatcher_witness::should_move(const task& task, std::size_t one) const {
  const auto& to = world_.workers[one];
  if (!how_.weighs_costs)
    return may_move(task, to);
  return task.on->in_flight >= 2 && !task.key
         && may_run(known_index_in(world_.tasks, &task), one)
         && move_to(task, to.number) <= move_to(task, task.on->number);
}

void dispatcher_witness::check_refusal(std::size_t task) const {
  check_nobody_waits_in_vain();
  if (how_.by_flows)
    return check_seated_refusal(task);
  require(unsent() >= how_.within.capacity, "only a full pool refuses");
  for (std::size_t i = 0; i < workers_.size(); ++i)
    require(how_.when == assignment::eager || !may_be_bound(task, i),
            "nothing is refused while a worker could have it");
}

void dispatcher_witness::check_order_of_sends() const {
  for (const auto& made : made_)
    if (made.is == decision::kind::send)
      check_order_of_send(made);
}

/// Of those that the worker could have got as well, what was sent goes first.
void dispatcher_witness::check_order_of_send(const decision& made) const {
  auto who = known_index_in(world_.workers, made.worker);
  auto what = known_index_in(world_.tasks, made.task);
  if (how_.by_flows)
    return check_flow_is_in_order(what);
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    auto competes = world_.tasks[i].on == made.worker
                    || (how_.when == assignment::lazy && may_run(i, who));
    if (is_unsent(i) && competes)
      require(goes_before(what, i), "nothing is sent before what is due first");
  }
}

} // namespace test
