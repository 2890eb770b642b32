#pragma once

#include "libpool/nodes/nats/jetstream.hpp"
#include "libpool/nodes/pool_address.hpp"

#include <nats/nats.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace libpool {

/// Returns the bytes of the message, which stay with the message.
std::string_view bytes_in(natsMsg* message);

/// Answer of a stream to a message that was published to it.
struct stream_answer {
  /// Whether the stream has the message, or had one with the same id.
  bool is_stored = false;
  /// Whether the stream had a message with the same id.
  bool is_repeated = false;
  /// Whether the stream has another last message of the subject than it must
  /// have, see `outgoing::former`.
  bool is_taken = false;
  /// Reason, if the message is not stored.
  std::string why;
};

/// Returns the answer that the message is.
stream_answer stream_answer_in(natsMsg* message);

/// Headers of a message: names and values without line breaks.
using header_list = std::vector<std::pair<std::string, std::string>>;

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
  /// Place of the last message of the subject that the stream must have; 0: it
  /// must have none; unset: any.
  std::optional<std::uint64_t> former;
  /// Further headers of the message.
  header_list headers;
};

/// Header of a submission: number of claims that fronts have made for it and
/// not used.
constexpr const char* unused_claims_header = "Libpool-Unused-Claims";

/// Header of a submission that the queue has stored before.
constexpr const char* repeated_header = "Libpool-Repeated";

/// Returns the value of the header, which stays with the message; nullptr if
/// there is none.
const char* header_of(natsMsg* message, const char* name);

/// Returns the number in the header; 0 if there is none.
std::uint64_t number_in(natsMsg* message, const char* name);

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
