#include "libpool/nodes/protocol/node_connections.hpp"

#include "libpool/nodes/protocol/travelling.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <iterator>
#include <type_traits>
#include <utility>

namespace libpool {

namespace {

/// Whether the message is about sessions and leases.
template <class Message>
constexpr bool is_of_link =
  std::is_same_v<
    Message,
    hello> || std::is_same_v<Message, ready> || std::is_same_v<Message, beat> || std::is_same_v<Message, bye>;

/// How the tasks of a session end when this message ends the session. A node
/// that says bye has no tasks left. Tasks that are still in flight to it have
/// not begun, and will not begin.
template <class Message>
constexpr auto fate_at_end = std::is_same_v<Message, bye>
                               ? node_connections::fate::given_back
                               : node_connections::fate::lost;

/// Limits a time that a node reports to the range from zero to one hour.
duration sensible(duration told) noexcept {
  return std::clamp(told, duration{0}, duration{std::chrono::hours{1}});
}

} // namespace

// -- facts --------------------------------------------------------------------

void node_connections::told(connection_number by, const batch_to_pool& batch,
                            std::size_t bytes, instant now) {
  std::visit(
    [&](const auto& message) {
      if constexpr (is_of_link<std::decay_t<decltype(message)>>) {
        sessions_.told(by, message, now);
        carry_out_sessions(fate_at_end<std::decay_t<decltype(message)>>);
        if constexpr (std::is_same_v<std::decay_t<decltype(message)>, beat>)
          look_at(by, message.session, now);
      } else if (sessions_.heard(by, batch.session, now)
                 && nodes_.count(batch.session) > 0) {
        take(batch.session, message, now);
        receive(batch.session, bytes);
      } else {
        ++strays_;
      }
    },
    batch.content);
}

void node_connections::ticked(instant now) {
  sessions_.ticked(now);
  carry_out_sessions();
}

bool node_connections::submitted(task_number task, worker_number to,
                                 std::size_t bytes, bool may_run_again,
                                 instant now) {
  auto found = nodes_.find(to);
  if (found == nodes_.end())
    return false;
  auto& at = found->second;
  at.out.push_back({task, bytes, may_run_again});
  at.bytes_out += bytes;
  at.bytes.add(1, bytes);
  ship_if_due(found, now);
  if (!at.out.empty())
    flush_later(found, std::max(now, ready_at(to, at)));
  return true;
}

void node_connections::unwanted(task_number task, worker_number at,
                                instant now) {
  auto found = nodes_.find(at);
  if (found == nodes_.end() || take_back_unsent(found->second, task))
    return;
  found->second.unwanted.push_back(task);
  flush_later(found, now);
}

void node_connections::recalled(task_number task, worker_number at,
                                instant now) {
  auto found = nodes_.find(at);
  if (found == nodes_.end() || take_back_unsent(found->second, task))
    return;
  found->second.recalled.push_back(task);
  flush_later(found, now);
}

void node_connections::asked_begun(task_number task, worker_number at,
                                   instant now) {
  auto sent = sent_.find(at);
  auto found = nodes_.find(at);
  if (found == nodes_.end() || sent->second.count(task) == 0)
    return; // waits to be sent
  found->second.asked.push_back(task);
  flush_later(found, now);
}

/// Gives the task back if it waits to be sent. Returns whether it does.
bool node_connections::take_back_unsent(node& at, task_number task) {
  auto is_it = [task](const parcel& each) { return each.task == task; };
  auto unsent = std::find_if(at.out.begin(), at.out.end(), is_it);
  if (unsent == at.out.end())
    return false;
  at.bytes_out -= unsent->bytes;
  at.out.erase(unsent);
  decisions_.emplace_back(release{task, fate::given_back});
  return true;
}

void node_connections::paused(worker_number session, bool is) noexcept {
  if (auto found = nodes_.find(session); found != nodes_.end())
    found->second.is_paused = is;
}

void node_connections::expelled(worker_number session) {
  sessions_.expelled(session);
  carry_out_sessions();
}

// -- batches ------------------------------------------------------------------

void node_connections::take(worker_number from, const tasks_done& done,
                            instant now) {
  for (const auto& end : done.ends)
    if (!take_back(from, end.task,
                   end.how == ending::completed ? fate::completed
                                                : fate::crashed))
      ++strays_;
  auto found = nodes_.find(from);
  auto& at = found->second;
  at.has_told = true;
  at.silent_since = now;
  ship_if_due(found, now);
  if (!at.out.empty())
    flush_later(found, now);
  rank(found, now);
  if (in_flight(from) == 0)
    have_shared(from, now);
}

void node_connections::take(worker_number from, const given_back& given,
                            instant now) {
  auto found = nodes_.find(from);
  if (given.was_asked)
    found->second.was_asked = false;
  for (auto each : given.tasks)
    take_back(from, each, fate::given_back);
  rank(found, now);
}

void node_connections::take(worker_number from, const demand& wanted,
                            instant now) {
  auto found = nodes_.find(from);
  auto& at = found->second;
  at.wants = wanted;
  at.wants.window = std::min(wanted.window, how_.most_in_flight);
  at.wants.service = sensible(wanted.service);
  at.wants.round_trip = sensible(wanted.round_trip);
  decisions_.emplace_back(resize{from, at.wants.window});
  rank(found, now);
}

void node_connections::take(worker_number from, const receipt& confirmed,
                            instant now) {
  auto found = nodes_.find(from);
  found->second.credit.confirmed(confirmed.bytes);
  found->second.rate.confirmed(confirmed.bytes, now);
  ship(found, now);
}

void node_connections::take(worker_number from, const unread& refused,
                            instant now) {
  take_back(from, refused.task, fate::unread);
  rank(nodes_.find(from), now);
  if (in_flight(from) == 0)
    have_shared(from, now);
}

void node_connections::take(worker_number from, const begun& told,
                            instant now) {
  const auto& sent = sent_.find(from)->second;
  for (const auto& each : told.tasks)
    if (sent.count(each.task) > 0)
      decisions_.emplace_back(
        start{each.task,
              now - std::clamp(each.ran, duration{0}, now.time_since_epoch())});
    else
      ++strays_;
}

/// Notes that bytes of contents have arrived from the node.
void node_connections::receive(worker_number from, std::size_t bytes) {
  auto found = nodes_.find(from);
  if (found == nodes_.end())
    return;
  auto& at = found->second;
  if (auto total = at.receipts.received(bytes))
    decisions_.emplace_back(
      deliver{at.by, batch_to_node{from, receipt{*total}}});
}

// -- sessions -----------------------------------------------------------------

void node_connections::carry_out_sessions(fate at_end) {
  for (const auto& each : std::exchange(sessions_.decisions(), {})) {
    if (const auto* sent = std::get_if<node_sessions::send>(&each)) {
      std::visit(
        [&](const auto& message) {
          decisions_.emplace_back(
            deliver{sent->to, batch_to_node{message.session, message}});
        },
        sent->message);
    } else if (const auto* in = std::get_if<node_sessions::admit>(&each)) {
      let_in(in->session);
    } else if (const auto* gone = std::get_if<node_sessions::cut>(&each)) {
      let_out(gone->session, true);
      lose_tasks(gone->session, false, fate::lost);
    } else if (const auto* over = std::get_if<node_sessions::end>(&each)) {
      let_out(over->session, at_end == fate::lost);
      lose_tasks(over->session, true, at_end);
      sent_.erase(over->session);
    }
  }
}

void node_connections::let_in(worker_number session) {
  auto by = sessions_.sessions().find(session)->second.by;
  nodes_.emplace(session, node{by, how_.credit});
  sent_.emplace(session, sent_tasks{});
  decisions_.emplace_back(admit{session, by});
}

/// Removes a node that gets no more tasks. Tasks that were never sent to it are
/// given back.
void node_connections::let_out(worker_number session, bool is_lost) {
  auto found = nodes_.find(session);
  if (found == nodes_.end())
    return;
  auto unsent = std::move(found->second.out);
  by_work_.erase({found->second.ahead, session});
  nodes_.erase(found);
  decisions_.emplace_back(dismiss{session, is_lost});
  for (const auto& each : unsent)
    decisions_.emplace_back(release{each.task, fate::given_back});
}

// -- tasks --------------------------------------------------------------------

/// Releases a task. Returns false if the node does not have the task.
bool node_connections::take_back(worker_number from, task_number task,
                                 fate how) {
  if (sent_.find(from)->second.erase(task) == 0)
    return false;
  decisions_.emplace_back(release{task, how});
  return true;
}

/// Releases all tasks of a node, or only those that may not be retried.
void node_connections::lose_tasks(worker_number session, bool all, fate how) {
  auto found = sent_.find(session);
  if (found == sent_.end())
    return;
  auto& tasks = found->second;
  for (auto i = tasks.begin(); i != tasks.end();) {
    auto [task, may_run_again] = *i;
    i = all || !may_run_again ? tasks.erase(i) : std::next(i);
    if (all || !may_run_again)
      decisions_.emplace_back(release{task, how});
  }
}

/// Returns from when on the next tasks may be sent to the node: at once if it
/// has a free slot or has reported results after the last tasks, otherwise a
/// round trip after them.
instant node_connections::ready_at(worker_number session,
                                   const node& at) const noexcept {
  auto is_free = in_flight(session) < std::min(at.wants.slots, how_.portion);
  return is_free || at.has_told
           ? instant{}
           : later(at.shipped, time_of_batch(at.wants.round_trip));
}

void node_connections::flush_later(node_iterator to, instant at) {
  to_flush_.insert(to->first);
  flush_at_ = std::min(flush_at_, at);
}

/// Sends the waiting tasks if they fill a message batch, or if the node has no
/// tasks.
void node_connections::ship_if_due(node_iterator to, instant now) {
  const auto& at = to->second;
  if (at.out.size() >= how_.portion || at.bytes_out >= bytes_of_full_batch
      || in_flight(to->first) == 0)
    ship(to, now);
}

void node_connections::ship(node_iterator to, instant now) {
  auto& [session, at] = *to;
  if (in_flight(session) == 0)
    at.silent_since = now;
  if (!at.out.empty())
    at.pause = at.beats_to_wait = 0;
  while (!at.out.empty() && at.credit.allows(at.out.front().bytes)) {
    tasks_sent portion;
    std::size_t bytes = 0;
    while (!at.out.empty() && portion.tasks.size() < how_.portion
           && fits(bytes, at.out.front().bytes)
           && at.credit.allows(at.out.front().bytes)) {
      auto next = at.out.front();
      at.out.pop_front();
      at.bytes_out -= next.bytes;
      at.credit.sent(next.bytes);
      bytes += next.bytes;
      sent_[session].emplace(next.task, next.may_run_again);
      portion.tasks.push_back(next.task);
    }
    at.rate.sent(bytes, now);
    at.has_told = false;
    at.shipped = now;
    decisions_.emplace_back(
      deliver{at.by, batch_to_node{session, std::move(portion)}});
  }
  rank(to, now);
}

void node_connections::tell_unwanted(node_iterator to) {
  auto& [session, at] = *to;
  if (!at.recalled.empty())
    decisions_.emplace_back(deliver{
      at.by, batch_to_node{session, forget{std::exchange(at.recalled, {})}}});
  if (!at.unwanted.empty())
    decisions_.emplace_back(deliver{
      at.by,
      batch_to_node{session, stop_tasks{std::exchange(at.unwanted, {})}}});
  if (!at.asked.empty())
    decisions_.emplace_back(deliver{
      at.by, batch_to_node{session, ask_begun{std::exchange(at.asked, {})}}});
}

void node_connections::flush(instant now) {
  flush_at_ = never;
  for (auto session : std::exchange(to_flush_, {}))
    if (auto found = nodes_.find(session); found != nodes_.end()) {
      ship(found, now);
      tell_unwanted(found);
    }
}

// -- sharing ------------------------------------------------------------------

/// Returns the expected service time of a handler. A handler that has run for
/// longer than the mean is expected to run for the same time again.
duration node_connections::service_of(const node& at, instant now) noexcept {
  return std::max(at.wants.service, sensible(now - at.silent_since));
}

/// Returns how long the last task of the node waits there; zero if the task
/// cannot start earlier at another node, because of the way back to the pool
/// and to that node.
duration node_connections::work_to_share(worker_number session, const node& at,
                                         instant now) const noexcept {
  auto has = in_flight(session);
  if (at.was_asked || has <= at.wants.slots)
    return duration{0};
  auto slots = std::max(at.wants.slots, std::size_t{1});
  auto rounds = (has - at.wants.slots + slots - 1) / slots;
  auto waits = service_of(at, now) * static_cast<duration::rep>(rounds);
  return waits > 2 * at.wants.round_trip ? waits : duration{0};
}

/// Updates the place of the node in `by_work_`.
void node_connections::rank(node_iterator which, instant now) {
  auto& [session, at] = *which;
  auto ahead = work_to_share(session, at, now);
  if (ahead == at.ahead)
    return;
  by_work_.erase({at.ahead, session});
  at.ahead = ahead;
  if (ahead > duration{0})
    by_work_.insert({ahead, session});
}

/// Returns how many of the victim's tasks the thief must get so that both nodes
/// finish at the same time. The thief has no tasks. The time that tasks take
/// back to the pool and to the thief counts, and the time to transfer their
/// contents.
std::size_t node_connections::share_for(const node& thief, worker_number victim,
                                        const node& at,
                                        instant now) const noexcept {
  auto known = thief.wants.service > duration{0};
  auto time = [](duration service, const node& of) {
    return static_cast<double>(service.count())
           / static_cast<double>(std::max(of.wants.slots, std::size_t{1}));
  };
  auto service = service_of(at, now);
  auto there = time(service, at);
  auto here = time(known ? thief.wants.service : service, thief);
  auto moved =
    static_cast<double>(thief.rate.time_for(at.bytes.value()).count());
  auto way = at.wants.round_trip + thief.wants.round_trip / 2;
  auto ahead = in_flight(victim) - at.wants.slots;
  auto share =
    (static_cast<double>(ahead + 1) * there - static_cast<double>(way.count()))
    / (there + here + moved);
  return std::min(static_cast<std::size_t>(std::llround(std::max(share, 0.0))),
                  ahead);
}

/// Asks the node with the most work to give back some of its tasks, because the
/// node `thief` has no tasks.
bool node_connections::have_shared(worker_number thief, instant now) {
  if (!how_.shares || by_work_.empty() || nodes_.find(thief)->second.is_paused)
    return false;
  auto most = nodes_.find(by_work_.begin()->session);
  assert(most != nodes_.end());
  auto& [session, at] = *most;
  auto share = share_for(nodes_.find(thief)->second, session, at, now);
  if (share == 0)
    return false;
  at.was_asked = true;
  rank(most, now);
  decisions_.emplace_back(
    deliver{at.by, batch_to_node{session, ask_back{share}}});
  return true;
}

/// Looks at a node with each beat. Its handlers may run for longer than
/// expected, or the node may have become idle before another node had tasks to
/// share.
void node_connections::look_at(connection_number by, worker_number session,
                               instant now) {
  auto found = nodes_.find(session);
  if (found == nodes_.end() || found->second.by != by)
    return;
  auto& at = found->second;
  rank(found, now);
  if (sessions_.sessions().at(session).heard != now) // hears no answers
    return;
  if (at.beats_to_wait > 0) {
    --at.beats_to_wait;
  } else if (in_flight(session) == 0 && at.wants.window > 0
             && have_shared(session, now)) {
    constexpr unsigned most_pause = 15;
    at.pause = std::min(2 * at.pause + 1, most_pause);
    at.beats_to_wait = at.pause;
  }
}

// -- questions ----------------------------------------------------------------

double node_connections::bandwidth(worker_number session) const noexcept {
  constexpr auto nanoseconds = 1e9;
  auto found = nodes_.find(session);
  return found == nodes_.end() ? 0 : found->second.rate.value() * nanoseconds;
}

std::size_t node_connections::in_flight(worker_number session) const noexcept {
  auto found = sent_.find(session);
  return found == sent_.end() ? 0 : found->second.size();
}

std::optional<demand>
node_connections::wants(worker_number session) const noexcept {
  auto found = nodes_.find(session);
  return found == nodes_.end() ? std::nullopt
                               : std::optional{found->second.wants};
}

std::uint64_t
node_connections::under_way(worker_number session) const noexcept {
  auto found = nodes_.find(session);
  return found == nodes_.end() ? 0 : found->second.credit.under_way();
}

} // namespace libpool
