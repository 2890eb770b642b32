#pragma once

#include "libpool/nodes/durable_options.hpp"
#include "libpool/nodes/nats/failure_store.hpp"
#include "libpool/nodes/nats/stream_line.hpp"
#include "libpool/nodes/nats/work_streams.hpp"
#include "libpool/nodes/protocol/taken_submissions.hpp"

#include <nats/nats.h>

#include <cstdint>
#include <optional>
#include <string>

namespace libpool {

/// Returns the subject of the claim of a submission.
std::string claim_subject(const work_streams& streams,
                          const taken_submission& work);

/// Returns the content of a claim.
work_claim claim_in(natsMsg* message);

/// Message whose answer of the servers has come.
struct answered_message {
  /// Reads the token of the inbox.
  explicit answered_message(const std::string& token);

  std::string kind;         ///< "claimed", "stored", "kept" or "renewed".
  std::uint64_t number = 0; ///< Number of the submission.
  std::uint64_t claim = 0;  ///< Number of the claim, if it is one.
};

/// The messages between a front and the servers about its submissions.
///
/// Threads: any.
class work_messages {
public:
  /// Prepares messages of a front with the run `front`.
  work_messages(const work_streams& streams, const durable_options& options,
                std::uint64_t front);

  /// Returns the submission that the queue delivers; unset if it cannot be
  /// read. A submission that may have begun so long ago that the servers no
  /// longer have the claim counts as begun.
  std::optional<taken_submission> submission_in(natsMsg* message) const;

  /// Returns the message by which the servers store what a step needs.
  /// @pre the step stores something
  outgoing message_for(const taken_submissions::need& step,
                       const taken_submission& work) const;

  /// Returns the claim of a submission, to be stored once more.
  outgoing renewed_claim(const taken_submission& work) const;

private:
  const work_streams& streams_;
  const durable_options& options_;
  const failure_store failures_;
  const std::uint64_t front_;
};

} // namespace libpool
