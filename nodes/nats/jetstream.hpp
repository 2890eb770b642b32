#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/nodes/nats/nats_client.hpp"

#include <nats/nats.h>

#include <functional>
#include <memory>
#include <string>

namespace libpool {

using message_owner = std::unique_ptr<natsMsg, destroyer<natsMsg_Destroy>>;
using jetstream_owner = std::unique_ptr<jsCtx, destroyer<jsCtx_Destroy>>;

/// Number of servers of a cluster that keep what must outlive a server.
constexpr int replicas_in_cluster = 3;

/// Connection to JetStream, the part of the NATS servers that stores messages.
///
/// Threads: one at a time.
class jetstream {
public:
  /// Prepares a connection. `set` sets further options of the C client, each
  /// time that a connection is made. Throws as `options_for`.
  explicit jetstream(const nats_options& options,
                     std::function<void(natsOptions*)> set = nullptr)
    : options_(options), set_(std::move(set)) {
    // nop
  }

  /// Whether the connection is open. It may be down for a while. A connection
  /// that is down does not count as open if there are new certificates.
  bool is_open() const;

  /// Whether messages can be sent at present.
  bool is_connected() const;

  /// Connects, with these options for JetStream. Returns why it cannot be used;
  /// empty if it can.
  std::string open(jsOptions& options);

  void close();

  /// Closes the connection. Returns `words` and the text of the error that the
  /// last call of the C client has returned.
  std::string close(const std::string& words, natsStatus error);

  natsConnection* connection() const noexcept {
    return connection_.get();
  }

  jsCtx* context() const noexcept {
    return context_.get();
  }

private:
  renewed_options options_;
  const std::function<void(natsOptions*)> set_;
  connection_ptr connection_;
  jetstream_owner context_;
};

/// Whether the status is an answer of the servers: they have what was asked
/// for, or do not have it.
constexpr bool is_answer(natsStatus status) noexcept {
  return status == NATS_OK || status == NATS_NOT_FOUND;
}

/// A message of a stream, or the reason why there is none.
struct found_message {
  /// Answer of the servers, or the error of the C client.
  natsStatus status = NATS_OK;
  /// Message; nullptr unless `status` is `NATS_OK`.
  message_owner message;
};

/// Returns the last message of the subject in the stream. Asks the leader of
/// the stream, and waits for the answer.
found_message last_message(jsCtx* with, const std::string& stream,
                           const std::string& subject);

/// Returns options with a maximum duration of calls.
jsOptions jetstream_options(duration longest);

} // namespace libpool
