#include "support/link_world.hpp"

#include <cstdint>
#include <iterator>
#include <utility>

using libpool::batch_to_pool;
using libpool::instant;
using libpool::stream_mark;

namespace test {

using link_kind = link_step::kind;

/// Number of a task in messages. Each attempt has another number.
libpool::task_number link_world::number_of(std::size_t task,
                                           std::uint8_t attempt) noexcept {
  return number{attempt * link_setting::most_tasks + task};
}

// -- steps --------------------------------------------------------------------

bool link_world::take(const link_step& step) {
  auto& by = fronts_[step.front];
  auto& at = nodes_[step.is == link_kind::assign ? 0 : step.node];
  switch (step.is) {
    case link_kind::assign:
      assign(by, step.task, session{step.node});
      break;
    case link_kind::cancel:
      cancel(by, step.task);
      break;
    case link_kind::recall:
      recall(by, step.task);
      break;
    case link_kind::begin:
      begin(at);
      break;
    case link_kind::complete:
      complete(at);
      break;
    case link_kind::arrive:
      if (step.is_up)
        arrive_at_pool(by, step.node);
      else
        arrive_at_node(step.node, step.front);
      break;
    case link_kind::tick_node:
      at.machine.ticked(now());
      break;
    case link_kind::pass:
      ++time_;
      break;
    case link_kind::give:
    case link_kind::decide:
    case link_kind::store:
      take_steps_of_queue(step);
      break;
    case link_kind::tick_pool:
    case link_kind::succeed:
    case link_kind::suspend:
    case link_kind::resume:
      take_steps_of_front(step);
      break;
    default:
      take_troubles(step);
  }
  settle_steps();
  return has_room();
}

void link_world::take_troubles(const link_step& step) {
  auto& at = nodes_[step.node];
  switch (step.is) {
    case link_kind::drop:
      drop(step);
      break;
    case link_kind::cut:
      cut(step.node);
      break;
    case link_kind::notice:
      at.knows_up = false;
      at.machine.went_down();
      break;
    case link_kind::mend:
      at.is_whole = true;
      break;
    case link_kind::connect:
      at.knows_up = true;
      at.machine.came_up(now());
      break;
    case link_kind::forge:
      forge(step.node, step.task);
      break;
    case link_kind::expel:
      --how_.expelled;
      fronts_.back().pool.expelled(session_of(fronts_.back(), at));
      break;
    case link_kind::leave:
      --how_.leaving;
      at.is_leaving = true;
      at.machine.leave();
      break;
    default:
      restart(step.node);
  }
}

void link_world::take_steps_of_front(const link_step& step) {
  auto& of = fronts_[step.front];
  switch (step.is) {
    case link_kind::tick_pool:
      look(of);
      break;
    case link_kind::succeed:
      succeed(step.is_up);
      break;
    case link_kind::suspend:
      --how_.pauses;
      of.is = life::stands_still;
      of.stopped = time_;
      break;
    default:
      of.is = life::runs;
      if (may_look(of) && now() > of.due + link_setting::quarter / 2
          && time_ > of.stopped)
        of.continued = time_;
  }
}

/// Lets the pool look at its clock. A front that stood still may give up no
/// node before it has listened for a quarter.
void link_world::look(front& of) {
  auto before = of.pool.sessions().sessions().size();
  if (how_.forgives_no_pause)
    for (auto each = of.looked + 1; each < time_; ++each)
      of.pool.ticked(instant{} + (each + 1) * link_setting::quarter);
  of.pool.ticked(now());
  of.was_late = now() > of.due + link_setting::quarter / 2;
  of.looked = time_;
  of.due = now() + link_setting::quarter;
  if (of.continued == time_ && of.pool.sessions().sessions().size() < before)
    broken_ = "a front that stood still gives a node up before it has listened";
}

/// Sends a task to a node. Retries wait for the lease, unless `does_not_wait`
/// is set.
void link_world::assign(front& by, std::size_t task, session to) {
  auto& mine = by.fates[task];
  send_out(mine, to);
  auto may_run_again = how_.retries > 0 && !how_.does_not_wait && !how_.queue;
  if (!by.pool.submitted(number_of(task, mine.attempts), to, 0, may_run_again,
                         now()))
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

void link_world::cancel(front& by, std::size_t task) {
  --how_.unwanted;
  auto& mine = by.fates[task];
  mine.is_wanted = false;
  by.pool.cancel(number_of(task, mine.attempts), mine.at, now());
  by.pool.flush(now());
}

void link_world::recall(front& by, std::size_t task) {
  --how_.recalls;
  auto& mine = by.fates[task];
  mine.is_recalled = true;
  by.pool.recalled(number_of(task, mine.attempts), mine.at, now());
  by.pool.flush(now());
}

void link_world::begin(node& at) {
  auto task = at.machine.start(how_.ignores_lease ? instant{} : now());
  if (!task)
    return;
  if (at.queue.empty() || at.queue.front().which != *task) {
    broken_ = "a task begins out of order";
    return;
  }
  auto begun = at.queue.front();
  at.queue.erase(at.queue.begin());
  auto& mine = fate_of(fronts_[begun.of], begun.which);
  if (fronts_[begun.of].empty.count(begun.which) > 0) {
    at.machine.unreadable(begun.which, "no content");
    if (is_latest(fronts_[begun.of], begun.which) && mine.is_out)
      mine.is = place::way_back;
    return;
  }
  at.running.push_back(begun);
  check_begin(at, begun);
  if (how_.queue)
    note_begun(at, begun.which);
  ++mine.runs;
  if (!is_latest(fronts_[begun.of], begun.which) || !mine.is_out)
    return;
  if (mine.is != place::queue)
    broken_ = "a task begins although it is not in a queue";
  mine.is = place::handler;
  mine.has_begun = true;
}

/// Whether a front that has not ended has ended the session.
bool link_world::is_over(const front& of, session which) {
  return of.is != life::has_ended
         && of.pool.sessions().sessions().count(which) == 0;
}

/// Checks the beginning of a task. A node may return to an older front when it
/// has heard nothing of the newer one for a lease. A front that is followed by
/// another one may begin what its client has given up.
void link_world::check_begin(const node& at, const held_task& task) {
  auto& of = fronts_[task.of];
  if (task.of != at.serves)
    broken_ = "a node begins a task of a front that it no longer serves";
  else if (task.of < at.newest && how_.until < link_setting::lease)
    broken_ = "a node begins a task of an older front than it has served";
  else if (!how_.one_address && is_over(of, *at.machine.link().session()))
    broken_ = "a node that was given up begins a task";
  else if (!is_latest(of, task.which) || fate_of(of, task.which).begins_no_more)
    broken_ = "a task begins although another node may run it";
}

/// Ends a handler by a crash, so that the node measures no service time.
void link_world::complete(node& at) {
  auto task = at.running.front();
  at.running.erase(at.running.begin());
  if (how_.queue)
    finish(at, task.which, submission_of(task.which));
  else
    at.machine.finished(task.which, libpool::ending::crashed, 0, now());
  auto& ended = fate_of(fronts_[task.of], task.which);
  if (is_latest(fronts_[task.of], task.which) && ended.is_out)
    ended.is = place::way_back;
}

void link_world::drop(const link_step& step) {
  --how_.drops;
  auto& with = fronts_[step.front].lines[step.node];
  if (step.is_up)
    with.up.erase(with.up.begin());
  else
    with.down.erase(with.down.begin());
}

void link_world::cut(std::size_t which) {
  --how_.cuts;
  nodes_[which].is_whole = false;
  for (auto& each : fronts_) {
    each.lines[which].up.clear();
    each.lines[which].down.clear();
  }
}

void link_world::restart(std::size_t which) {
  --how_.restarts;
  nodes_[which] = next_program(which);
  for (auto& each : fronts_)
    each.lines[which] = {};
  nodes_[which].machine.came_up(now());
}

/// Lets the latest front end or stand still, and another one begin. Messages
/// for a front that stands still reach the other front, too. Messages for a
/// front that ends are lost.
void link_world::succeed(bool stands_still) {
  --how_.fronts;
  begin_front(fronts_.back().epoch + 1);
  auto& last = *std::prev(fronts_.end(), 2);
  auto& next = fronts_.back();
  if (stands_still && last.is == life::runs)
    last.stopped = time_;
  last.is = stands_still ? life::stands_still : life::has_ended;
  for (std::size_t i = 0; i < how_.nodes; ++i)
    if (stands_still)
      next.lines[i].up = last.lines[i].up;
    else
      last.lines[i].up.clear();
}

/// Lets a node send a message in the session of the other node, which may have
/// ended. The message is sent beside the stream, since a stream does not accept
/// messages of another session.
void link_world::forge(std::size_t by, std::size_t what) {
  --how_.forgeries;
  const auto& victim = nodes_[1 - by];
  auto& to = fronts_.back();
  auto of = victim.machine.link().session().value_or(session{});
  auto task = number_of(0, to.fates[0].attempts);
  auto say = [&](auto message) {
    to.lines[by].up.push_back(
      {stream_mark{}, batch_to_pool{of, std::move(message)}, to.epoch});
  };
  switch (what) {
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
