#include "support/link_world.hpp"

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

bool is_hello(const batch_to_pool& batch) {
  return std::holds_alternative<libpool::hello>(batch.content);
}

} // namespace

/// Returns the fate of a task. Each attempt at a task has another number.
link_world::fate& link_world::fate_of(front& of, number task) {
  return of.fates[static_cast<std::size_t>(task) % link_setting::most_tasks];
}

bool link_world::is_latest(const front& of, number task) {
  auto which = static_cast<std::size_t>(task);
  return of.fates[which % link_setting::most_tasks].attempts
         == which / link_setting::most_tasks;
}

// -- streams ------------------------------------------------------------------

template <class Batch>
auto link_world::note(stream_end<Batch>& end, session of,
                      const stream_mark& mark) {
  auto result = end.stream.note(of, mark);
  if (mark.is_numbered && result.is_next)
    end.has_asked = false;
  end.has_asked |= result.must_ask;
  return result;
}

template <class Batch, class F>
void link_world::ask_or_repeat(stream_end<Batch>& end, bool asks, bool repeats,
                               F say) {
  auto of = end.stream.session();
  if (asks)
    say(end.stream.mark_beside(of, true), Batch{of, libpool::resend{}});
  if (repeats)
    end.stream.stream().repeat(say);
}

/// Returns the mark of a message, which becomes part of the stream if `is_kept`
/// is set.
template <class Batch>
stream_mark link_world::mark_for(stream_end<Batch>& end, const Batch& batch,
                                 bool is_kept) {
  auto before = end.stream.session();
  auto mark = is_kept ? end.stream.add(batch.session, batch)
                      : end.stream.mark_beside(batch.session, false);
  if (end.stream.session() != before)
    end.has_asked = false;
  return mark;
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
                    is_hello(batch) ? by.held.takings(false)
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

void link_world::arrive_at_pool(front& at, std::size_t from) {
  auto message = first_of(at.lines[from].up);
  auto& batch = message.batch;
  auto address = address_of(from);
  auto& with = at.lines[address];
  if (!is_for(at, with, message)) {
    if (auto answer = libpool::answer_to_stranger(batch))
      say(at, address, {}, *answer);
    return;
  }
  with.is_known = true;
  if (is_hello(batch))
    with.held = std::move(message.held);
  auto what = note(with.of_pool, batch.session, message.mark);
  if (what.is_next)
    tell_pool(at, from, std::move(batch), message.epoch);
  carry_out(at);
  ask_or_repeat(with.of_pool, what.must_ask, what.must_repeat,
                [&](const stream_mark& mark, const batch_to_node& kept) {
                  say(at, address, mark, kept);
                });
}

/// Whether the front handles the message, as a node registry decides.
bool link_world::is_for(const front& at, const line& with,
                        const under_way<batch_to_pool>& message) const {
  if (is_hello(message.batch))
    return true;
  return with.is_known
         && (how_.front_ignores_epochs
             || is_for_run(message.batch, message.epoch, at.epoch));
}

void link_world::tell_pool(front& at, std::size_t from, batch_to_pool batch,
                           std::uint64_t epoch) {
  auto& with = at.lines[address_of(from)];
  const auto& open = at.pool.sessions().sessions();
  auto found = open.find(batch.session);
  auto by = nodes_[from].by;
  if (std::holds_alternative<libpool::beat>(batch.content)
      && how_.resumes_what_has_ended && found == open.end()) {
    send(at, address_of(from),
         batch_to_node{batch.session, std::get<libpool::beat>(batch.content)});
    return;
  }
  if (auto* wants = std::get_if<libpool::demand>(&batch.content))
    wants->service = 1h;
  if (const auto* given = std::get_if<libpool::given_back>(&batch.content))
    if (given->was_asked && found != open.end() && found->second.by == by)
      with.was_asked = false;
  if (how_.forgets_nodes && is_hello(batch))
    by = connection{link_setting::most_connections * (nodes_[from].hellos + 1)
                    + count(by)};
  else if ((how_.trusts_all_nodes || how_.forgets_nodes) && found != open.end())
    by = found->second.by;
  if (found != open.end() && found->second.by == by && !found->second.is_cut)
    check_results(at, batch, epoch);
  at.pool.told(by, batch, 0, now());
}

/// Checks results that the pool counts.
void link_world::check_results(front& at, const batch_to_pool& batch,
                               std::uint64_t epoch) {
  const auto* done = std::get_if<libpool::tasks_done>(&batch.content);
  if (done == nullptr)
    return;
  for (const auto& each : done->ends) {
    const auto& of = fate_of(at, each.task);
    if (!is_latest(at, each.task) || of.at != batch.session)
      continue;
    if (of.is_out && epoch != at.epoch)
      broken_ = "a result for one front settles a task of another front";
    if (!of.is_out && of.outcomes > 0)
      broken_ = "a result is told twice";
  }
}

// -- messages to a node -------------------------------------------------------

void link_world::arrive_at_node(std::size_t which, std::size_t from) {
  auto& at = nodes_[which];
  auto& by = fronts_[from];
  auto message = first_of(by.lines[which].down);
  auto& batch = message.batch;
  const auto* sent = std::get_if<libpool::tasks_sent>(&batch.content);
  if (sent != nullptr && by.served.count(batch.session) == 0
      && !how_.front_ignores_epochs) // leads to a worse violation
    broken_ = "a node that has not begun to serve is sent a task";
  if (auto* in = std::get_if<libpool::welcome>(&batch.content)) {
    in->lease += how_.longer * link_setting::quarter;
    if (how_.takes_welcomes_of_others)
      in->who = at.who;
  }
  auto is = note_epoch(at, message);
  if (is == node_epoch::verdict::stray)
    return;
  libpool::message_stream<batch_to_pool>::arrival what{true, false, false};
  if (is == node_epoch::verdict::of_run)
    what = note(at.own, batch.session, message.mark);
  if (what.is_next) {
    auto had_session = at.machine.link().session().has_value();
    auto is_taken = at.machine.told(batch, 0, now());
    if (sent != nullptr && is_taken)
      note_sent(at, from, *sent);
    if (!had_session && at.machine.link().session()) {
      at.serves = from;
      at.newest = std::max(at.newest, from);
    }
    collect(which);
  }
  ask_or_repeat(at.own, what.must_ask, what.must_repeat,
                [&](const stream_mark& mark, const batch_to_pool& kept) {
                  say(which, mark, kept);
                });
}

node_epoch::verdict
link_world::note_epoch(node& at, const under_way<batch_to_node>& message) {
  using verdict = node_epoch::verdict;
  const auto& content = message.batch.content;
  auto is_welcome = std::holds_alternative<libpool::welcome>(content);
  auto is_gone = std::holds_alternative<libpool::gone>(content);
  if (is_welcome && how_.takes_all_welcomes && !at.machine.link().session())
    at.epoch = {};
  auto is = at.epoch.note(message.batch, message.epoch, at.machine.link(),
                          now());
  if (is != verdict::stray && message.epoch >= at.highest) {
    at.highest = message.epoch;
    at.heard = now();
  }
  if (is_gone && how_.obeys_all_fronts)
    return verdict::of_any_run;
  return how_.node_ignores_epochs && !is_welcome && !is_gone ? verdict::of_run
                                                             : is;
}

void link_world::note_sent(node& at, std::size_t from,
                           const libpool::tasks_sent& sent) {
  auto& by = fronts_[from];
  at.held.settled(sent.settled);
  for (auto each : sent.tasks) {
    at.queue.push_back({each, from});
    auto& task = fate_of(by, each);
    if (is_latest(by, each) && task.is_out) {
      if (task.is != place::way_there)
        broken_ = "a task arrives although it is not in flight";
      task.is = place::queue;
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
    auto& of = fronts_[found->of];
    from.queue.erase(found);
    if (is_latest(of, each) && fate_of(of, each).is_out)
      fate_of(of, each).is = place::way_back;
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
    auto& of = fronts_[found->of];
    if (is_latest(of, each) && fate_of(of, each).is_wanted)
      broken_ = "a handler is asked to stop although a client waits";
    found->stops = !how_.ignores_stops;
  }
}

/// Sends the message batches of the node, and updates the copy of its queue. A
/// node drops the stream of a session that has ended.
void link_world::collect(std::size_t from) {
  auto& at = nodes_[from];
  if (at.machine.has_to_flush())
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
    if (std::holds_alternative<libpool::demand>(each.content) && !how_.shares)
      continue;
    const auto* done = std::get_if<libpool::tasks_done>(&each.content);
    if (done != nullptr && how_.queue)
      check_sent(at, *done);
    send(from, each);
    if (how_.tells_results_twice
        && std::holds_alternative<libpool::tasks_done>(each.content))
      send(from, each);
  }
  if (!serves)
    at.own = {};
}

void link_world::send(std::size_t from, const batch_to_pool& batch) {
  auto is_bye = std::holds_alternative<libpool::bye>(batch.content);
  auto is_kept = !is_beside_stream(batch) && !(is_bye && how_.says_bye_once);
  auto mark = mark_for(nodes_[from].own, batch, is_kept);
  say(from, mark, batch);
}

// -- decisions ----------------------------------------------------------------

void link_world::settle_steps() {
  for (auto& each : fronts_) {
    carry_out(each);
    if (each.is == life::runs && how_.queue) {
      try_to_adopt(each);
      carry_out(each);
    }
  }
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    collect(i);
}

void link_world::carry_out(front& of) {
  for (const auto& each : std::exchange(of.pool.decisions(), {}))
    if (const auto* batch = std::get_if<node_connections::deliver>(&each))
      deliver(of, *batch);
    else if (const auto* told = std::get_if<node_connections::release>(&each))
      release(of, *told);
    else if (const auto* in = std::get_if<node_connections::admit>(&each))
      of.held.joined(in->session, of.lines[node_by(in->by)].held, {});
    else if (const auto* out = std::get_if<node_connections::dismiss>(&each))
      of.held.left(out->session);
}

void link_world::deliver(front& from, const node_connections::deliver& what) {
  auto to = node_by(what.to);
  auto& with = from.lines[to];
  auto in = std::holds_alternative<libpool::welcome>(what.batch.content);
  if (what.to != nodes_[to].by && !how_.forgets_nodes)
    return; // the program has ended
  if (in) {
    from.sessions = static_cast<std::uint64_t>(what.batch.session);
    if (from.pool.sessions().sessions().size() == 1) { // the first one
      from.due = now() + link_setting::quarter;
      from.was_late = false;
      from.looked = time_;
    }
    with.of_pool.stream.enter(what.batch.session);
    with.of_pool.has_asked = with.was_asked = false;
  }
  if (std::holds_alternative<libpool::ask_back>(what.batch.content))
    with.was_asked = true;
  auto batch = what.batch;
  auto* sent = std::get_if<libpool::tasks_sent>(&batch.content);
  if (sent != nullptr && how_.queue)
    name_submissions(from, batch.session, *sent);
  send(from, to, batch);
  if (in && how_.admits_at_once)
    from.pool.told(
      what.to,
      batch_to_pool{what.batch.session, libpool::ready{what.batch.session}}, 0,
      now());
}

void link_world::send(front& from, std::size_t to, const batch_to_node& batch) {
  auto mark = mark_for(from.lines[to].of_pool, batch, !is_beside_stream(batch));
  say(from, to, mark, batch);
}

std::size_t link_world::node_by(connection by) const {
  auto with = count(by) % link_setting::most_connections;
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    if (count(nodes_[i].by) == with)
      return i;
  return 0; // the program has ended
}

void link_world::release(front& by, const node_connections::release& what) {
  auto& of = fate_of(by, what.task);
  if (!is_latest(by, what.task) || !of.is_out) {
    broken_ = "a task is released although no node has it";
    return;
  }
  using how = node_connections::fate;
  check_release(of, what.how);
  if (of.is_adopted)
    check_adoption(by, of, what);
  of.is_out = false;
  of.is = place::pool;
  if (of.is_adopted && what.how != how::completed)
    run_or_fail(of);
  else if (what.how == how::given_back || what.how == how::unread)
    come_back(of);
  else if (what.how == how::lost)
    lose(of);
  else
    end(by, of, submission_of(what.task));
}

void link_world::check_release(const fate& of, node_connections::fate how) {
  using fates = node_connections::fate;
  auto is_back = how == fates::given_back || how == fates::unread;
  auto is_end = how == fates::completed || how == fates::crashed;
  auto has_ended = of.has_begun && of.is == place::way_back;
  if (is_back && of.has_begun)
    broken_ = "a task is given back although it has begun";
  if (is_end && !has_ended && broken_.empty())
    broken_ = "a task is reported as ended although it has not ended";
}

/// Takes a task back that has not begun. Another node may run it if a client
/// still waits.
void link_world::come_back(fate& of) {
  of.begins_no_more = true;
  of.outcomes += of.is_wanted ? 0U : 1U;
}

/// Notes that a task was lost, which may have begun. Another node may run it if
/// retries are left.
void link_world::lose(fate& of) {
  auto retries = how_.queue ? 0 : how_.retries;
  of.begins_no_more = retries > 0;
  of.outcomes += ++of.losses > retries ? 1U : 0U;
}

} // namespace test
