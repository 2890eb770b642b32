#pragma once

#include "libpool/nodes/durable_options.hpp"
#include "libpool/nodes/nats/jetstream.hpp"
#include "libpool/nodes/pool_address.hpp"

#include <nats/nats.h>

#include <cstdint>
#include <string>

namespace libpool {

/// Names of what the servers keep of the durable queue of a pool: streams.
/// A submission has the subject `work` + client + "." + id. Its result has the
/// same subject with `result`. A claim has the subject of the result + "." +
/// its number. A failed message has the subject of the submission with
/// `failed`.
struct work_streams {
  /// Makes the names for the pool.
  explicit work_streams(const pool_address& where);

  /// Name of the consumer through which fronts take submissions.
  static constexpr const char* fronts = "fronts";

  std::string queue;    ///< Stream of submissions that are not settled.
  std::string results;  ///< Stream of results and claims.
  std::string work;     ///< Beginning of the subjects of submissions.
  std::string result;   ///< Beginning of the subjects of results.
  std::string failures; ///< Stream of failed messages.
  std::string failed;   ///< Beginning of the subjects of failed messages.

  /// Returns the number of a message in the queue that the consumer will not
  /// deliver, if this does not change: the message counts as acknowledged, or
  /// the consumer does not see it. Returns the largest number if the consumer
  /// does not exist, and 0 if no message is left behind. Servers of a cluster
  /// that are killed can disagree on their last changes.
  std::uint64_t left_behind(jsCtx* with) const;

  /// Makes the consumer again, which delivers all messages of the queue.
  void make_consumer_again(jsCtx* with, const durable_options& options) const;

  /// Makes the streams and the consumer, unless the servers have them. Returns
  /// why they cannot be used; empty if they can.
  std::string make(jsCtx* with, const durable_options& options) const;
};

/// Returns the subject at which the servers are asked for the message of that
/// subject in the stream of results.
std::string search_subject(const work_streams& in, const std::string& subject);

} // namespace libpool
