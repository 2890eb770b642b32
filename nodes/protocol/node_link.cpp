#include "libpool/nodes/protocol/node_link.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace libpool {

// -- facts --------------------------------------------------------------------

void node_link::came_up(instant now) {
  if (has_given_up_)
    return;
  is_up_ = true;
  next_beat_ = next_hello_ = now;
  ticked(now);
}

void node_link::told(const message_to_node& received, instant now) {
  if (!has_given_up_)
    std::visit([&](const auto& message) { take(message, now); }, received);
}

/// Begins a session. The node counts the lease from its hello, and the pool
/// from a later time.
void node_link::take(const welcome& received, instant now) {
  if (session_ || received.who != who_ || received.attempt != attempt_)
    return;
  lease_ = received.lease;
  auto until = later(hello_sent_, beginning_time(lease_));
  if (now >= until)
    return say_hello(now); // the welcome came too late
  session_ = received.session;
  pauses_.succeeded();
  begins_until_ = until;
  answered_ = hello_sent_;
  next_beat_ = now;
  messages_.emplace_back(ready{*session_});
  ticked(now);
}

void node_link::take(const beat& returned, instant) {
  if (session_ != returned.session)
    return;
  answered_ = std::max(answered_, returned.sent);
  begins_until_ = std::max(begins_until_,
                           later(returned.sent, beginning_time(lease_)));
}

void node_link::take(const gone& told, instant now) {
  if (session_ != told.session)
    return;
  session_.reset();
  if (is_leaving_)
    give_up();
  else
    say_hello(now);
}

void node_link::ticked(instant now) {
  if (now < next_tick())
    return;
  if (!session_)
    return say_hello(now);
  messages_.emplace_back(beat{*session_, now, now - answered_});
  next_beat_ = later(now, beat_interval(lease_));
}

void node_link::leave() {
  if (std::exchange(is_leaving_, true))
    return;
  if (session_)
    messages_.emplace_back(bye{*session_});
  else
    give_up();
}

void node_link::give_up() noexcept {
  has_given_up_ = true;
  session_.reset();
}

// -- questions ----------------------------------------------------------------

instant node_link::next_tick() const noexcept {
  if (!is_up_ || has_given_up_)
    return never;
  return session_ ? next_beat_ : next_hello_;
}

// -- sessions -----------------------------------------------------------------

void node_link::say_hello(instant now) {
  hello_sent_ = now;
  next_hello_ = later(now, pauses_.failed());
  messages_.emplace_back(hello{who_, ++attempt_, turn_});
}

} // namespace libpool
