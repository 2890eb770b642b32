/// How the agent of a node comes to the pool's front, and what that tells.

#include "libpool/actors/caf/handles.hpp"
#include "libpool/actors/error.hpp"
#include "libpool/actors/nodes/endpoint.hpp"
#include "libpool/actors/nodes/node_agent.hpp"

#include <caf/actor_cast.hpp>

#include <chrono>
#include <memory>
#include <utility>

namespace libpool {

// -- looking for the front ----------------------------------------------------

/// What the connector throws is an answer as well.
void node_agent::look_for_front() {
  retry_at_ = never;
  looks_for_front_ = true;
  auto answer = [agent = address(),
                 attempt = ++connection_](detail::found_front found) {
    if (auto self = reach(agent))
      static_cast<node_agent*>(self->get())
        ->front_answered(attempt, std::move(found), nullptr);
  };
  try {
    how_.connect(answer);
  } catch (...) {
    answer(make_error(errc::not_connected, thrown_text()));
  }
}

/// Only the first answer to an attempt counts.
void node_agent::front_answered(std::uint64_t attempt,
                                detail::found_front found, host_ptr host) {
  auto has_answered = [this, attempt, found = std::move(found)](host_ptr here) {
    if (attempt != connection_ || !std::exchange(looks_for_front_, false))
      return;
    if (const auto* why = std::get_if<caf::error>(&found))
      try_later(*why);
    else
      connect(std::get<caf::strong_actor_ptr>(found), here);
  };
  act(has_answered, host);
}

void node_agent::try_later(const caf::error& why) {
  trouble_ = why;
  retry_at_ = later(now(), pauses_.failed());
}

// -- connections --------------------------------------------------------------

void node_agent::connect(caf::strong_actor_ptr front, host_ptr host) {
  if (front == nullptr)
    return end(
      make_error(errc::pool_closed, "the pool does not accept nodes any more"),
      false, host);
  front_ = std::move(front);
  endpoint_ = make_endpoint(*this, connection_);
  end_.connected(now());
  carry_out(host);
  wait_for_answer();
  watch(*front_->get(), *this, worker_number{connection_});
}

void node_agent::lose_connection(const caf::error& why, host_ptr host) {
  hang_up(host);
  end_.disconnected();
  carry_out(host);
  try_later(why);
}

/// Limits the wait for the answer to a hello. A pool that does not answer may
/// have lost the connection, which would not be reported.
void node_agent::wait_for_answer() {
  constexpr duration patience = std::chrono::seconds{10};
  gives_up_at_ = front_ != nullptr && !session_ ? later(now(), patience)
                                                : never;
}

void node_agent::hang_up(host_ptr host) {
  if (front_ == nullptr)
    return;
  unwatch(*front_->get(), *this, worker_number{connection_});
  end_endpoint(*endpoint_, host);
  endpoint_ = nullptr;
  front_ = nullptr;
  says_bye_ = false;
  gives_up_at_ = never;
}

// -- letters ------------------------------------------------------------------

void node_agent::letter_came(std::uint64_t by, caf::strong_actor_ptr sender,
                             std::shared_ptr<letter_to_agent> letter,
                             host_ptr host) {
  auto has_come = [this, by, sender = std::move(sender),
                   letter = std::move(letter)](host_ptr here) {
    take(by, sender, letter.get(), here);
  };
  act(std::move(has_come), host);
}

void node_agent::bye_was_heard(std::uint64_t by, host_ptr host) {
  auto it_was = [this, by](host_ptr) {
    says_bye_ = says_bye_ && by != connection_;
  };
  act(it_was, host);
}

void node_agent::take(std::uint64_t by, const caf::strong_actor_ptr& sender,
                      const letter_to_agent* letter, host_ptr host) {
  if (letter == nullptr || by != connection_ || front_ == nullptr
      || sender != front_)
    ++strays_;
  else if (letter->read.rejected)
    take(*letter->read.rejected, host);
  else
    take(*letter, host);
}

/// Only a pool that is closed may have changed when the node asks again.
void node_agent::take(rejection why, host_ptr host) {
  switch (why) {
    case rejection::closed:
      return lose_connection(
        make_error(errc::pool_closed, "the pool does not accept nodes"), host);
    case rejection::token:
      return end(make_error(errc::not_connected,
                            "the pool does not accept the token of the node"),
                 false, host);
    case rejection::protocol:
      return end(
        make_error(errc::not_connected,
                   "the pool and the node have no protocol version in common"),
        false, host);
  }
}

} // namespace libpool
