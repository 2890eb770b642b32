#include "link_world.hpp"

#include <iterator>
#include <utility>

using libpool::batch_to_pool;
using libpool::instant;
using libpool::stream_mark;

namespace test {

/// Number of a task in messages. Each attempt has another number.
libpool::task_number link_world::number_of(std::size_t task,
                                           const fate& of) const noexcept {
  return number{of.attempts * slots() + task};
}

std::size_t link_world::bytes_of(number task) const noexcept {
  return how_.largest == 0
           ? 0
           : static_cast<std::size_t>(task) * 7919 % (how_.largest + 1);
}

// -- the pool -----------------------------------------------------------------

/// Sends a task to a node. Retries wait for the lease, unless `does_not_wait`
/// is set.
void link_world::assign(const link_step& step) {
  auto& by = fronts_[step.front];
  auto& mine = by.fates[step.task];
  const session to{step.node};
  send_out(mine, to);
  auto task = number_of(step.task, mine);
  auto may_run_again = how_.retries > 0 && !how_.does_not_wait && !how_.queue;
  if (!by.pool.submitted(task, to, bytes_of(task), may_run_again, now()))
    broken_ = "a task is not sent although its node serves";
}

/// Notes a further attempt at a task.
void link_world::send_out(fate& of, session to) {
  ++of.attempts;
  of.is = place::way_there;
  of.at = to;
  of.is_out = true;
  of.has_begun = of.begins_no_more = of.is_adopted = of.is_recalled = false;
}

void link_world::cancel(const link_step& step) {
  --how_.unwanted;
  auto& by = fronts_[step.front];
  auto& mine = by.fates[step.task];
  mine.is_wanted = false;
  mine.begins_no_more |= how_.takes_back_unasked;
  by.pool.cancel(number_of(step.task, mine), mine.at, now());
}

void link_world::recall(const link_step& step) {
  --how_.recalls;
  auto& by = fronts_[step.front];
  auto& mine = by.fates[step.task];
  mine.is_recalled = true;
  by.pool.recalled(number_of(step.task, mine), mine.at, now());
}

void link_world::expel(const link_step& step) {
  --how_.expelled;
  auto& latest = fronts_.back();
  latest.pool.expelled(session_of(latest, nodes_[step.node]));
}

void link_world::flush_pool(const link_step& step) {
  fronts_[step.front].pool.flush(now());
}

/// Lets the pool look at its clock. A front that stood still may give up no
/// node before it has listened for a quarter.
void link_world::tick_pool(const link_step& step) {
  auto& of = fronts_[step.front];
  auto before = of.pool.sessions().sessions().size();
  if (how_.forgives_no_pause)
    for (auto each = of.looked + 1; each < time_; ++each)
      of.pool.ticked(now() - (time_ - each) * link_setting::quarter);
  of.pool.ticked(now());
  of.was_late = now() > of.due + link_setting::quarter / 2;
  of.looked = time_;
  of.due = now() + link_setting::quarter;
  if (of.continued == time_ && of.pool.sessions().sessions().size() < before)
    broken_ = "a front that stood still gives a node up before it has listened";
}

void link_world::suspend(const link_step& step) {
  --how_.pauses;
  auto& of = fronts_[step.front];
  of.is = life::stands_still;
  of.stopped = time_;
}

void link_world::resume(const link_step& step) {
  auto& of = fronts_[step.front];
  of.is = life::runs;
  if (may_look(of) && now() > of.due + link_setting::quarter / 2
      && time_ > of.stopped)
    of.continued = time_;
}

void link_world::end_front(const link_step&) {
  succeed(life::has_ended);
}

void link_world::stop_front(const link_step&) {
  succeed(life::stands_still);
}

/// Lets the latest front end or stand still, and another one begin. Messages
/// for a front that stands still reach the other front, too. Messages for a
/// front that ends are lost.
void link_world::succeed(life next) {
  --how_.fronts;
  begin_front(fronts_.back().epoch + 1);
  auto& last = *std::prev(fronts_.end(), 2);
  if (next == life::stands_still && last.is == life::runs)
    last.stopped = time_;
  last.is = next;
  for (std::size_t i = 0; i < how_.nodes; ++i)
    if (next == life::stands_still)
      fronts_.back().lines[i].up = last.lines[i].up;
    else
      last.lines[i].up.clear();
}

// -- nodes --------------------------------------------------------------------

/// Lets the node start the first task of its queue. Returns whether it does.
bool link_world::start(node& at, held_task& begun) {
  auto task = at.machine.start(how_.ignores_lease ? instant{} : now());
  if (!task)
    return false;
  if (at.queue.empty() || at.queue.front().which != *task) {
    broken_ = "a task begins out of order";
    return false;
  }
  begun = at.queue.front();
  at.queue.erase(at.queue.begin());
  return true;
}

void link_world::refuse(const link_step& step) {
  --how_.unread;
  auto& at = nodes_[step.node];
  held_task begun;
  if (!start(at, begun))
    return;
  at.machine.unreadable(begun.which, "not readable");
  if (auto* mine = open_fate_of(begun))
    mine->is = place::way_back;
}

void link_world::begin(const link_step& step) {
  auto& at = nodes_[step.node];
  held_task begun;
  if (!at.queue.empty()
      && fronts_[at.queue.front().of].empty.count(at.queue.front().which) > 0) {
    ++how_.unread;
    return refuse(step);
  }
  if (!start(at, begun))
    return;
  at.running.push_back(begun);
  check_begin(at, begun);
  if (how_.queue)
    note_begun(at, begun.which);
  ++fate_of(fronts_[begun.of], begun.which).runs;
  auto* mine = open_fate_of(begun);
  if (mine == nullptr)
    return;
  if (mine->is != place::queue)
    broken_ = "a task begins although it is not in a queue";
  mine->is = place::handler;
  mine->has_begun = true;
}

/// Checks the beginning of a task. A node may return to an older front when it
/// has heard nothing of the newer one for a lease. A front that is followed by
/// another one may begin what its client has given up.
void link_world::check_begin(const node& at, const held_task& task) {
  const auto& of = fronts_[task.of];
  const auto& open = of.pool.sessions().sessions();
  auto is_given_up = of.is != life::has_ended
                     && open.count(*at.machine.link().session()) == 0;
  if (task.of != at.serves)
    broken_ = "a node begins a task of a front that it no longer serves";
  else if (task.of < at.newest && how_.until < link_setting::lease * how_.parts)
    broken_ = "a node begins a task of an older front than it has served";
  else if (!how_.one_address && is_given_up)
    broken_ = "a node that was given up begins a task";
  else if (!is_latest(of, task.which) || fate_of(of, task.which).begins_no_more)
    broken_ = "a task begins although another node may run it";
}

/// Ends a handler by a crash, so that the node measures no service time.
void link_world::complete(const link_step& step) {
  auto& at = nodes_[step.node];
  auto task = at.running.front();
  at.running.erase(at.running.begin());
  if (how_.queue)
    finish(at, task.which, submission_of(task.which));
  else
    at.machine.finished(task.which, libpool::ending::crashed,
                        how_.largest > 0 ? 1 : 0, now());
  if (auto* ended = open_fate_of(task))
    ended->is = place::way_back;
}

void link_world::leave(const link_step& step) {
  --how_.leaving;
  nodes_[step.node].is_leaving = true;
  nodes_[step.node].machine.leave();
}

void link_world::restart(const link_step& step) {
  --how_.restarts;
  auto& at = nodes_[step.node];
  at = next_program(step.node);
  for (auto& each : fronts_)
    each.lines[step.node] = {};
  at.machine.came_up(now());
}

void link_world::tick_node(const link_step& step) {
  nodes_[step.node].machine.ticked(now());
}

void link_world::flush_node(const link_step& step) {
  nodes_[step.node].machine.flush(now());
}

void link_world::pass(const link_step&) {
  ++time_;
}

// -- lines --------------------------------------------------------------------

void link_world::drop_to_pool(const link_step& step) {
  --how_.drops;
  auto& up = fronts_[step.front].lines[step.node].up;
  up.erase(up.begin());
}

void link_world::drop_to_node(const link_step& step) {
  --how_.drops;
  auto& down = fronts_[step.front].lines[step.node].down;
  down.erase(down.begin());
}

void link_world::cut(const link_step& step) {
  --how_.cuts;
  nodes_[step.node].is_whole = false;
  for (auto& each : fronts_) {
    each.lines[step.node].up.clear();
    each.lines[step.node].down.clear();
  }
}

void link_world::notice(const link_step& step) {
  nodes_[step.node].knows_up = false;
  nodes_[step.node].machine.went_down();
}

void link_world::mend(const link_step& step) {
  nodes_[step.node].is_whole = true;
}

void link_world::connect(const link_step& step) {
  nodes_[step.node].knows_up = true;
  nodes_[step.node].machine.came_up(now());
}

/// Lets a node send a message in the session of the next node, which may have
/// ended. The message is sent beside the stream, since a stream does not accept
/// messages of another session.
void link_world::forge(const link_step& step) {
  --how_.forgeries;
  const auto& victim = nodes_[(step.node + 1U) % nodes_.size()];
  auto& to = fronts_.back();
  auto of = victim.machine.link().session().value_or(session{});
  auto task = number_of(0, to.fates[0]);
  for (std::size_t i = 0; i < slots(); ++i)
    if (to.fates[i].is_out && to.fates[i].at == of)
      task = number_of(i, to.fates[i]);
  auto say = [&](auto message) {
    to.lines[step.node].up.push_back(
      {stream_mark{}, batch_to_pool{of, std::move(message)}, to.epoch});
  };
  switch (step.task) {
    case 0:
      return say(libpool::bye{of});
    case 1:
      return say(libpool::beat{of, now()});
    case 2:
      return say(libpool::tasks_done{{{task, libpool::ending::crashed}}});
    case 3:
      return say(libpool::given_back{true, {task}});
    case 4:
      return say(libpool::unread{task, "forged"});
    default: // over another connection
      to.pool.told(connection{link_setting::most_connections - 1},
                   {{}, libpool::hello{victim.who, victim.hellos + 1}}, 0,
                   now());
  }
}

} // namespace test
