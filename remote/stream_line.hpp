#pragma once

#include "libpool/remote/jetstream.hpp"
#include "libpool/remote/pool_address.hpp"

#include <nats/nats.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace libpool {

using message_owner = std::unique_ptr<natsMsg, destroyer<natsMsg_Destroy>>;

/// Returns the bytes of the message, which stay with the message.
std::string_view bytes_in(natsMsg* message);

/// Answer of a stream to a message that was published to it.
struct stream_answer {
  /// Whether the stream has the message, or had one with the same id.
  bool is_stored = false;
  /// Whether the stream had a message with the same id.
  bool is_repeated = false;
  /// Reason, if the message is not stored.
  std::string why;
};

/// Returns the answer that the message is.
stream_answer stream_answer_in(natsMsg* message);

/// Message to a stream, or to JetStream itself.
struct outgoing {
  /// Subject of the message.
  std::string subject;
  /// Content of the message.
  std::string bytes;
  /// End of the inbox to which the answer comes.
  std::string token;
  /// Id by which a stream detects repeated messages; empty: none.
  std::string id;
  /// Whether the stream may have had the message, and removed it since.
  bool may_be_repeated = false;
};

/// Whether `outgoing::may_be_repeated` was set.
bool may_be_repeated(natsMsg* message);

/// Connection to streams of the NATS servers, whose answers come to an inbox.
///
/// Threads: one at a time. `heard` is called in threads of the C client.
class stream_line {
public:
  /// Receives messages to the inbox. For a message that was sent to the inbox
  /// itself, `token` is the end of its subject; for a message that a stream
  /// delivers, `token` is empty.
  using receiver = std::function<void(std::string token, message_owner)>;

  /// Prepares a connection. `inbox` is the first token of the inbox. Throws as
  /// `options_for`.
  stream_line(const nats_options& by, std::string inbox);

  /// Whether the connection is open, see `jetstream`.
  bool is_open() const {
    return subscription_ != nullptr && jetstream_.is_open();
  }

  bool is_connected() const {
    return is_open() && jetstream_.is_connected();
  }

  /// Connects. The receiver is called until it is destroyed, which can be later
  /// than `close`. Returns why it is impossible; empty on success.
  std::string open(const std::shared_ptr<receiver>& heard);

  /// Also passes messages of this subject to the receiver of `open`. Returns
  /// whether this is possible.
  bool listen(const std::string& subject,
              const std::shared_ptr<receiver>& heard);

  void close();

  /// Publishes a message.
  void say(const outgoing& message);

  natsConnection* connection() const noexcept {
    return jetstream_.connection();
  }

  jsCtx* context() const noexcept {
    return jetstream_.context();
  }

private:
  subscription_owner subscribe(const std::string& subject,
                               const std::shared_ptr<receiver>& heard);

  const std::string inbox_; // ends with a dot
  jetstream jetstream_;
  subscription_owner subscription_;
  subscription_owner other_;
};

} // namespace libpool
