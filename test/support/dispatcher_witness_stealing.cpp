/// What holds where idle workers take tasks over by what these cost.

#include "support/dispatcher_witness.hpp"

#include <algorithm>

using libpool::task;

namespace test {

/// A worker is idle since the moment at which that is seen first.
void dispatcher_witness::note_idle_workers() {
  for (const auto& worker : world_.workers)
    if (is_idle(worker))
      idle_since_.emplace(&worker, world_.now);
    else
      idle_since_.erase(&worker);
  require(idle_since_ == stealing_->idle_since(),
          "the stealing is told which workers are idle, and since when");
}

void dispatcher_witness::check_moves(std::uint64_t steals_before) const {
  require(stealing_->moves_as_planned(),
          "tasks move as the plan says, in its order");
  require(world_.pool.steals() == steals_before + stealing_->moves().size(),
          "tasks that move are counted");
  require(plan(stealing_->snapshot(world_.now)).empty(),
          "no task is left that should move");
}

/// After a dispatch.
void dispatcher_witness::check_exact_tick() {
  auto expected = libpool::never;
  for (const auto& worker : world_.workers)
    if (worker.rest_hook.is_linked())
      expected = std::min(expected, worker.rests_until);
  for (std::size_t i = 0; i < tasks_.size(); ++i)
    if (tasks_[i].known && !tasks_[i].settled
        && world_.tasks[i].deadline > world_.now)
      expected = std::min(expected, world_.tasks[i].deadline);
  auto might_move = [](const task& task) {
    return task.is == task::condition::assigned && !task.key
           && (task.where == nullptr || task.where->loose
               || task.where->only.size() > 1);
  };
  if (!idle_since_.empty()
      && std::any_of(world_.tasks.begin(), world_.tasks.end(), might_move)) {
    auto doubling = stealing_->next_doubling(world_.now);
    doublings_ += doubling < expected ? 1U : 0U;
    expected = std::min(expected, doubling);
  }
  require(world_.pool.next_tick() == expected,
          "the next tick is a deadline, the end of a rest or, if a worker is "
          "idle and a task might move, a doubling");
}

} // namespace test
