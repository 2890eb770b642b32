#pragma once

#include "libpool/nodes/nodes_of_front.hpp"
#include "libpool/remote/stream_line.hpp"
#include "libpool/remote/work_streams.hpp"

#include <nats/nats.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace libpool {

/// The records of the nodes of fronts in the store of a durable queue, as one
/// front uses them: it stores its own record, and closes those of fronts that
/// were lost.
///
/// Cost:    each call asks the servers, and waits for the answer.
/// Threads: one at a time.
class front_records {
public:
  /// What the store has done with the own record.
  enum class outcome : std::uint8_t {
    stored,
    /// Another front has closed the record, or the store has removed it.
    refused,
    /// The servers have not answered.
    unknown,
  };

  /// `run` is the run of the program of this front.
  front_records(const work_streams& in, std::uint64_t run);

  /// Stores the nodes of this front.
  outcome store(jsCtx* with, const std::vector<std::uint64_t>& nodes);

  /// Closes the record of another front if all of its nodes are in `serving`.
  /// Returns whether the record is closed; unset if the servers have not
  /// answered.
  std::optional<bool> close(jsCtx* with, std::uint64_t front,
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
  std::uint64_t place_ = 0;                      // of the own record; 0: none
  std::map<std::uint64_t, front_record> closed_; // by the front
};

} // namespace libpool
