#pragma once

#include "libpool/core/worker_number.hpp"
#include "libpool/nodes/protocol/batches.hpp"
#include "libpool/nodes/protocol/message_stream.hpp"

#include <type_traits>
#include <utility>
#include <variant>

namespace libpool {

namespace detail {

template <class T, class... Ts>
constexpr bool is_one_of = (std::is_same_v<T, Ts> || ...);

/// Whether a message is sent beside the stream of its session. Such a message
/// may be lost, since it is repeated.
template <class Message>
constexpr bool is_beside_stream(const Message&) noexcept {
  return is_one_of<Message, hello, welcome, beat, gone, resend, call>;
}

} // namespace detail

/// Whether the message batch is sent beside the stream of its session. The bye
/// of a pool is repeated beside the stream. The bye of a node is part of the
/// stream.
inline bool is_beside_stream(const batch_to_pool& batch) {
  return std::visit([](const auto& x) { return detail::is_beside_stream(x); },
                    batch.content);
}

/// Whether the message batch is sent beside the stream of its session.
inline bool is_beside_stream(const batch_to_node& batch) {
  return std::holds_alternative<bye>(batch.content)
         || std::visit(
           [](const auto& x) { return detail::is_beside_stream(x); },
           batch.content);
}

/// One end of the stream of the latest session of a connection. An end enters a
/// session when it sends: the pool sends a welcome, the node its first message.
///
/// Cost: as `message_stream`.
template <class Body>
class session_stream {
public:
  /// Begins the stream of a session, unless it is the current one.
  void enter(worker_number session) {
    if (session == session_)
      return;
    session_ = session;
    stream_ = {};
  }

  /// Adds a message to the stream of the session.
  stream_mark add(worker_number session, Body body) {
    enter(session);
    return stream_.add(std::move(body));
  }

  /// Returns the mark of a message beside the stream. With `asks`, the message
  /// asks for missing messages.
  stream_mark mark_beside(worker_number session, bool asks) const noexcept {
    if (session != session_)
      return {};
    return asks ? stream_.mark_asking() : stream_.mark_beside();
  }

  /// Notes the mark of a message that has arrived. A message of another session
  /// is handled only if it came beside the stream.
  typename message_stream<Body>::arrival note(worker_number session,
                                              const stream_mark& mark) {
    if (session == session_)
      return stream_.note(mark);
    return {!mark.is_numbered, false, false};
  }

  /// The current session.
  worker_number session() const noexcept {
    return session_;
  }

  /// Returns the stream of the current session.
  message_stream<Body>& stream() noexcept {
    return stream_;
  }

private:
  worker_number session_{};
  message_stream<Body> stream_;
};

} // namespace libpool
