#include "libpool/nodes/node_link.hpp"

#include <algorithm>
#include <variant>

namespace libpool {

// -- facts --------------------------------------------------------------------

void node_link::connected(instant now) {
  end_session();
  is_connected_ = true;
  say_hello(now);
}

void node_link::disconnected() noexcept {
  end_session();
  is_connected_ = false;
  messages_.clear();
}

void node_link::told(const message_to_node& received, instant now) {
  if (is_connected_)
    std::visit([&](const auto& message) { take(message, now); }, received);
}

/// The lease began when the node asked for it: the pool counts from later on.
void node_link::take(const welcome& received, instant now) {
  if (session_ || received.attempt != attempt_)
    return;
  lease_ = received.lease;
  auto until = later(hello_sent_, beginning_time(lease_));
  if (now >= until)
    return say_hello(now); // it came too late
  session_ = received.session;
  begins_until_ = until;
  next_beat_ = now;
  messages_.emplace_back(ready{*session_});
  ticked(now);
}

void node_link::take(const beat& returned, instant) {
  if (session_ == returned.session)
    begins_until_ = std::max(begins_until_,
                             later(returned.sent, beginning_time(lease_)));
}

void node_link::ticked(instant now) {
  if (!session_)
    return;
  if (now >= begins_until_) {
    end_session();
    return say_hello(now);
  }
  if (now < next_beat_)
    return;
  messages_.emplace_back(beat{*session_, now});
  next_beat_ = later(now, beat_interval(lease_));
}

void node_link::leave() {
  if (session_)
    messages_.emplace_back(bye{*session_});
  end_session();
}

// -- questions ----------------------------------------------------------------

instant node_link::next_tick() const noexcept {
  return session_ ? std::min(next_beat_, begins_until_) : never;
}

// -- sessions -----------------------------------------------------------------

void node_link::say_hello(instant now) {
  hello_sent_ = now;
  messages_.emplace_back(hello{who_, ++attempt_});
}

void node_link::end_session() noexcept {
  session_.reset();
  next_beat_ = never;
}

} // namespace libpool
