#pragma once

#include "libpool/nodes/nats/jetstream.hpp"
#include "libpool/nodes/pool_address.hpp"

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
  /// Whether the stream has another message of the subject, which it must not
  /// have, see `outgoing::is_first`.
  bool is_taken = false;
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
  /// Whether the stream must have no message of the subject.
  bool is_first = false;
  /// Header of the message, with a value; empty: none.
  std::string header;
  std::string value;
};

/// Header of a submission: number of claims that fronts have made for it and
/// not used.
constexpr const char* unused_claims_header = "Libpool-Unused-Claims";

/// Header of a submission that the queue has stored before.
constexpr const char* repeated_header = "Libpool-Repeated";

/// Returns the value of the header, which stays with the message; nullptr if
/// there is none.
const char* header_of(natsMsg* message, const char* name);

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
  stream_line(const nats_options& basis, std::string inbox);

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
