#pragma once

#include "libpool/nodes/nats/stream_line.hpp"
#include "libpool/nodes/nats/work_streams.hpp"
#include "libpool/nodes/protocol/work_queue.hpp"

#include <nats/nats.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace libpool {

/// Returns headers that state how a submission has failed, in at most 900
/// bytes.
header_list headers_of(const work_failure& failure);

/// Returns how a submission has failed, by the headers of its result or of its
/// failed message; unset without such headers.
std::optional<work_failure> failure_in(natsMsg* message);

/// Subject of a submission, in parts. A submission of a failed message has the
/// id of the failed submission, and the place of the failed message.
struct submission_subject {
  /// Reads a subject without the beginning that the streams have in common.
  explicit submission_subject(const std::string& text);

  std::string name;        ///< Client + "." + id of the first submission.
  std::uint64_t place = 0; ///< Place of the failed message; 0: none.
};

/// Header of a submission of a failed message: number of earlier attempts.
constexpr const char* attempts_header = "Libpool-Attempts";

/// The store of the failed messages of a durable queue: a stream.
///
/// A failed message is submitted anew under an id that its place determines, so
/// the servers and fronts treat further submissions as repetitions. It stays in
/// the store until the result of this submission is stored, and the front
/// removes it before it acknowledges the submission: a failed message without a
/// submission in the queue was not submitted, or has failed again and got
/// another place.
///
/// Cost:    each function except `message_for` asks the servers, and waits for
///          the answer.
/// Threads: one at a time.
/// Errors:  std::runtime_error if the servers do not answer or refuse.
class failure_store {
public:
  explicit failure_store(const work_streams& streams) : streams_(streams) {
    // nop
  }

  /// Returns the failed message of the submission `name`, for the store, which
  /// takes it if the last failed message of that name has the place `former`.
  outgoing message_for(const std::string& name, const std::string& content,
                       const work_failure& failure, std::uint64_t former) const;

  /// Removes the failed message of which the submission `name` came, if any. A
  /// client can only name its own failed messages.
  void remove_origin(jsCtx* with, const std::string& name) const;

  std::uint64_t count(jsCtx* with) const;

  /// See `failed_messages`.
  std::vector<failed_message> list(jsCtx* with, std::uint64_t first,
                                   std::size_t most) const;
  bool submit_again(jsCtx* with, std::uint64_t place) const;
  bool drop(jsCtx* with, std::uint64_t place) const;

private:
  message_owner read(jsCtx* with, std::uint64_t place) const;
  std::string name_of(natsMsg* failed) const;

  const work_streams& streams_;
};

} // namespace libpool
