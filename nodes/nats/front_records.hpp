#pragma once

#include "libpool/nodes/nats/stream_line.hpp"
#include "libpool/nodes/nats/work_streams.hpp"
#include "libpool/nodes/protocol/nodes_of_front.hpp"

#include <nats/nats.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace libpool {

/// The records of the nodes of fronts in the store of a durable queue, as one
/// front uses them: it stores its own record, and closes those of fronts that
/// were lost.
///
/// Cost:    `store`, `look` and `close` ask the servers, and wait for the
///          answer.
/// Threads: one at a time.
class front_records {
public:
  /// What the store has done with the own record.
  enum class outcome : std::uint8_t {
    stored,
    /// Another front has closed the record, or may have done so.
    refused,
    /// The servers have not answered, or have lost the record.
    unknown,
  };

  /// `run` is the run of the program of this front.
  front_records(const work_streams& in, std::uint64_t run);

  /// Stores the nodes of this front. `may_be_closed`: a closed record may have
  /// been removed since the last time.
  outcome store(jsCtx* with, const std::vector<std::uint64_t>& nodes,
                bool may_be_closed);

  /// Reads the record of another front, unless it is known. Returns false if
  /// the servers have not answered.
  bool look(jsCtx* with, std::uint64_t front);

  /// Closes the record of another front as `look` has read it, if all of its
  /// nodes are in `serving`: they were seen to serve this front after `look`.
  /// Returns what this means for messages that these nodes do not report.
  front_verdict close(jsCtx* with, std::uint64_t front,
                      const std::vector<std::uint64_t>& serving);

private:
  /// Record in the store, and its place there.
  struct entry {
    natsStatus status = NATS_OK;
    front_record record;
    std::uint64_t place = 0;
  };

  entry read(jsCtx* with, std::uint64_t front) const;
  std::uint64_t write(jsCtx* with, std::uint64_t front,
                      const front_record& record, std::uint64_t former) const;
  std::string subject_of(std::uint64_t front) const;

  const std::string stream_;
  const std::string subject_; // beginning of the subjects
  const std::uint64_t run_;
  std::uint64_t place_ = 0;             // of the own record; 0: none
  std::map<std::uint64_t, entry> seen_; // by the front
};

} // namespace libpool
