#include "node_farm.hpp"

#include <algorithm>
#include <chrono>
#include <type_traits>
#include <utility>
#include <variant>

using libpool::batch_to_node;
using libpool::batch_to_pool;
using libpool::instant;
using libpool::node_connections;
using libpool::stream_mark;
using namespace std::chrono_literals;

namespace test {

namespace {

constexpr libpool::duration lease = 1s;
constexpr std::size_t credit = 4096;

/// Maximum part of a suspension that a pool counts as silence of its nodes. The
/// pool looks at its clock in each quarter of a lease, and a look that is late
/// by half of that counts as late.
constexpr libpool::duration most_taken_for_silence = 3 * lease / 8;

libpool::node_terms terms() {
  libpool::node_terms result;
  result.lease = lease;
  result.portion = 3;
  result.credit = credit;
  result.most_in_flight = 8;
  return result;
}

} // namespace

node_farm::node_farm(const farm_setting& how, std::uint64_t seed)
  : how_(how),
    random_(seed),
    now_(instant{} + 1h),
    pool_(terms()),
    nodes_(how.nodes),
    works_(how.tasks) {
  for (auto& each : nodes_)
    start_program(each);
}

bool node_farm::draw(std::size_t one_in) {
  return random_.below(one_in) == 0;
}

libpool::duration node_farm::draw_time(libpool::duration most) {
  return libpool::duration{static_cast<libpool::duration::rep>(
    random_.below(static_cast<std::size_t>(most.count()) + 1))};
}

// -- the course of events -----------------------------------------------------

std::string node_farm::run() {
  constexpr auto most_steps = 20'000;
  for (auto i = 0; i < most_steps && !is_over(); ++i) {
    step();
    if (auto found = wrong(); !found.empty())
      return found;
  }
  seen_["resumed"] = resumed_.size();
  seen_["strays"] = pool_.strays();
  return is_over() ? std::string{} : "a task never has an outcome";
}

bool node_farm::is_over() const {
  return std::all_of(works_.begin(), works_.end(),
                     [](const work& each) { return each.outcomes > 0; });
}

void node_farm::step() {
  pass_time();
  if (how_.faults > 0 && draw(12)) {
    --how_.faults;
    have_fault();
  }
  auto first = random_.below(nodes_.size());
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    auto& at = nodes_[(first + i) % nodes_.size()];
    if (draw(2)) {
      node_acts(at);
      pool_acts(at);
    } else {
      pool_acts(at);
      node_acts(at);
    }
  }
}

void node_farm::pass_time() {
  auto time = draw_time(lease / 32);
  now_ += time;
  if (now_ < pool_stands_until_) {
    stood_ += time;
  } else {
    listened_ += time + std::min(stood_, most_taken_for_silence);
    stood_ = libpool::duration{0};
  }
}

/// Lets the pool handle the messages of that node, and act.
void node_farm::pool_acts(node& at) {
  if (now_ < pool_stands_until_)
    return;
  if (how_.does_not_listen || draw(2))
    pool_ticks();
  pool_reads(at.up.messages);
  for (auto i = late_.begin(); i != late_.end();) {
    pool_reads(i->second);
    i = i->second.empty() ? late_.erase(i) : std::next(i);
  }
  place();
  cancel_some();
  if (pool_.has_to_flush() && draw(3))
    pool_.flush(now_);
  carry_out();
}

void node_farm::node_acts(node& at) {
  if (now_ < at.stands_until)
    return;
  connect_or_interrupt(at);
  auto& mail = at.down.messages;
  while (!mail.empty() && mail.front().arrives <= now_ && !draw(4)) {
    auto next = std::move(mail.front());
    mail.pop_front();
    node_hears(at, next);
  }
  if (now_ >= at.machine->next_tick() && draw(2)) {
    at.machine->ticked(now_);
    collect(at);
  }
  end_tasks(at);
  begin_tasks(at);
  if (at.machine->has_to_flush() && draw(3))
    at.machine->flush(now_);
  collect(at);
  if (at.machine->has_left() && !at.machine->is_dismissed()
      && serves(at.stream.session()))
    broken_ = "a node has left while the pool takes it for alive";
  if ((at.machine->has_left() || at.machine->is_dismissed())
      && at.running.empty())
    start_program(at);
}

void node_farm::connect_or_interrupt(node& at) {
  if (now_ >= at.connects) {
    at.connects = libpool::never;
    at.machine->came_up(now_);
    collect(at);
  }
  if (now_ >= at.hears_down) {
    at.hears_down = libpool::never;
    at.machine->went_down();
  }
  if (now_ >= at.hears_up && at.hears_down == libpool::never) {
    at.hears_up = libpool::never;
    at.machine->came_up(now_);
    collect(at);
  }
}

// -- faults -------------------------------------------------------------------

void node_farm::have_fault() {
  auto& at = nodes_[random_.below(nodes_.size())];
  switch (random_.below(12)) {
    case 0:
    case 1:
    case 2:
      return cut(at);
    case 3:
      at.lossy_until = now_ + draw_time(lease);
      return;
    case 4:
      at.up.blocked_until = at.down.blocked_until = now_ + draw_time(2 * lease);
      return;
    case 5:
      at.stands_until = now_ + draw_time(3 * lease);
      return;
    case 6:
      pool_stands_until_ = now_ + draw_time(2 * lease);
      return;
    case 7:
      return start_program(at);
    case 8:
      at.machine->leave();
      return collect(at);
    case 9:
      return expel();
    default:
      return forge(at);
  }
}

/// Interrupts the line in one direction or in both. The line drops new
/// messages, and perhaps the messages in flight. The node may be told.
void node_farm::cut(node& at) {
  auto until = now_ + draw_time(draw(2) ? lease / 2 : 2 * lease);
  if (&at == &nodes_.front() && draw(8))
    until = libpool::never;
  auto drops = draw(2);
  auto close = [&](auto& direction) {
    direction.cut_until = until;
    if (drops)
      direction.messages.clear();
  };
  auto which = random_.below(3);
  if (which != 0)
    close(at.down);
  if (which != 1)
    close(at.up);
  if (at.connects != libpool::never || draw(2))
    return;
  at.hears_down = now_ + draw_time(lease / 8);
  at.hears_up = libpool::later(until, draw_time(lease / 8));
}

/// Ends the program of the node, if one runs, and starts another one with its
/// own connection. Messages of the older program may still arrive.
void node_farm::start_program(node& at) {
  if (draw(2))
    for (auto& each : at.up.messages) {
      each.arrives += draw_time(lease);
      late_[each.by].push_back(each);
    }
  at.up.messages.clear();
  at.down.messages.clear();
  at.stream = {};
  at.hears_down = at.hears_up = libpool::never;
  at.running.clear();
  at.contents.clear();
  libpool::node_offer offer;
  offer.slots = 1 + random_.below(2);
  offer.portion = 3;
  offer.credit = credit;
  at.machine = std::make_unique<libpool::agent_connection>(
    libpool::incarnation{++programs_}, offer);
  at.by = connection{++connections_};
  at.connects = now_ + draw_time(lease / 4);
}

void node_farm::expel() {
  if (!windows_.empty())
    pool_.expelled(windows_.begin()->first);
  carry_out();
}

/// Lets a node send a message in the session of another node.
void node_farm::forge(node& by) {
  auto found = std::find_if(tries_.begin(), tries_.end(), [&](auto& each) {
    auto other = pool_.sessions().sessions().find(each.second.to);
    return each.second.is_out && other != pool_.sessions().sessions().end()
           && other->second.by != by.by;
  });
  if (found == tries_.end())
    return;
  auto task = found->first;
  auto of = found->second.to;
  auto say = [&](auto message) {
    send(by.up, by, stream_mark{},
         parcel<batch_to_pool>{{of, std::move(message)}});
  };
  switch (random_.below(5)) {
    case 0:
      return say(libpool::tasks_done{{{task, libpool::ending::completed}}});
    case 1:
      return say(libpool::given_back{false, {task}});
    case 2:
      return say(libpool::unread{task, "forged"});
    case 3:
      return say(libpool::bye{of});
    default:
      return say(libpool::beat{of, now_});
  }
}

// -- messages -----------------------------------------------------------------

template <class Batch>
void node_farm::send(way<Batch>& by, const node& at, const stream_mark& mark,
                     parcel<Batch> what) {
  if (now_ < by.cut_until || (now_ < at.lossy_until && draw(3))
      || draw(how_.losses)) {
    ++seen_["dropped"];
    return;
  }
  auto arrives = std::max(now_, by.blocked_until) + draw_time(lease / 16);
  if (!by.messages.empty())
    arrives = std::max(arrives, by.messages.back().arrives);
  by.messages.push_back({at.by, arrives, mark, std::move(what)});
}

/// Sends a new message, and keeps it if it is part of the stream.
template <class Batch>
void node_farm::send_on(stream_of<Batch>& stream, way<Batch>& by,
                        const node& at, parcel<Batch> what) {
  auto of = what.batch.session;
  auto mark = is_beside_stream(what.batch) ? stream.mark_beside(of, false)
                                           : stream.add(of, what);
  send(by, at, mark, std::move(what));
}

template <class Batch>
void node_farm::resend(stream_of<Batch>& stream, way<Batch>& by,
                       const node& at) {
  stream.stream().repeat([&](const stream_mark& mark, parcel<Batch>& kept) {
    kept.is_repeated = true;
    send(by, at, mark, kept);
  });
}

/// Whether an owner handles a message that has arrived. With `delivers_again`,
/// an owner handles a message again that has arrived before.
template <class Batch>
bool node_farm::must_handle(stream_of<Batch>& stream, const stream_mark& mark,
                            session of, bool is_next) const {
  auto is_again = mark.is_numbered && of == stream.session()
                  && mark.last <= stream.stream().mark_beside().received;
  return is_next || (how_.delivers_again && is_again);
}

node_farm::node* node_farm::node_by(connection by) {
  auto found = std::find_if(nodes_.begin(), nodes_.end(),
                            [by](const node& each) { return each.by == by; });
  return found == nodes_.end() ? nullptr : &*found;
}

// -- messages to the pool -----------------------------------------------------

void node_farm::pool_reads(std::deque<under_way<batch_to_pool>>& from) {
  while (!from.empty() && from.front().arrives <= now_ && !draw(4)) {
    auto next = std::move(from.front());
    from.pop_front();
    pool_hears(next);
    hears_bye_ = std::holds_alternative<libpool::bye>(next.what.batch.content);
    carry_out();
    hears_bye_ = false;
  }
}

void node_farm::pool_hears(const under_way<batch_to_pool>& next) {
  auto& stream = streams_[next.by];
  const auto& batch = next.what.batch;
  auto what = stream.note(batch.session, next.mark);
  if (must_handle(stream, next.mark, batch.session, what.is_next)) {
    if (next.mark.is_numbered)
      note_results(batch);
    if (next.what.is_repeated)
      resumed_.insert(batch.session);
    tell_pool(next.by, batch, next.what.bytes);
  }
  auto* to = node_by(next.by);
  if (to == nullptr)
    return;
  auto of = stream.session();
  if (what.must_ask)
    send(to->down, *to, stream.mark_beside(of, true),
         parcel<batch_to_node>{{of, libpool::resend{}}});
  if (what.must_repeat)
    resend(stream, to->down, *to);
}

void node_farm::tell_pool(connection by, const batch_to_pool& batch,
                          std::size_t bytes) {
  const auto& open = pool_.sessions().sessions();
  auto found = open.find(batch.session);
  const auto* alive = std::get_if<libpool::beat>(&batch.content);
  if (how_.resumes_what_has_ended && alive != nullptr && found == open.end()) {
    if (auto* to = node_by(by))
      send(to->down, *to, stream_mark{},
           parcel<batch_to_node>{{batch.session, *alive}});
    return;
  }
  if (how_.trusts_all_nodes && found != open.end())
    by = found->second.by;
  pool_.told(by, batch, bytes, now_);
  for (const auto& each : open)
    if (each.second.heard == now_)
      heard_[each.first] = listened_;
}

/// Whether the session is open at the pool, and was not cut.
bool node_farm::serves(session which) const {
  auto found = pool_.sessions().sessions().find(which);
  return found != pool_.sessions().sessions().end() && !found->second.is_cut;
}

/// Checks that the pool gets each result once, in the session of its task.
void node_farm::note_results(const batch_to_pool& batch) {
  const auto* done = std::get_if<libpool::tasks_done>(&batch.content);
  if (done == nullptr)
    return;
  for (const auto& each : done->ends) {
    auto& of = tries_.at(each.task);
    if (std::exchange(of.is_told, true))
      broken_ = "a result arrives twice";
    if (of.to != batch.session)
      broken_ = "a result arrives in another session";
  }
}

/// Lets the pool look at its clock. Checks that the pool has listened for a
/// lease before it gives up a node.
void node_farm::pool_ticks() {
  if (now_ < pool_.next_tick())
    return;
  std::vector<session> before;
  for (const auto& each : pool_.sessions().sessions())
    before.push_back(each.first);
  if (how_.does_not_listen)
    while (pool_.next_tick() <= now_)
      pool_.ticked(pool_.next_tick());
  else
    pool_.ticked(now_);
  for (auto each : before)
    if (pool_.sessions().sessions().count(each) == 0
        && listened_ - heard_[each] < lease - lease / 8)
      broken_ = "a node is given up although the pool has not listened to it";
  carry_out();
}

// -- messages to a node -------------------------------------------------------

void node_farm::node_hears(node& at, const under_way<batch_to_node>& next) {
  const auto& batch = next.what.batch;
  auto what = at.stream.note(batch.session, next.mark);
  if (must_handle(at.stream, next.mark, batch.session, what.is_next)) {
    if (next.what.is_repeated)
      resumed_.insert(batch.session);
    auto is_taken = at.machine->told(batch, next.what.bytes, now_);
    if (const auto* sent = std::get_if<libpool::tasks_sent>(&batch.content))
      if (is_taken)
        at.contents.insert(sent->tasks.begin(), sent->tasks.end());
    collect(at);
  }
  auto of = at.stream.session();
  if (what.must_ask)
    send(at.up, at, at.stream.mark_beside(of, true),
         parcel<batch_to_pool>{{of, libpool::resend{}}});
  if (what.must_repeat)
    resend(at.stream, at.up, at);
}

/// Sends the message batches of the node, and drops contents that it has
/// forgotten.
void node_farm::collect(node& at) {
  for (auto each : std::exchange(at.machine->forgotten(), {}))
    at.contents.erase(each);
  for (auto& each : std::exchange(at.machine->batches(), {})) {
    std::size_t bytes = 0;
    if (const auto* done = std::get_if<libpool::tasks_done>(&each.content))
      bytes = done->ends.size();
    send_on(at.stream, at.up, at,
            parcel<batch_to_pool>{std::move(each), bytes});
  }
}

// -- decisions ----------------------------------------------------------------

void node_farm::carry_out() {
  for (auto& each : std::exchange(pool_.decisions(), {})) {
    if (auto* batch = std::get_if<node_connections::deliver>(&each)) {
      deliver(*batch);
    } else if (const auto* in = std::get_if<node_connections::admit>(&each)) {
      windows_[in->session] = 0;
      ++seen_["sessions"];
    } else if (const auto* size =
                 std::get_if<node_connections::resize>(&each)) {
      if (auto found = windows_.find(size->session); found != windows_.end())
        found->second = size->window;
    } else if (const auto* out =
                 std::get_if<node_connections::dismiss>(&each)) {
      windows_.erase(out->session);
    } else if (const auto* told =
                 std::get_if<node_connections::release>(&each)) {
      release(*told);
    }
  }
}

/// Sends a message batch to a node, unless its program has ended.
void node_farm::deliver(node_connections::deliver& what) {
  auto& stream = streams_[what.to];
  if (std::holds_alternative<libpool::welcome>(what.batch.content))
    stream.enter(what.batch.session);
  std::size_t bytes = 0;
  if (const auto* sent = std::get_if<libpool::tasks_sent>(&what.batch.content))
    for (auto task : sent->tasks)
      bytes += tries_.at(task).bytes;
  if (auto* to = node_by(what.to))
    send_on(stream, to->down, *to,
            parcel<batch_to_node>{std::move(what.batch), bytes});
}

// -- tasks --------------------------------------------------------------------

/// Gives waiting tasks to nodes that want tasks.
void node_farm::place() {
  for (std::size_t i = 0; i < works_.size(); ++i) {
    if (!works_[i].is_with_pool || works_[i].outcomes > 0 || windows_.empty())
      continue;
    auto to = windows_.begin();
    std::advance(to, random_.below(windows_.size()));
    if (in_flight_[to->first] >= to->second)
      continue;
    number task{++attempts_};
    attempt made;
    made.of = i;
    made.to = to->first;
    made.bytes = random_.below(how_.largest + 1);
    tries_.emplace(task, made);
    auto waits = how_.retries > 0 && !how_.does_not_wait;
    if (!pool_.submitted(task, to->first, made.bytes, waits, now_)) {
      tries_.erase(task);
      continue;
    }
    works_[i].is_with_pool = false;
    ++in_flight_[to->first];
    carry_out();
  }
}

/// Lets the clients of some tasks at nodes stop waiting.
void node_farm::cancel_some() {
  for (auto& [task, each] : tries_) {
    auto& of = works_[each.of];
    if (!each.is_out || !of.is_wanted || !draw(how_.unwanted))
      continue;
    of.is_wanted = false;
    each.begins_no_more = each.begins_no_more || how_.takes_back_unasked;
    pool_.cancel(task, each.to, now_);
  }
  carry_out();
}

/// Takes a task back that has not begun. Another node may run it if a client
/// still waits.
void node_farm::come_back(attempt& last) {
  auto& of = works_[last.of];
  last.begins_no_more = true;
  if (of.is_wanted) {
    of.is_with_pool = !how_.loses_what_comes_back;
    return;
  }
  ++of.outcomes;
  ++seen_["cancelled"];
}

void node_farm::check_release(const attempt& of, node_connections::fate how) {
  using fate = node_connections::fate;
  if (how == fate::lost && hears_bye_)
    broken_ = "a task is lost although its node has said bye";
  if (how == fate::given_back && of.has_begun)
    broken_ = "a task is given back although it has begun";
  auto is_end = how == fate::completed || how == fate::crashed;
  auto expected = how == fate::completed ? libpool::ending::completed
                                         : libpool::ending::crashed;
  if (is_end && of.ended != expected)
    broken_ = "a task is reported as ended although it has not ended";
}

void node_farm::release(const node_connections::release& told) {
  auto found = tries_.find(told.task);
  if (found == tries_.end() || !found->second.is_out) {
    broken_ = "a task is released although no node has it";
    return;
  }
  check_release(found->second, told.how);
  found->second.is_out = false;
  --in_flight_[found->second.to];
  auto& of = works_[found->second.of];
  using fate = node_connections::fate;
  if (told.how == fate::completed) {
    ++of.outcomes;
    ++seen_["completed"];
  } else if (told.how == fate::given_back) {
    ++seen_["given back"];
    come_back(found->second);
  } else if (told.how == fate::unread) {
    ++seen_["unread"];
    come_back(found->second);
  } else {
    seen_["lost"] += told.how == fate::lost ? 1 : 0;
    found->second.begins_no_more = how_.retries > 0;
    if (++of.tries <= how_.retries) {
      of.is_with_pool = true;
    } else {
      ++of.outcomes;
      ++seen_["failed"];
    }
  }
}

void node_farm::begin_tasks(node& at) {
  auto when = how_.ignores_lease ? instant{} : now_;
  while (auto next = at.machine->start(when)) {
    if (at.contents.erase(*next) == 0)
      broken_ = "a task begins without its content";
    auto& begun = tries_.at(*next);
    if (begun.begins_no_more)
      broken_ = "a task begins although another node may run it";
    if (draw(how_.unread)) {
      at.machine->unreadable(*next, "unknown");
      continue;
    }
    begun.has_begun = true;
    ++works_[begun.of].runs;
    at.running.emplace(*next, now_ + draw_time(draw(6) ? lease : lease / 32));
  }
}

void node_farm::end_tasks(node& at) {
  for (auto i = at.running.begin(); i != at.running.end();) {
    if (now_ < i->second) {
      ++i;
      continue;
    }
    auto how = draw(9) ? libpool::ending::crashed : libpool::ending::completed;
    tries_.at(i->first).ended = how;
    at.machine->finished(i->first, how, 1, now_);
    i = at.running.erase(i);
  }
}

// -- what is wrong ------------------------------------------------------------

std::string node_farm::wrong() const {
  auto most_under_way = how_.largest <= credit / 2 ? credit
                                                   : credit / 2 + how_.largest;
  if (!broken_.empty())
    return broken_;
  for (const auto& each : works_) {
    if (each.outcomes > 1)
      return "a task has more than one outcome";
    if (each.runs > 1 + how_.retries)
      return "a task ran more often than allowed";
  }
  for (const auto& entry : windows_)
    if (pool_.under_way(entry.first) > most_under_way)
      return "too many bytes are in flight";
  for (const auto& each : nodes_)
    if (each.contents.size() != each.machine->waiting())
      return "a node does not have the contents of its waiting tasks";
  return {};
}

} // namespace test
