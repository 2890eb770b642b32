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

void node_connections::told(connection_number number,
                            const batch_to_pool& batch, std::size_t bytes,
                            instant now) {
  std::visit(
    [&](const auto& message) {
      if constexpr (is_of_link<std::decay_t<decltype(message)>>) {
        sessions_.told(number, message, now);
        carry_out_sessions(fate_at_end<std::decay_t<decltype(message)>>);
        if constexpr (std::is_same_v<std::decay_t<decltype(message)>, beat>)
          look_at(number, message.session, now);
      } else if (sessions_.heard(number, batch.session, now)
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

bool node_connections::submitted(task_number task, worker_number number,
                                 std::size_t bytes, bool may_run_again,
                                 instant now) {
  auto found = nodes_.find(number);
  if (found == nodes_.end())
    return false;
  auto& peer = found->second;
  peer.out.push_back({task, bytes, may_run_again});
  peer.bytes_out += bytes;
  peer.bytes.add(1, bytes);
  ship_if_due(found, now);
  if (!peer.out.empty())
    flush_later(found, std::max(now, ready_at(number, peer)));
  return true;
}

void node_connections::cancel(task_number task, worker_number number,
                              instant now) {
  auto found = nodes_.find(number);
  if (found == nodes_.end() || take_back_unsent(found->second, task))
    return;
  found->second.cancelled.push_back(task);
  flush_later(found, now);
}

void node_connections::recalled(task_number task, worker_number number,
                                instant now) {
  auto found = nodes_.find(number);
  if (found == nodes_.end() || take_back_unsent(found->second, task))
    return;
  found->second.recalled.push_back(task);
  flush_later(found, now);
}

void node_connections::asked_begun(task_number task, worker_number number,
                                   instant now) {
  auto sent = sent_.find(number);
  auto found = nodes_.find(number);
  if (found == nodes_.end() || sent->second.count(task) == 0)
    return; // waits to be sent
  found->second.asked.push_back(task);
  flush_later(found, now);
}

/// Gives the task back if it waits to be sent. Returns whether it does.
bool node_connections::take_back_unsent(node& peer, task_number task) {
  auto is_it = [task](const parcel& each) { return each.task == task; };
  auto unsent = std::find_if(peer.out.begin(), peer.out.end(), is_it);
  if (unsent == peer.out.end())
    return false;
  peer.bytes_out -= unsent->bytes;
  peer.out.erase(unsent);
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

void node_connections::take(worker_number number, const tasks_done& done,
                            instant now) {
  for (const auto& end : done.ends)
    if (!take_back(number, end.task,
                   end.how == ending::completed ? fate::completed
                                                : fate::crashed))
      ++strays_;
  auto found = nodes_.find(number);
  auto& peer = found->second;
  peer.has_told = true;
  peer.silent_since = now;
  ship_if_due(found, now);
  if (!peer.out.empty())
    flush_later(found, std::max(now, ready_at(number, peer)));
  rank(found, now);
  if (in_flight(number) == 0)
    have_shared(number, now);
}

void node_connections::take(worker_number number, const given_back& given,
                            instant now) {
  auto found = nodes_.find(number);
  if (given.was_asked)
    found->second.was_asked = false;
  for (auto each : given.tasks)
    take_back(number, each, fate::given_back);
  rank(found, now);
}

void node_connections::take(worker_number number, const demand& wanted,
                            instant now) {
  auto found = nodes_.find(number);
  auto& peer = found->second;
  peer.wants = wanted;
  peer.wants.window = std::min(wanted.window, how_.most_in_flight);
  peer.wants.service = sensible(wanted.service);
  peer.wants.round_trip = sensible(wanted.round_trip);
  decisions_.emplace_back(resize{number, peer.wants.window});
  rank(found, now);
}

void node_connections::take(worker_number number, const receipt& confirmed,
                            instant now) {
  auto found = nodes_.find(number);
  found->second.credit.confirmed(confirmed.bytes);
  found->second.rate.confirmed(confirmed.bytes, now);
  ship(found, now);
}

void node_connections::take(worker_number number, const unread& refused,
                            instant now) {
  take_back(number, refused.task, fate::unread);
  rank(nodes_.find(number), now);
  if (in_flight(number) == 0)
    have_shared(number, now);
}

void node_connections::take(worker_number number, const begun& told,
                            instant now) {
  const auto& sent = sent_.find(number)->second;
  for (const auto& each : told.tasks)
    if (sent.count(each.task) > 0)
      decisions_.emplace_back(
        start{each.task,
              now - std::clamp(each.ran, duration{0}, now.time_since_epoch())});
    else
      ++strays_;
}

/// Notes that bytes of contents have arrived from the node.
void node_connections::receive(worker_number number, std::size_t bytes) {
  auto found = nodes_.find(number);
  if (found == nodes_.end())
    return;
  auto& peer = found->second;
  if (auto total = peer.receipts.received(bytes))
    decisions_.emplace_back(
      deliver{peer.by, batch_to_node{number, receipt{*total}}});
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
  auto number = sessions_.sessions().find(session)->second.by;
  nodes_.emplace(session, node{number, how_.credit});
  sent_.emplace(session, sent_tasks{});
  decisions_.emplace_back(admit{session, number});
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
bool node_connections::take_back(worker_number number, task_number task,
                                 fate outcome) {
  if (sent_.find(number)->second.erase(task) == 0)
    return false;
  decisions_.emplace_back(release{task, outcome});
  return true;
}

/// Releases all tasks of a node, or only those that may not be retried.
void node_connections::lose_tasks(worker_number session, bool all,
                                  fate outcome) {
  auto found = sent_.find(session);
  if (found == sent_.end())
    return;
  auto& tasks = found->second;
  for (auto i = tasks.begin(); i != tasks.end();) {
    auto [task, may_run_again] = *i;
    i = all || !may_run_again ? tasks.erase(i) : std::next(i);
    if (all || !may_run_again)
      decisions_.emplace_back(release{task, outcome});
  }
}

/// Returns from when on the next tasks may be sent to the node: at once if it
/// has a free slot, or if it has less than a full batch and has reported
/// results after the last tasks; otherwise `longest_wait` after them.
instant node_connections::ready_at(worker_number session,
                                   const node& peer) const noexcept {
  auto has = in_flight(session);
  auto is_free = has < std::min(peer.wants.slots, how_.portion);
  return is_free || (peer.has_told && has < how_.portion)
           ? instant{}
           : later(peer.shipped, longest_wait);
}

void node_connections::flush_later(node_iterator entry, instant time) {
  to_flush_.insert(entry->first);
  flush_at_ = std::min(flush_at_, time);
}

/// Sends the waiting tasks if they fill a message batch, or if the node has no
/// tasks.
void node_connections::ship_if_due(node_iterator entry, instant now) {
  const auto& place = entry->second;
  if (place.out.size() >= how_.portion || place.bytes_out >= bytes_of_full_batch
      || in_flight(entry->first) == 0)
    ship(entry, now);
}

void node_connections::ship(node_iterator entry, instant now) {
  auto& [session, at] = *entry;
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
  rank(entry, now);
}

void node_connections::tell_cancelled(node_iterator entry) {
  auto& [session, at] = *entry;
  if (!at.recalled.empty())
    decisions_.emplace_back(deliver{
      at.by,
      batch_to_node{session, take_back_tasks{std::exchange(at.recalled, {})}}});
  if (!at.cancelled.empty())
    decisions_.emplace_back(deliver{
      at.by,
      batch_to_node{session, cancel_tasks{std::exchange(at.cancelled, {})}}});
  if (!at.asked.empty())
    decisions_.emplace_back(deliver{
      at.by, batch_to_node{session, ask_begun{std::exchange(at.asked, {})}}});
}

void node_connections::flush(instant now) {
  flush_at_ = never;
  for (auto session : std::exchange(to_flush_, {}))
    if (auto found = nodes_.find(session); found != nodes_.end()) {
      ship(found, now);
      tell_cancelled(found);
    }
}

// -- sharing ------------------------------------------------------------------

/// Returns the expected service time of a handler. A handler that has run for
/// longer than the mean is expected to run for the same time again.
duration node_connections::service_of(const node& node, instant now) noexcept {
  return std::max(node.wants.service, sensible(now - node.silent_since));
}

/// Returns how long the last task of the node waits there; zero if the task
/// cannot start earlier at another node, because of the way back to the pool
/// and to that node.
duration node_connections::work_to_share(worker_number session,
                                         const node& peer,
                                         instant now) const noexcept {
  auto has = in_flight(session);
  if (peer.was_asked || has <= peer.wants.slots)
    return duration{0};
  auto slots = std::max(peer.wants.slots, std::size_t{1});
  auto rounds = (has - peer.wants.slots + slots - 1) / slots;
  auto waits = service_of(peer, now) * static_cast<duration::rep>(rounds);
  return waits > 2 * peer.wants.round_trip ? waits : duration{0};
}

/// Updates the place of the node in `by_work_`.
void node_connections::rank(node_iterator entry, instant now) {
  auto& [session, at] = *entry;
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
                                        const node& place,
                                        instant now) const noexcept {
  auto known = thief.wants.service > duration{0};
  auto time = [](duration service, const node& peer) {
    return static_cast<double>(service.count())
           / static_cast<double>(std::max(peer.wants.slots, std::size_t{1}));
  };
  auto service = service_of(place, now);
  auto there = time(service, place);
  auto here = time(known ? thief.wants.service : service, thief);
  auto moved =
    static_cast<double>(thief.rate.time_for(place.bytes.value()).count());
  auto way = place.wants.round_trip + thief.wants.round_trip / 2;
  auto ahead = in_flight(victim) - place.wants.slots;
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
void node_connections::look_at(connection_number number, worker_number session,
                               instant now) {
  auto found = nodes_.find(session);
  if (found == nodes_.end() || found->second.by != number)
    return;
  auto& peer = found->second;
  rank(found, now);
  if (sessions_.sessions().at(session).heard != now) // hears no answers
    return;
  if (peer.beats_to_wait > 0) {
    --peer.beats_to_wait;
  } else if (in_flight(session) == 0 && peer.wants.window > 0
             && have_shared(session, now)) {
    constexpr unsigned most_pause = 15;
    peer.pause = std::min(2 * peer.pause + 1, most_pause);
    peer.beats_to_wait = peer.pause;
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
