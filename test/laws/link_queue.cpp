/// Tasks of a durable queue, which later fronts get again.

#include "link_world.hpp"

#include <algorithm>
#include <chrono>

using libpool::instant;
using namespace std::chrono_literals;

namespace test {

/// Returns the number of a task in the queue, from 1; 0 without a queue. The
/// slot after the tasks stands for the first task, which the queue gives twice.
std::uint64_t link_world::submission_of(std::size_t slot) const noexcept {
  if (!how_.queue)
    return 0;
  return (slot < how_.tasks ? slot : 0) + 1;
}

std::uint64_t link_world::submission_of(number task) const noexcept {
  return submission_of(static_cast<std::size_t>(task) % slots());
}

link_world::queue_entry& link_world::entry_of(std::size_t slot) {
  return queue_[submission_of(slot) - 1];
}

// -- steps of the front -------------------------------------------------------

void link_world::list_steps_of_queue(std::size_t which,
                                     const lister& list) const {
  const auto& of = fronts_[which];
  for (std::size_t i = 0; i < slots(); ++i) {
    const auto& mine = of.fates[i];
    list.must(may_get(which, i), &link_world::give, "the queue gives it", i);
    list.must(mine.asks && now() >= of.adopts_until, &link_world::decide,
              "the front no longer waits for a node that has begun it", i);
    list.must(mine.outcomes > 0 && !mine.is_stored, &link_world::store,
              "the queue stores the result", i);
  }
}

/// Whether the queue may give the task to the front: the latest front, if no
/// front has had the task, a node serves, and the task is the next one; or if
/// the front that had the task last does not run.
bool link_world::may_get(std::size_t which, std::size_t slot) const {
  const auto& of = fronts_[which];
  const auto& entry = queue_[submission_of(slot) - 1];
  if (which + 1 != fronts_.size() || of.fates[slot].given > 0
      || entry.is_stored)
    return false;
  if (slot >= how_.tasks) // once more
    return of.fates[0].given > 0 && of.fates[0].outcomes == 0;
  if (entry.given > 0)
    return fronts_[entry.holder].is != life::runs;
  if (slot > 0 && queue_[slot - 1].given == 0)
    return false; // the tasks are alike
  return std::any_of(nodes_.begin(), nodes_.end(), [&](const node& each) {
    return of.pool.wants(session_of(of, each));
  });
}

void link_world::give(const link_step& step) {
  auto& mine = fronts_[step.front].fates[step.task];
  auto& entry = entry_of(step.task);
  entry.holder = step.front;
  mine.given = ++entry.given;
  mine.asks = mine.given > 1 && !how_.runs_at_once;
}

/// Gives up waiting for a node that has begun the task.
void link_world::decide(const link_step& step) {
  auto& by = fronts_[step.front];
  auto mask = 1U << submission_of(std::size_t{step.task});
  for (const auto& each : nodes_)
    if ((each.begun & mask) != 0 && !entry_of(step.task).is_stored
        && by.pool.wants(session_of(by, each)))
      broken_ = "a front does not ask a node that has begun the task";
  run_or_fail(by.fates[step.task]);
}

void link_world::store(const link_step& step) {
  auto& by = fronts_[step.front];
  by.fates[step.task].is_stored = entry_of(step.task).is_stored = true;
  by.held.settled(submission_of(std::size_t{step.task}));
}

/// Lets a task run that the queue has given to a front before, if retries are
/// left.
void link_world::run_or_fail(fate& of) {
  of.asks = false;
  if (of.given > 1 + how_.retries)
    ++of.outcomes;
}

/// Sends tasks, without their contents, to the nodes that have begun them.
void link_world::try_to_adopt(front& by) {
  for (std::size_t i = 0; i < slots(); ++i) {
    auto& mine = by.fates[i];
    auto holder = by.held.holder_of(submission_of(i));
    if (!mine.asks || !holder)
      continue;
    mine.asks = false;
    send_out(mine, *holder);
    mine.is_adopted = true;
    auto task = number_of(i, mine);
    by.empty.insert(task);
    if (!by.pool.submitted(task, *holder, 0, false, now()))
      broken_ = "a task is not sent although its node serves";
  }
}

/// Adds the numbers in the queue, and the tasks that are stored.
void link_world::name_submissions(front& from, session to,
                                  libpool::tasks_sent& batch) const {
  batch.settled = from.held.take_settled(to);
  for (auto each : batch.tasks) {
    batch.takings.push_back(submission_of(each));
    from.held.sent(batch.takings.back(), to);
  }
}

// -- steps of the node --------------------------------------------------------

/// Lets the node adopt a task that has just arrived, as an agent does.
void link_world::adopt(node& at, number task) {
  auto submission = submission_of(task);
  auto found = at.held.tasks().find(submission);
  const libpool::held_tasks<std::uint64_t>::held_task* held = nullptr;
  if (how_.adopts_own_tasks && found != at.held.tasks().end()) {
    held = &found->second;
    if (!at.machine.adopt(task, std::nullopt, now()))
      return;
  } else {
    held = at.held.adopt(at.machine, task, submission, false, now());
  }
  if (held == nullptr)
    return;
  auto adopted = at.queue.back();
  at.queue.pop_back();
  if (auto* mine = open_fate_of(adopted)) {
    mine->has_begun = true;
    mine->is = held->result ? place::way_back : place::handler;
  }
  if (held->result)
    return finish(at, task, *held->result);
  for (auto& each : at.running)
    if (submission_of(each.which) == held->handler)
      each = adopted;
}

/// Notes that a handler begins.
void link_world::note_begun(node& at, number task) {
  auto submission = submission_of(task);
  at.held.began(submission, submission, task);
  at.begun |= 1U << submission;
  ++queue_[submission - 1].begins;
}

/// Ends a handler, with the number of its task in the queue as the result.
void link_world::finish(node& at, number task, std::uint64_t result) {
  using libpool::ending;
  at.held.ended(result, ending::completed, result, now());
  at.results[task] = result;
  if (!at.machine.finished(task, ending::completed, 0, now(), 1h))
    at.results.erase(task);
}

/// Checks the end of a task that a node was asked for. A node that leaves gives
/// the task back. A node that has begun the task for this front refuses it.
void link_world::check_adoption(
  const front& by, const fate& of,
  const libpool::node_connections::release& what) {
  auto submission = submission_of(what.task);
  auto mask = 1U << submission;
  for (const auto& each : nodes_)
    if (what.how == how_released::unread && !how_.repeats
        && (each.begun & mask) != 0 && session_of(by, each) == of.at
        && !queue_[submission - 1].is_stored)
      broken_ = "a node does not adopt a task that it has begun";
}

/// Checks a message with results that the node sends.
void link_world::check_sent(node& from, const libpool::tasks_done& done) {
  for (const auto& each : done.ends) {
    auto found = from.results.find(each.task);
    if (found == from.results.end()
        || found->second != submission_of(each.task))
      broken_ = "a result of one task is sent as the result of another";
    from.results.erase(each.task);
    if (how_.forgets_sent_results)
      from.held.settled({submission_of(each.task)});
  }
}

} // namespace test
