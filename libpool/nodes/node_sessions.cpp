#include "libpool/nodes/node_sessions.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace libpool {

// -- messages -----------------------------------------------------------------

void node_sessions::told(connection_number by, const message_of_node& received,
                         instant now) {
  std::visit([&](const auto& message) { take(by, message, now); }, received);
}

void node_sessions::take(connection_number by, const hello& received,
                         instant now) {
  if (!supersede(received))
    return;
  if (sessions_.empty())
    due_ = later(now, beat_interval(lease_));
  last_ = next(last_);
  sessions_.emplace(
    last_, session{by, received.who, received.attempt, now, false, false});
  decisions_.emplace_back(send{by, welcome{received.attempt, last_, lease_}});
}

/// Ends older sessions of the same run of the node, which has forgotten them
/// before it said hello. Returns false if there is a newer one.
bool node_sessions::supersede(const hello& by) {
  for (const auto& entry : sessions_)
    if (entry.second.who == by.who && entry.second.attempt >= by.attempt)
      return false;
  for (auto i = sessions_.begin(); i != sessions_.end();)
    i = i->second.who == by.who ? over(i) : std::next(i);
  return true;
}

void node_sessions::take(connection_number, const ready& received,
                         instant now) {
  auto found = reached(received.session);
  if (found == sessions_.end())
    return;
  found->second.heard = now;
  if (!std::exchange(found->second.is_ready, true))
    decisions_.emplace_back(admit{received.session});
}

void node_sessions::take(connection_number by, const beat& received,
                         instant now) {
  if (heard(received.session, now))
    decisions_.emplace_back(send{by, received});
}

void node_sessions::take(connection_number, const bye& received, instant) {
  auto found = reached(received.session);
  if (found != sessions_.end())
    over(found);
}

bool node_sessions::heard(worker_number of, instant now) {
  auto found = reached(of);
  if (found == sessions_.end())
    return false;
  found->second.heard = now;
  return true;
}

/// The session, unless it is over or its node cannot be reached.
node_sessions::iterator node_sessions::reached(worker_number of) {
  auto found = sessions_.find(of);
  return found != sessions_.end() && !found->second.is_cut ? found
                                                           : sessions_.end();
}

// -- the ends of sessions -----------------------------------------------------

void node_sessions::closed(connection_number by) {
  for (auto& [number, open] : sessions_)
    if (open.by == by && !std::exchange(open.is_cut, true))
      decisions_.emplace_back(cut{number});
}

void node_sessions::ticked(instant now) {
  forgive_lateness(now);
  for (auto i = sessions_.begin(); i != sessions_.end();)
    i = now >= later(i->second.heard, lease_) ? over(i) : std::next(i);
  due_ = later(now, beat_interval(lease_));
}

void node_sessions::forgive_lateness(instant now) {
  if (due_ == never || now <= later(due_, beat_interval(lease_) / 2))
    return;
  for (auto& entry : sessions_) {
    auto& heard = entry.second.heard;
    heard = std::min(now, later(heard, now - due_));
  }
}

node_sessions::iterator node_sessions::over(iterator which) {
  decisions_.emplace_back(end{which->first});
  return sessions_.erase(which);
}

} // namespace libpool
