#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>

namespace libpool {

/// State of a stream that one end sends to the other with each message.
struct stream_mark {
  /// Number of the message, if it is part of the stream. Otherwise the number
  /// of the last message of the stream that was sent before; 0 if there was
  /// none.
  std::uint64_t last = 0;
  /// Number of messages of the stream that have arrived in order.
  std::uint64_t received = 0;
  /// Whether the message is part of the stream.
  bool is_numbered = false;
  /// Whether the messages after `received` must be sent again.
  bool asks_again = false;
};

/// One end of an ordered stream of messages, over a line that can lose
/// messages, but does not change their order. Each message is kept until the
/// other end acknowledges it, and is sent again when the other end asks for it.
/// Each message is handled once.
///
/// An end notices a loss when the next message arrives, in the stream or beside
/// it. Therefore both ends must send messages from time to time, such as
/// heartbeats.
///
/// Source: go-back-N automatic repeat request.
/// Cost:   O(1) for each message, and O(kept messages) to send them again.
/// Errors: an acknowledgement of more messages than were sent has no effect.
template <class Body>
class message_stream {
public:
  /// Adds a message, which is kept. Returns the mark to send with it.
  stream_mark add(Body body) {
    kept_.push_back(std::move(body));
    ++sent_;
    return {sent_, received_, true, false};
  }

  /// Returns the mark of a message that is not part of the stream.
  stream_mark mark_beside() const noexcept {
    return {sent_, received_, false, false};
  }

  /// Returns the mark of a message that asks for the missing messages.
  stream_mark mark_asking() const noexcept {
    return {sent_, received_, false, true};
  }

  /// Actions to take when a message has arrived.
  struct arrival {
    /// Whether to handle the message. If false, the message has arrived before,
    /// or an earlier message is missing.
    bool is_next = false;
    /// Whether to ask for messages that are missing.
    bool must_ask = false;
    /// Whether to send the kept messages again.
    bool must_repeat = false;
  };

  /// Notes the mark of a message that has arrived.
  arrival note(const stream_mark& mark) {
    acknowledge(mark.received);
    arrival result;
    result.must_repeat = mark.asks_again && !kept_.empty();
    auto is_missing = mark.is_numbered ? mark.last > received_ + 1
                                       : mark.last > received_;
    if (!mark.is_numbered)
      result.is_next = true;
    else if (mark.last == received_ + 1) {
      ++received_;
      has_asked_ = false;
      result.is_next = true;
    }
    // The end asks once for each gap, and again for each message beside the
    // stream.
    result.must_ask = is_missing && (!mark.is_numbered || !has_asked_);
    has_asked_ = has_asked_ || result.must_ask;
    return result;
  }

  /// Calls `send` with the mark and the body of each kept message, in order.
  template <class F>
  void repeat(F send) {
    auto number = sent_ - kept_.size();
    for (auto& each : kept_)
      send(stream_mark{++number, received_, true, false}, each);
  }

  /// The message that was added last.
  /// @pre a message is kept
  Body& newest() noexcept {
    return kept_.back();
  }

  /// Number of messages that are not acknowledged.
  std::size_t kept() const noexcept {
    return kept_.size();
  }

private:
  void acknowledge(std::uint64_t received) {
    if (received > sent_)
      return;
    auto open = sent_ - received;
    while (kept_.size() > open)
      kept_.pop_front();
  }

  std::deque<Body> kept_;
  std::uint64_t sent_ = 0;
  std::uint64_t received_ = 0;
  bool has_asked_ = false;
};

} // namespace libpool
