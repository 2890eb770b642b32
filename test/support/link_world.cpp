#include "support/link_world.hpp"

#include <algorithm>
#include <chrono>
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

using kind = link_step::kind;

constexpr auto quarter = link_setting::quarter;
constexpr auto most_connections = link_setting::most_connections;

link_step step(kind is, std::size_t node = 0, std::size_t task = 0,
               bool is_up = false) {
  return {is, static_cast<std::uint8_t>(node), static_cast<std::uint8_t>(task),
          is_up};
}

libpool::node_terms terms() {
  libpool::node_terms result;
  result.lease = 4 * quarter;
  result.portion = 1;
  return result;
}

libpool::node_offer offer() {
  libpool::node_offer result;
  result.portion = 1;
  return result;
}

template <class T>
T first_of(std::vector<T>& channel) {
  auto message = std::move(channel.front());
  channel.erase(channel.begin());
  return message;
}

std::uint64_t count(libpool::connection_number by) {
  return static_cast<std::uint64_t>(by);
}

} // namespace

link_world::node::node(libpool::incarnation run, connection with)
  : who(run), machine(run, offer()), by(with) {
  // nop
}

link_world::link_world(const link_setting& how) : how_(how), pool_(terms()) {
  for (std::size_t i = 0; i < how.nodes; ++i) {
    nodes_.push_back(next_program());
    nodes_.back().machine.came_up(now());
    collect(nodes_.back());
  }
}

/// Returns a new program of a node, with its own connection.
link_world::node link_world::next_program() {
  ++programs_;
  return {libpool::incarnation{programs_}, connection{programs_ - 1}};
}

instant link_world::now() const {
  return instant{} + (time_ + 1) * quarter;
}

/// Returns the fate of a task. Each attempt at a task has another number.
link_world::fate& link_world::fate_of(number task) {
  return fates_[static_cast<std::size_t>(task) % link_setting::most_tasks];
}

bool link_world::is_latest(number task) const {
  auto which = static_cast<std::size_t>(task);
  return fates_[which % link_setting::most_tasks].attempts
         == which / link_setting::most_tasks;
}

bool link_world::is_over(session which) const {
  return pool_.sessions().sessions().count(which) == 0;
}

/// Returns the session that the pool has for the node; 0 if there is none.
link_world::session link_world::session_of(const node& which) const {
  for (const auto& [mine, open] : pool_.sessions().sessions())
    if (open.by == which.by)
      return mine;
  return {};
}

// -- possible steps -----------------------------------------------------------

void link_world::list_steps(std::vector<link_step>& to) const {
  to.clear();
  list_assignments(to);
  for (std::size_t i = 0; i < how_.nodes; ++i) {
    list_steps_of(i, to);
    list_messages(i, to);
  }
  if (may_look())
    to.push_back(step(kind::tick_pool));
  if (time_ < how_.until)
    to.push_back(step(kind::pass));
}

void link_world::list_assignments(std::vector<link_step>& to) const {
  for (std::size_t i = 0; i < how_.tasks; ++i) {
    const auto& task = fates_[i];
    if (task.is_out && task.is_wanted && how_.unwanted > 0)
      to.push_back(step(kind::cancel, 0, i));
    if (task.is_out || task.outcomes > 0)
      continue;
    for (const auto& open : pool_.sessions().sessions())
      if (takes_tasks(open.first))
        to.push_back(
          step(kind::assign, static_cast<std::size_t>(open.first), i));
  }
}

/// Whether the node of the session serves, and, with `shares`, wants tasks.
bool link_world::takes_tasks(session which) const {
  auto wants = pool_.wants(which);
  return wants && (!how_.shares || wants->window > 0);
}

void link_world::list_steps_of(std::size_t at,
                               std::vector<link_step>& to) const {
  const auto& member = nodes_[at];
  if (!member.running.empty())
    to.push_back(step(kind::complete, at));
  else if (may_begin(member))
    to.push_back(step(kind::begin, at));
  if (member.is_whole && how_.cuts > 0)
    to.push_back(step(kind::cut, at));
  if (!member.is_whole && member.knows_up)
    to.push_back(step(kind::notice, at));
  if (!member.is_whole)
    to.push_back(step(kind::mend, at));
  if (member.is_whole && !member.knows_up)
    to.push_back(step(kind::connect, at));
  if (how_.forgeries > 0)
    for (std::size_t i = 0; i < 6; ++i)
      to.push_back(step(kind::forge, at, i));
  if (how_.expelled > 0 && pool_.wants(session_of(member)))
    to.push_back(step(kind::expel, at));
  if (how_.leaving > 0 && !member.is_leaving)
    to.push_back(step(kind::leave, at));
  if (how_.restarts > 0)
    to.push_back(step(kind::restart, at));
  if (now() >= member.machine.next_tick())
    to.push_back(step(kind::tick_node, at));
}

void link_world::list_messages(std::size_t at,
                               std::vector<link_step>& to) const {
  for (auto is_up : {false, true}) {
    const auto& member = nodes_[at];
    if (is_up ? member.up.empty() : member.down.empty())
      continue;
    to.push_back(step(kind::arrive, at, 0, is_up));
    if (how_.drops > 0)
      to.push_back(step(kind::drop, at, 0, is_up));
  }
}

/// Whether the pool may look at its clock. It may do so once in each quarter,
/// also before it must.
bool link_world::may_look() const {
  return looked_ != time_ && !pool_.sessions().sessions().empty();
}

bool link_world::may_begin(const node& at) const {
  return !at.queue.empty()
         && (how_.ignores_lease || at.machine.link().may_begin(now()));
}

bool link_world::must_come(const link_step& step) noexcept {
  switch (step.is) {
    case kind::assign:
    case kind::cancel:
    case kind::drop:
    case kind::cut:
    case kind::notice:
    case kind::forge:
    case kind::expel:
    case kind::leave:
    case kind::restart:
      return false;
    default:
      return true;
  }
}

// -- steps --------------------------------------------------------------------

bool link_world::take(const link_step& step) {
  auto& at = nodes_[step.is == kind::assign ? 0 : step.node];
  switch (step.is) {
    case kind::assign:
      assign(step.task, session{step.node});
      break;
    case kind::cancel:
      cancel(step.task);
      break;
    case kind::begin:
      begin(at);
      break;
    case kind::complete:
      complete(at);
      break;
    case kind::arrive:
      if (step.is_up)
        arrive_at_pool(at);
      else
        arrive_at_node(at);
      break;
    case kind::tick_node:
      at.machine.ticked(now());
      break;
    case kind::tick_pool:
      look();
      break;
    case kind::pass:
      ++time_;
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
    case kind::drop:
      --how_.drops;
      if (step.is_up)
        at.up.erase(at.up.begin());
      else
        at.down.erase(at.down.begin());
      break;
    case kind::cut:
      cut(at);
      break;
    case kind::notice:
      at.knows_up = false;
      at.machine.went_down();
      break;
    case kind::mend:
      at.is_whole = true;
      break;
    case kind::connect:
      at.knows_up = true;
      at.machine.came_up(now());
      break;
    case kind::forge:
      forge(step.node, step.task);
      break;
    case kind::expel:
      --how_.expelled;
      pool_.expelled(session_of(at));
      break;
    case kind::leave:
      --how_.leaving;
      at.is_leaving = true;
      at.machine.leave();
      break;
    default:
      restart(step.node);
  }
}

void link_world::settle_steps() {
  carry_out();
  for (auto& each : nodes_)
    collect(each);
}

void link_world::look() {
  pool_.ticked(now());
  looked_ = time_;
  due_ = now() + quarter;
}

/// Sends a task to a node. Retries wait for the lease, unless `does_not_wait`
/// is set.
void link_world::assign(std::size_t task, session to) {
  auto& mine = fates_[task];
  ++mine.attempts;
  mine.is = place::way_there;
  mine.at = to;
  mine.is_out = true;
  mine.has_begun = mine.begins_no_more = false;
  number sent{mine.attempts * link_setting::most_tasks + task};
  if (!pool_.submitted(sent, to, 0, how_.retries > 0 && !how_.does_not_wait,
                       now()))
    broken_ = "a task is not sent although its node serves";
}

void link_world::cancel(std::size_t task) {
  --how_.unwanted;
  auto& mine = fates_[task];
  mine.is_wanted = false;
  number sent{mine.attempts * link_setting::most_tasks + task};
  pool_.unwanted(sent, mine.at, now());
  pool_.flush(now());
}

void link_world::begin(node& at) {
  auto task = at.machine.start(how_.ignores_lease ? instant{} : now());
  if (!task)
    return;
  if (at.queue.empty() || at.queue.front() != *task)
    broken_ = "a task begins out of order";
  else
    at.queue.erase(at.queue.begin());
  at.running.push_back(*task);
  auto& begun = fate_of(*task);
  ++begun.runs;
  if (is_over(*at.machine.link().session()))
    broken_ = "a node that was given up begins a task";
  else if (!is_latest(*task) || begun.begins_no_more)
    broken_ = "a task begins although another node may run it";
  if (!is_latest(*task) || !begun.is_out)
    return;
  if (begun.is != place::queue)
    broken_ = "a task begins although it is not in a queue";
  begun.is = place::handler;
  begun.has_begun = true;
}

/// Ends a handler by a crash, so that the node measures no service time.
void link_world::complete(node& at) {
  auto task = at.running.front();
  at.running.erase(at.running.begin());
  at.machine.finished(task, libpool::ending::crashed, 0, now());
  auto& ended = fate_of(task);
  if (is_latest(task) && ended.is_out)
    ended.is = place::way_back;
}

void link_world::cut(node& at) {
  --how_.cuts;
  at.is_whole = false;
  at.up.clear();
  at.down.clear();
}

void link_world::restart(std::size_t which) {
  --how_.restarts;
  nodes_[which] = next_program();
  nodes_[which].machine.came_up(now());
}

/// Lets a node send a message in the session of the other node, which may have
/// ended. The message is sent beside the stream, since a stream does not accept
/// messages of another session.
void link_world::forge(std::size_t by, std::size_t what) {
  --how_.forgeries;
  const auto& victim = nodes_[1 - by];
  auto of = victim.machine.link().session().value_or(session{});
  number task{fates_[0].attempts * link_setting::most_tasks};
  auto say = [&](auto message) {
    nodes_[by].up.push_back(
      {stream_mark{}, batch_to_pool{of, std::move(message)}});
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
      pool_.told(connection{most_connections - 1},
                 {{}, libpool::hello{victim.who, victim.hellos + 1}}, 0, now());
  }
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

template <class Batch>
void link_world::send(stream_end<Batch>& end, channel<Batch>& by, bool is_whole,
                      Batch batch, bool is_kept) {
  auto before = end.stream.session();
  auto mark = is_kept ? end.stream.add(batch.session, batch)
                      : end.stream.mark_beside(batch.session, false);
  if (end.stream.session() != before)
    end.has_asked = false;
  if (is_whole)
    by.push_back({mark, std::move(batch)});
}

template <class Batch>
void link_world::ask_or_repeat(stream_end<Batch>& end, channel<Batch>& by,
                               bool is_whole, bool asks, bool repeats) {
  if (!is_whole)
    return;
  auto of = end.stream.session();
  if (asks)
    by.push_back(
      {end.stream.mark_beside(of, true), Batch{of, libpool::resend{}}});
  if (repeats)
    end.stream.stream().repeat([&](const stream_mark& mark, const Batch& kept) {
      by.push_back({mark, kept});
    });
}

// -- messages to the pool -----------------------------------------------------

void link_world::arrive_at_pool(node& from) {
  auto [mark, batch] = first_of(from.up);
  auto what = note(from.of_pool, batch.session, mark);
  if (what.is_next)
    tell_pool(from, std::move(batch));
  carry_out();
  ask_or_repeat(from.of_pool, from.down, from.is_whole, what.must_ask,
                what.must_repeat);
}

void link_world::tell_pool(node& from, batch_to_pool batch) {
  const auto& open = pool_.sessions().sessions();
  auto found = open.find(batch.session);
  auto by = from.by;
  if (std::holds_alternative<libpool::beat>(batch.content)
      && how_.resumes_what_has_ended && found == open.end()) {
    send(from.of_pool, from.down, from.is_whole,
         batch_to_node{batch.session, std::get<libpool::beat>(batch.content)},
         false);
    return;
  }
  if (auto* wants = std::get_if<libpool::demand>(&batch.content))
    wants->service = 1h;
  if (const auto* given = std::get_if<libpool::given_back>(&batch.content))
    if (given->was_asked && found != open.end() && found->second.by == by)
      from.was_asked = false;
  if (how_.forgets_nodes
      && std::holds_alternative<libpool::hello>(batch.content))
    by = connection{most_connections * (from.hellos + 1) + count(by)};
  else if ((how_.trusts_all_nodes || how_.forgets_nodes) && found != open.end())
    by = found->second.by;
  pool_.told(by, batch, 0, now());
}

// -- messages to a node -------------------------------------------------------

void link_world::arrive_at_node(node& at) {
  auto [mark, batch] = first_of(at.down);
  const auto* sent = std::get_if<libpool::tasks_sent>(&batch.content);
  if (sent != nullptr && served_.count(batch.session) == 0)
    broken_ = "a node that has not begun to serve is sent a task";
  if (auto* in = std::get_if<libpool::welcome>(&batch.content))
    in->lease += how_.longer * quarter;
  auto what = note(at.own, batch.session, mark);
  if (what.is_next) {
    auto is_taken = at.machine.told(batch, 0, now());
    if (sent != nullptr && is_taken)
      note_sent(at, *sent);
    collect(at);
  }
  ask_or_repeat(at.own, at.up, at.is_whole, what.must_ask, what.must_repeat);
}

void link_world::note_sent(node& at, const libpool::tasks_sent& sent) {
  for (auto each : sent.tasks) {
    at.queue.push_back(each);
    auto& task = fate_of(each);
    if (!is_latest(each) || !task.is_out)
      continue;
    if (task.is != place::way_there)
      broken_ = "a task arrives although it is not in flight";
    task.is = place::queue;
  }
}

/// Sends the message batches of the node, and updates the copy of its queue.
void link_world::collect(node& from) {
  if (from.machine.has_to_flush())
    from.machine.flush();
  for (auto each : std::exchange(from.machine.forgotten(), {})) {
    auto found = std::find(from.queue.begin(), from.queue.end(), each);
    if (found == from.queue.end())
      broken_ = "a node forgets a task that it does not have";
    else
      from.queue.erase(found);
    if (is_latest(each) && fate_of(each).is_out)
      fate_of(each).is = place::way_back;
  }
  if (auto serves = from.machine.link().session())
    served_.insert(*serves);
  for (auto& each : std::exchange(from.machine.batches(), {})) {
    if (const auto* said = std::get_if<libpool::hello>(&each.content)) {
      from.hellos = said->attempt;
      from.said_hello = now();
    }
    if (std::holds_alternative<libpool::demand>(each.content) && !how_.shares)
      continue;
    auto is_bye = std::holds_alternative<libpool::bye>(each.content);
    auto is_kept = !is_beside_stream(each) && !(is_bye && how_.says_bye_once);
    send(from.own, from.up, from.is_whole, std::move(each), is_kept);
  }
}

// -- decisions ----------------------------------------------------------------

void link_world::carry_out() {
  for (const auto& each : std::exchange(pool_.decisions(), {}))
    if (const auto* batch = std::get_if<node_connections::deliver>(&each))
      deliver(*batch);
    else if (const auto* told = std::get_if<node_connections::release>(&each))
      release(*told);
}

void link_world::deliver(const node_connections::deliver& what) {
  auto& to = node_by(what.to);
  auto in = std::holds_alternative<libpool::welcome>(what.batch.content);
  if (what.to != to.by && !how_.forgets_nodes)
    return; // the program has ended
  if (in) {
    sessions_ = static_cast<std::uint64_t>(what.batch.session);
    if (pool_.sessions().sessions().size() == 1)
      due_ = now() + quarter; // the pool had no sessions before
    to.of_pool.stream.enter(what.batch.session);
    to.of_pool.has_asked = to.was_asked = false;
  }
  if (std::holds_alternative<libpool::ask_back>(what.batch.content))
    to.was_asked = true;
  send(to.of_pool, to.down, to.is_whole, what.batch,
       !is_beside_stream(what.batch));
  if (in && how_.admits_at_once)
    pool_.told(
      what.to,
      batch_to_pool{what.batch.session, libpool::ready{what.batch.session}}, 0,
      now());
}

link_world::node& link_world::node_by(connection by) {
  auto with = count(by) % most_connections;
  for (auto& each : nodes_)
    if (count(each.by) == with)
      return each;
  return nodes_[0]; // the program has ended
}

void link_world::release(const node_connections::release& what) {
  auto& of = fate_of(what.task);
  if (!is_latest(what.task) || !of.is_out) {
    broken_ = "a task is released although no node has it";
    return;
  }
  using how = node_connections::fate;
  check_release(of, what.how);
  of.is_out = false;
  of.is = place::pool;
  if (what.how == how::given_back || what.how == how::unread)
    come_back(of);
  else if (what.how == how::lost)
    lose(of);
  else
    ++of.outcomes;
}

void link_world::check_release(const fate& of, node_connections::fate how) {
  using fates = node_connections::fate;
  auto is_back = how == fates::given_back || how == fates::unread;
  auto is_end = how == fates::completed || how == fates::crashed;
  if (is_back && of.has_begun)
    broken_ = "a task is given back although it has begun";
  if (is_end && !(of.has_begun && of.is == place::way_back))
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
  of.begins_no_more = how_.retries > 0;
  of.outcomes += ++of.losses > how_.retries ? 1U : 0U;
}

bool link_world::has_room() const noexcept {
  return std::all_of(nodes_.begin(), nodes_.end(), [this](const node& each) {
    return each.up.size() <= how_.room && each.down.size() <= how_.room;
  });
}

} // namespace test
