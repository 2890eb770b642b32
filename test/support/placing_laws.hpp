#pragma once

#include "support/state_laws.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace test {

/// The laws that hold when a task is bound, sent or refused, and after a
/// dispatch.
class placing_laws : public state_laws {
public:
  using state_laws::state_laws;

protected:
  // -- when a task is sent or bound -------------------------------------------

  void check_place(std::size_t task, std::size_t worker) const {
    require(may_run(task, worker),
            "a task is sent to workers only that may run it");
    if (how_.when == assignment::lazy && prefers_some_worker(task))
      require(is_preferred(task, worker),
              "a wish is followed while one of its workers has room");
  }

  void check_keys(std::size_t task, std::size_t worker) const {
    const auto& key = world_.tasks[task].notes().key;
    if (!how_.keeps_keys || !key)
      return;
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      if (i == task || !tasks_[i].known || world_.tasks[i].notes().key != key)
        continue;
      if (tasks_[i].on)
        require(tasks_[i].on == worker, "tasks of one key are with one worker");
      else if (!tasks_[i].settled)
        require(world_.tasks[i].number > world_.tasks[task].number,
                "tasks of one key are sent in their order");
    }
  }

  /// A task that follows others takes the seats of the one before it.
  void take_seats(std::size_t task, std::size_t worker, bool follows) {
    require(follows || fits(task),
            "a task that is sent finds as many seats free as it takes");
    require(follows || has_room(worker, task),
            "a worker runs no more than its seats");
    tasks_[task].seats = std::min(world_.tasks[task].notes().width,
                                  all_seats());
  }

  void note_bindings() {
    bound_.clear();
    for (const auto& task : world_.tasks)
      bound_.push_back(task.on);
  }

  void check_bindings() const {
    if (how_.when == assignment::lazy)
      return;
    for (std::size_t i = 0; i < tasks_.size(); ++i)
      for (std::size_t j = 0; j < workers_.size(); ++j)
        if (world_.tasks[i].on == &world_.workers[j]
            && bound_[i] != &world_.workers[j])
          check_binding(i, j);
  }

  // -- when a task is refused -------------------------------------------------

  void check_refusal(std::size_t task) const {
    if (tasks_to_come() == 0)
      check_no_task_waits_in_vain();
    if (how_.by_flows)
      return check_seated_refusal(task);
    require(unsent() >= how_.within.capacity, "only a full pool refuses");
    if (tasks_to_come() > 0)
      return;
    for (std::size_t i = 0; i < workers_.size(); ++i)
      require(how_.when == assignment::eager || !may_be_bound(task, i),
              "no task is refused while a worker could have it");
  }

  /// Number of tasks that follow others and are to come back.
  std::size_t tasks_to_come() const {
    return static_cast<std::size_t>(
      std::count_if(tasks_.begin(), tasks_.end(), [](const auto& life) {
        return life.follows && life.recalled;
      }));
  }

  // -- after a dispatch -------------------------------------------------------

  void check_no_task_waits_in_vain() const {
    auto first = how_.by_flows ? head() : std::nullopt;
    if (first)
      check_head_waits_for_a_reason(*first);
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      if (world_.tasks[i].is != condition::waiting)
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

  void check_order_of_sends() const {
    for (const auto& made : made_) {
      if (made.is != decision_kind::send)
        continue;
      const auto& all = made.worker->mailbox;
      auto i = all.iterator_to(*made.task);
      do
        check_order_of_send(*i++, *made.worker);
      while (i != all.end() && i->follows);
    }
  }

  void check_moves() const {
    require(world_.pool.record().all.stolen == stealing_->moves(),
            "tasks that move are counted");
    require(!stealing_->next_move(world_.now),
            "no task is left that should move");
  }

  /// After a dispatch. A tick for a token may not be needed any more.
  void check_exact_tick() {
    auto expected = never;
    for (const auto& worker : world_.workers)
      if (worker.rest_hook.is_linked())
        expected = std::min(expected, worker.rests_until);
    for (std::size_t i = 0; i < tasks_.size(); ++i)
      if (tasks_[i].known && !tasks_[i].settled)
        expected = std::min(expected, due_of(i));
      else if (tasks_[i].known && tasks_[i].on && !tasks_[i].hangs)
        expected = std::min(expected, stuck_from(i));
    for (const auto& task : world_.tasks)
      expected = std::min(expected, task.notes().not_before);
    expected = std::min(expected, next_token_of_flows());
    auto might_move = [](const libpool::task& task) {
      return task.is == condition::assigned && !task.notes().key
             && (task.notes().where == nullptr || task.notes().where->loose
                 || task.notes().where->only.size() > 1);
    };
    if (some_worker_idles())
      for (const auto& worker : world_.workers)
        if (worker.followers > 0)
          expected = std::min(expected, worker.overdue_at);
    if (!idle_since_.empty()
        && std::any_of(world_.tasks.begin(), world_.tasks.end(), might_move)) {
      auto doubling = stealing_->next_doubling(world_.now);
      doublings_ += doubling < expected ? 1U : 0U;
      expected = std::min(expected, doubling);
    }
    auto next = world_.pool.next_tick();
    if (books().waiting > 0)
      expected = std::min(expected, world_.pool.gates().pool().opens_at);
    require(next == expected,
            "the next tick is a deadline, the end of a rest, a token or, if a "
            "worker is idle and a task might move, a doubling");
  }

  /// When a task that is parked only for its rate may go.
  instant next_token_of_flows() const {
    auto result = never;
    for (const auto& task : world_.tasks)
      if (task.parked && task.notes().gate->has_place()
          && (task.notes().gate->next == nullptr
              || libpool::goes_before{}(task, *task.notes().gate->next)))
        result = std::min(result, task.notes().gate->token_for(task));
    return result;
  }

private:
  bool some_worker_idles() const {
    return how_.steals && how_.when == assignment::eager
           && std::any_of(
             world_.workers.begin(), world_.workers.end(),
             [](const libpool::worker& worker) { return worker.idle; });
  }

  void check_binding(std::size_t task, std::size_t worker) const {
    require(suits(task, worker),
            "tasks are bound to workers that may run them and that take some");
    auto home = home_of(task);
    if (is_tied_to(task, worker))
      return;
    if (home && !how_.steals && !asks_)
      require(worker == *home, "a task is bound to its home if that is there");
    if (prefers_some_worker(task) && !how_.weighs_costs)
      require(is_preferred(task, worker),
              "a wish is followed while one of its workers is there");
  }

  void check_waits_for_a_reason(std::size_t task) const {
    auto waits_for_key = is_held(task);
    for (std::size_t i = 0; i < workers_.size(); ++i)
      require(waits_for_key || !may_be_bound(task, i),
              "no task waits while a worker could have it");
  }

  /// The head collects seats, or no worker is there for it.
  void check_head_waits_for_a_reason(std::size_t head) const {
    auto some_worker_has_place = false;
    auto some_worker_may = false;
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      some_worker_has_place = some_worker_has_place || has_place(i);
      some_worker_may = some_worker_may || (may_run(head, i) && has_place(i));
      require(!fits(head) || !may_be_bound(head, i),
              "the next task waits for seats only");
    }
    require(!some_worker_has_place || some_worker_may
              || !world_.pool.gates().pool_is_open(world_.now),
            "a task that no worker may run holds up no other one");
  }

  /// No worker is there for it, or another task of its queue stands for it.
  void check_held_waits_for_a_reason(std::size_t task) const {
    auto stands_for_it = [&](const libpool::task& other) {
      return other.is == condition::waiting && !other.held
             && other.notes().where == world_.tasks[task].notes().where
             && other.queue == world_.tasks[task].queue;
    };
    auto some_task_does = std::any_of(world_.tasks.begin(), world_.tasks.end(),
                                      stands_for_it);
    for (std::size_t i = 0; i < workers_.size(); ++i)
      require(some_task_does || !may_run(task, i) || !has_place(i),
              "no task is set aside while one of its workers has a seat");
  }

  void check_worker_is_used(std::size_t worker) const {
    const auto& it = world_.workers[worker];
    if (has_room(worker))
      require(it.deque.empty(),
              "no bound task waits while its worker has room");
    if (!how_.steals || stealing_ != nullptr || it.in_flight > 0)
      return;
    for (const auto& task : world_.tasks)
      require(task.is != condition::assigned || !may_move(task, it),
              "no bound task waits while a thief has nothing");
  }

  void check_seated_refusal(std::size_t task) const {
    auto why = refusal_of(task);
    if (why == errc::flow_full)
      require(how_.queue_limit
                && (how_.parts_flows ? waiting_of_flow(task) : books().waiting)
                     >= *how_.queue_limit,
              "only a task that finds its flow full is refused for that");
    else
      require(why == errc::queue_full && unsent() >= how_.within.capacity,
              "only a full pool refuses");
    if (head() || tasks_to_come() > 0)
      return;
    for (std::size_t i = 0; i < workers_.size(); ++i)
      require(!fits(task) || !may_be_bound(task, i),
              "no task is refused that could start at once");
  }

  /// The sent task goes before others that the worker could have got as well.
  void check_order_of_send(const libpool::task& sent,
                           const libpool::worker& to) const {
    auto worker = known_index_in(world_.workers, &to);
    auto task = known_index_in(world_.tasks, &sent);
    if (how_.by_flows)
      return check_flow_is_in_order(task);
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      auto competes = world_.tasks[i].on == &to
                      || (how_.when == assignment::lazy && may_run(i, worker));
      if (is_unsent(i) && competes && flow_may_go(i) && !is_delayed(i))
        require(goes_before(task, i),
                "no task is sent before the task that is due first");
    }
  }

  /// Whether `task` takes no token of its flow, and `other` takes one.
  static bool waits_for_less(const libpool::task& task,
                             const libpool::task& other) {
    return task.notes().gate != nullptr && task.notes().gate->takes_token(other)
           && !task.notes().gate->takes_token(task);
  }

  /// Tasks of a flow that all workers may run go in the order in which they
  /// came, except that a retry does not wait for the token of an earlier task.
  void check_flow_is_in_order(std::size_t task) const {
    const auto& it = world_.tasks[task];
    if (!how_.parts_flows || it.notes().where != nullptr)
      return;
    for (std::size_t i = 0; i < tasks_.size(); ++i)
      if (is_unsent(i) && world_.tasks[i].notes().where == nullptr
          && world_.tasks[i].flow.key().hash() == it.flow.key().hash()
          && !is_delayed(i) && !waits_for_less(it, world_.tasks[i]))
        require(goes_before(task, i), "the tasks of a flow go in their order");
  }

  /// Where tasks were bound before the present fact.
  std::vector<const libpool::worker*> bound_;
};

} // namespace test
