#include "link_world.hpp"

#include <algorithm>
#include <chrono>
#include <utility>
#include <variant>

using libpool::batch_to_node;
using libpool::batch_to_pool;
using libpool::node_connections;
using libpool::node_epoch;
using libpool::stream_mark;
using namespace std::chrono_literals;

namespace test {

namespace {

template <class T>
T first_of(std::vector<T>& channel) {
  auto message = std::move(channel.front());
  channel.erase(channel.begin());
  return message;
}

std::uint64_t count(libpool::connection_number by) {
  return static_cast<std::uint64_t>(by);
}

template <class Content, class Batch>
bool is(const Batch& batch) {
  return std::holds_alternative<Content>(batch.content);
}

} // namespace

// -- tasks in messages --------------------------------------------------------

/// Returns the fate of a task. Each attempt at a task has another number.
link_world::fate& link_world::fate_of(front& of, number task) {
  return of.fates[static_cast<std::size_t>(task) % of.fates.size()];
}

const link_world::fate& link_world::fate_of(const front& of, number task) {
  return of.fates[static_cast<std::size_t>(task) % of.fates.size()];
}

bool link_world::is_latest(const front& of, number task) {
  return fate_of(of, task).attempts
         == static_cast<std::size_t>(task) / of.fates.size();
}

/// Returns the fate of a task at a node, if its front waits for this attempt.
link_world::fate* link_world::open_fate_of(const held_task& task) {
  auto& of = fronts_[task.of];
  auto& result = fate_of(of, task.which);
  return is_latest(of, task.which) && result.is_out ? &result : nullptr;
}

std::size_t link_world::bytes_of(const batch_to_node& batch) const {
  std::size_t result = 0;
  if (const auto* sent = std::get_if<libpool::tasks_sent>(&batch.content))
    for (auto each : sent->tasks)
      result += bytes_of(each);
  return result;
}

std::size_t link_world::bytes_of(const batch_to_pool& batch) const {
  const auto* done = std::get_if<libpool::tasks_done>(&batch.content);
  return done != nullptr && how_.largest > 0 ? done->ends.size() : 0;
}

// -- sending ------------------------------------------------------------------

void link_world::send(std::size_t from, const batch_to_pool& batch) {
  auto is_once = is<libpool::bye>(batch) && how_.says_bye_once;
  auto is_kept = !is_beside_stream(batch) && !is_once;
  say(from, nodes_[from].own.mark_for(batch, is_kept), batch);
}

void link_world::send(front& from, std::size_t to, const batch_to_node& batch) {
  auto is_kept = !is_beside_stream(batch);
  say(from, to, from.lines[to].of_pool.mark_for(batch, is_kept), batch);
}

/// Sends a message to all fronts that have not ended. A front that stands still
/// loses messages if too many wait for it.
void link_world::say(std::size_t from, const stream_mark& mark,
                     const batch_to_pool& batch) {
  const auto& by = nodes_[from];
  for (auto& each : fronts_) {
    auto& up = each.lines[from].up;
    auto is_lost = each.is == life::has_ended
                   || (each.is == life::stands_still && up.size() >= how_.room);
    if (by.is_whole && !is_lost)
      up.push_back({mark, batch, by.epoch.value(),
                    is<libpool::hello>(batch) ? by.held.takings(false)
                                              : std::vector<std::uint64_t>{}});
  }
}

/// Sends a message to all nodes of an address.
void link_world::say(front& from, std::size_t to, const stream_mark& mark,
                     const batch_to_node& batch) {
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    if (address_of(i) == to && nodes_[i].is_whole)
      from.lines[i].down.push_back({mark, batch, from.epoch});
}

// -- messages to the pool -----------------------------------------------------

/// Lets a front handle a message, as a node registry does.
void link_world::arrive_at_pool(const link_step& step) {
  auto& at = fronts_[step.front];
  auto message = first_of(at.lines[step.node].up);
  auto& batch = message.batch;
  auto address = address_of(step.node);
  auto& with = at.lines[address];
  auto is_for_it = with.is_known
                   && (how_.front_ignores_epochs
                       || is_for_run(batch, message.epoch, at.epoch));
  if (!is<libpool::hello>(batch) && !is_for_it) {
    if (auto answer = libpool::answer_to_stranger(batch))
      say(at, address, {}, *answer);
    return;
  }
  with.is_known = true;
  if (is<libpool::hello>(batch))
    with.held = std::move(message.held);
  auto what = with.of_pool.note(batch.session, message.mark,
                                how_.delivers_again);
  if (what.is_next)
    tell_pool(at, step.node, message);
  carry_out(at, is<libpool::bye>(batch));
  with.of_pool.answer(what,
                      [&](const stream_mark& mark, const batch_to_node& kept) {
                        say(at, address, mark, kept);
                      });
}

void link_world::tell_pool(front& at, std::size_t from,
                           under_way<batch_to_pool> message) {
  auto& batch = message.batch;
  auto& with = at.lines[address_of(from)];
  const auto& open = at.pool.sessions().sessions();
  auto found = open.find(batch.session);
  auto by = nodes_[from].by;
  const auto* alive = std::get_if<libpool::beat>(&batch.content);
  if (alive != nullptr && how_.resumes_what_has_ended && found == open.end())
    return send(at, address_of(from), batch_to_node{batch.session, *alive});
  if (auto* wants = std::get_if<libpool::demand>(&batch.content))
    wants->service = 1h;
  if (const auto* given = std::get_if<libpool::given_back>(&batch.content))
    if (given->was_asked && found != open.end() && found->second.by == by)
      with.was_asked = false;
  if (how_.forgets_nodes && is<libpool::hello>(batch))
    by = connection{link_setting::most_connections * (nodes_[from].hellos + 1)
                    + count(by)};
  else if ((how_.trusts_all_nodes || how_.forgets_nodes) && found != open.end())
    by = found->second.by;
  if (found != open.end() && found->second.by == by && !found->second.is_cut)
    check_results(at, message);
  at.pool.told(by, batch, bytes_of(batch), now());
}

/// Checks results that the pool counts.
void link_world::check_results(front& at,
                               const under_way<batch_to_pool>& message) {
  const auto* done = std::get_if<libpool::tasks_done>(&message.batch.content);
  auto is_own = message.epoch == at.epoch;
  if (done == nullptr)
    return;
  for (const auto& each : done->ends) {
    const auto& of = fate_of(at, each.task);
    if (!is_latest(at, each.task))
      continue;
    if (of.at != message.batch.session) {
      if (is_own && message.mark.is_numbered) // not forged
        broken_ = "a result arrives in another session";
      continue;
    }
    if (of.is_out && !is_own)
      broken_ = "a result for one front settles a task of another front";
    if (!of.is_out && of.outcomes > 0)
      broken_ = "a result is told twice";
  }
}

// -- messages to a node -------------------------------------------------------

void link_world::arrive_at_node(const link_step& step) {
  auto& at = nodes_[step.node];
  auto& by = fronts_[step.front];
  auto message = first_of(by.lines[step.node].down);
  auto& batch = message.batch;
  const auto* sent = std::get_if<libpool::tasks_sent>(&batch.content);
  if (sent != nullptr && by.served.count(batch.session) == 0
      && !how_.front_ignores_epochs) // leads to a worse violation
    broken_ = "a node that has not begun to serve is sent a task";
  if (auto* in = std::get_if<libpool::welcome>(&batch.content)) {
    if (how_.takes_lease_for_longer)
      in->lease += 3 * link_setting::quarter;
    if (how_.takes_welcomes_of_others)
      in->who = at.who;
  }
  auto is_of = note_epoch(at, message);
  if (is_of == node_epoch::verdict::stray)
    return;
  libpool::message_stream<batch_to_pool>::arrival what{true, false, false};
  if (is_of == node_epoch::verdict::of_run)
    what = at.own.note(batch.session, message.mark, how_.delivers_again);
  if (what.is_next) {
    auto had_session = at.machine.link().session().has_value();
    auto is_taken = at.machine.told(batch, bytes_of(batch), now());
    if (sent != nullptr && is_taken)
      note_sent(at, step.front, *sent);
    if (!had_session && at.machine.link().session()) {
      at.serves = step.front;
      at.newest = std::max(at.newest, at.serves);
    }
    collect(step.node);
  }
  at.own.answer(what, [&](const stream_mark& mark, const batch_to_pool& kept) {
    say(step.node, mark, kept);
  });
}

node_epoch::verdict
link_world::note_epoch(node& at, const under_way<batch_to_node>& message) {
  using verdict = node_epoch::verdict;
  auto is_welcome = is<libpool::welcome>(message.batch);
  auto is_gone = is<libpool::gone>(message.batch);
  if (is_welcome && how_.takes_all_welcomes && !at.machine.link().session())
    at.epoch = {};
  auto result = at.epoch.note(message.batch, message.epoch, at.machine.link(),
                              now());
  if (result != verdict::stray && message.epoch >= at.highest) {
    at.highest = message.epoch;
    at.heard = now();
  }
  if (is_gone && how_.obeys_all_fronts)
    return verdict::of_any_run;
  return how_.node_ignores_epochs && !is_welcome && !is_gone ? verdict::of_run
                                                             : result;
}

void link_world::note_sent(node& at, std::size_t from,
                           const libpool::tasks_sent& sent) {
  at.held.settled(sent.settled);
  for (auto each : sent.tasks) {
    at.queue.push_back({each, from});
    if (auto* task = open_fate_of(at.queue.back())) {
      if (task->is != place::way_there)
        broken_ = "a task arrives although it is not in flight";
      task->is = place::queue;
    }
    if (how_.queue)
      adopt(at, each);
  }
}

void link_world::note_forgotten(node& from) {
  for (auto each : std::exchange(from.machine.forgotten(), {})) {
    auto found = std::find_if(
      from.queue.begin(), from.queue.end(),
      [each](const held_task& held) { return held.which == each; });
    if (found == from.queue.end()) {
      broken_ = "a node forgets a task that it does not have";
      continue;
    }
    if (auto* task = open_fate_of(*found))
      task->is = place::way_back;
    from.queue.erase(found);
  }
}

/// Notes handlers that are asked to stop.
void link_world::note_stopping(node& from) {
  for (auto each : std::exchange(from.machine.stopping(), {})) {
    auto found = std::find_if(
      from.running.begin(), from.running.end(),
      [each](const held_task& held) { return held.which == each; });
    if (found == from.running.end()) {
      broken_ = "a node stops a task that it does not run";
      continue;
    }
    const auto& of = fronts_[found->of];
    if (is_latest(of, each) && fate_of(of, each).is_wanted)
      broken_ = "a handler is asked to stop although a client waits";
    found->stops = !how_.ignores_stops;
  }
}

/// Sends the message batches of the node, and updates the copy of its queue. A
/// node drops the stream of a session that has ended.
void link_world::collect(std::size_t from) {
  auto& at = nodes_[from];
  if (at.machine.has_to_flush() && how_.portion == 1)
    at.machine.flush(now());
  note_forgotten(at);
  note_stopping(at);
  auto serves = at.machine.link().session();
  if (!serves && how_.forgets_begun_tasks)
    at.held.settled(at.held.takings(false));
  if (serves) {
    at.last = *serves;
    fronts_[at.serves].served.insert(*serves);
  }
  for (auto& each : std::exchange(at.machine.batches(), {})) {
    if (const auto* said = std::get_if<libpool::hello>(&each.content)) {
      at.hellos = said->attempt;
      at.said_hello = now();
    }
    if (is<libpool::demand>(each) && !how_.shares)
      continue;
    const auto* done = std::get_if<libpool::tasks_done>(&each.content);
    if (done != nullptr && how_.queue)
      check_sent(at, *done);
    send(from, each);
    if (done != nullptr && how_.tells_results_twice)
      send(from, each);
  }
  if (!serves)
    at.own = {};
}

// -- decisions ----------------------------------------------------------------

void link_world::settle_steps() {
  for (auto& each : fronts_) {
    if (each.is == life::runs && how_.portion == 1)
      each.pool.flush(now());
    carry_out(each);
    if (each.is == life::runs && how_.queue) {
      try_to_adopt(each);
      carry_out(each);
    }
  }
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    collect(i);
}

/// Carries out the decisions of a front, after a bye or after another fact.
void link_world::carry_out(front& of, bool is_bye) {
  for (const auto& each : std::exchange(of.pool.decisions(), {}))
    if (const auto* batch = std::get_if<node_connections::deliver>(&each))
      deliver(of, *batch);
    else if (const auto* told = std::get_if<node_connections::release>(&each))
      release(of, *told, is_bye);
    else if (const auto* in = std::get_if<node_connections::admit>(&each))
      of.held.joined(in->session, of.lines[node_by(in->by)].held, {});
    else if (const auto* out = std::get_if<node_connections::dismiss>(&each))
      of.held.left(out->session);
}

void link_world::deliver(front& from, const node_connections::deliver& what) {
  auto batch = what.batch;
  auto to = node_by(what.to);
  auto& with = from.lines[to];
  auto in = is<libpool::welcome>(batch);
  if (what.to != nodes_[to].by && !how_.forgets_nodes)
    return; // the program has ended
  if (in) {
    from.sessions = static_cast<std::uint64_t>(batch.session);
    if (from.pool.sessions().sessions().size() == 1) { // the first one
      from.due = now() + link_setting::quarter;
      from.was_late = false;
      from.looked = time_;
    }
    with.of_pool.stream.enter(batch.session);
    with.of_pool.has_asked = with.was_asked = false;
  }
  with.was_asked |= is<libpool::ask_back>(batch);
  auto* sent = std::get_if<libpool::tasks_sent>(&batch.content);
  if (sent != nullptr && how_.queue)
    name_submissions(from, batch.session, *sent);
  send(from, to, batch);
  if (in && how_.admits_at_once)
    from.pool.told(what.to, {batch.session, libpool::ready{batch.session}}, 0,
                   now());
}

std::size_t link_world::node_by(connection by) const {
  auto with = count(by) % link_setting::most_connections;
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    if (count(nodes_[i].by) == with)
      return i;
  return 0; // the program has ended
}

/// Takes a task back. It may run again at another node if it has not begun and
/// a client waits, or if it was lost, a client waits and retries are left.
void link_world::release(front& by, const node_connections::release& what,
                         bool is_bye) {
  auto& of = fate_of(by, what.task);
  if (!is_latest(by, what.task) || !of.is_out) {
    broken_ = "a task is released although no node has it";
    return;
  }
  ++released_[what.how];
  if (is_bye && what.how == how_released::lost)
    broken_ = "a task is lost although its node has said bye";
  check_release(of, what.how);
  if (of.is_adopted)
    check_adoption(by, of, what);
  of.is_out = false;
  of.is = place::pool;
  if (of.is_adopted && what.how != how_released::completed) {
    run_or_fail(of);
  } else if (what.how == how_released::given_back
             || what.how == how_released::unread) {
    of.begins_no_more = true;
    of.is_forgotten = how_.loses_what_comes_back;
    of.outcomes += of.is_wanted ? 0U : 1U;
  } else if (what.how == how_released::lost) {
    auto retries = how_.queue ? 0 : how_.retries;
    of.begins_no_more = retries > 0;
    of.outcomes += ++of.losses > retries || !of.is_wanted ? 1U : 0U;
  } else {
    ++of.outcomes;
    if (how_.tells_settled_early)
      by.held.settled(submission_of(what.task));
  }
}

void link_world::check_release(const fate& of, how_released how) {
  auto is_back = how == how_released::given_back || how == how_released::unread;
  auto is_end = how == how_released::completed || how == how_released::crashed;
  auto has_ended = of.has_begun && of.is == place::way_back;
  if (is_back && of.has_begun)
    broken_ = "a task is given back although it has begun";
  if (is_end && !has_ended && broken_.empty())
    broken_ = "a task is reported as ended although it has not ended";
}

} // namespace test
