#include "libpool/nodes/protocol/node_sessions.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace libpool {

// -- messages -----------------------------------------------------------------

void node_sessions::told(connection_number number,
                         const message_of_node& received, instant now) {
  std::visit([&](const auto& message) { take(number, message, now); },
             received);
}

void node_sessions::take(connection_number number, const hello& received,
                         instant now) {
  if (!supersede(number, received))
    return;
  if (sessions_.empty()) {
    due_ = later(now, beat_interval(lease_));
    is_late_ = false;
  }
  last_ = next(last_);
  auto& added = sessions_[last_];
  added.by = number;
  added.who = received.who;
  added.attempt = received.attempt;
  added.turn = received.turn;
  added.heard = now;
  by_connection_[number] = last_;
  by_silence_.emplace(now, last_);
  decisions_.emplace_back(
    send{number, welcome{received.who, received.attempt, last_, lease_}});
}

/// Ends the older session of the connection, which a node forgets before it
/// says hello. Returns false if the session is newer than this hello, or of a
/// later turn.
bool node_sessions::supersede(connection_number number, const hello& received) {
  auto older = by_connection_.find(number);
  if (older == by_connection_.end())
    return true;
  auto found = sessions_.find(older->second);
  auto& open = found->second;
  if (received.turn < open.turn
      || (open.who == received.who && open.attempt >= received.attempt))
    return false;
  over(found);
  return true;
}

void node_sessions::take(connection_number number, const ready& received,
                         instant now) {
  auto found = reached(number, received.session);
  if (found == sessions_.end())
    return;
  found->second.heard = now;
  if (!std::exchange(found->second.is_ready, true))
    decisions_.emplace_back(admit{received.session});
}

/// Whether the node does not hear the pool, although the pool was not
/// suspended.
bool node_sessions::is_deaf(const beat& received, instant now) const noexcept {
  return received.deaf >= 2 * lease_ && now >= forgives_until_;
}

/// Answers a beat. Each beat of a session that has ended is answered, since the
/// node may have missed earlier answers.
void node_sessions::take(connection_number number, const beat& received,
                         instant now) {
  auto found = sessions_.find(received.session);
  if (found == sessions_.end() || found->second.by != number) {
    decisions_.emplace_back(send{number, gone{received.session}});
  } else if (found->second.is_cut) {
    decisions_.emplace_back(send{number, bye{received.session}});
  } else if (!is_deaf(received, now) && heard(number, received.session, now)) {
    note_presence(found->second, received);
    decisions_.emplace_back(send{number, received});
  }
}

void node_sessions::note_presence(session& open, const beat& received) const {
  if (open.mark && received.sent - received.deaf < *open.mark)
    return;
  if (open.mark)
    open.present = open.marked;
  open.mark = received.sent;
  open.marked = question_;
}

void node_sessions::take(connection_number number, const bye& received,
                         instant) {
  auto found = reached(number, received.session);
  if (found != sessions_.end())
    over(found);
  decisions_.emplace_back(send{number, gone{received.session}});
}

bool node_sessions::heard(connection_number number, worker_number worker,
                          instant now) {
  auto found = reached(number, worker);
  if (found == sessions_.end())
    return false;
  found->second.heard = now;
  return true;
}

/// Returns the session `worker`; the end of the map if the session has ended,
/// was cut, or belongs to another connection.
node_sessions::iterator node_sessions::reached(connection_number number,
                                               worker_number worker) {
  auto found = sessions_.find(worker);
  return found != sessions_.end() && found->second.by == number
             && !found->second.is_cut
           ? found
           : sessions_.end();
}

// -- the ends of sessions -----------------------------------------------------

void node_sessions::expelled(worker_number number) {
  auto found = sessions_.find(number);
  if (found == sessions_.end() || found->second.is_cut)
    return;
  found->second.is_cut = true;
  decisions_.emplace_back(cut{number});
  decisions_.emplace_back(send{found->second.by, bye{number}});
}

void node_sessions::ticked(instant now) {
  forgive_lateness(now);
  end_silent(now);
  due_ = later(now, beat_interval(lease_));
}

/// Ends the sessions that have been silent for a lease. Looks only at sessions
/// whose time in `by_silence_` is at least a lease ago.
void node_sessions::end_silent(instant now) {
  std::set<worker_number> silent;
  while (!by_silence_.empty()
         && now >= later(by_silence_.begin()->first, lease_)) {
    auto number = by_silence_.begin()->second;
    by_silence_.erase(by_silence_.begin());
    auto found = sessions_.find(number);
    if (found == sessions_.end())
      continue;
    if (now >= later(found->second.heard, lease_))
      silent.insert(number);
    else
      by_silence_.emplace(found->second.heard, number);
  }
  for (auto number : silent)
    over(sessions_.find(number));
}

/// Does not count the time in which the pool was suspended. The pool then
/// listens for a beat interval before it gives a node up, unless it is late
/// again.
void node_sessions::forgive_lateness(instant now) {
  auto was_late = std::exchange(
    is_late_, due_ != never && now > later(due_, beat_interval(lease_) / 2));
  if (!is_late_)
    return;
  forgives_until_ = later(now, lease_);
  auto earliest = was_late ? instant{} : now - beginning_time(lease_);
  for (auto& entry : sessions_) {
    auto& heard = entry.second.heard;
    heard = std::max(later(heard, now - due_), earliest);
    heard = std::min(now, heard);
  }
}

void node_sessions::over(iterator entry) {
  auto [number, ended] = *entry;
  decisions_.emplace_back(end{number});
  by_connection_.erase(ended.by);
  sessions_.erase(entry);
}

} // namespace libpool
