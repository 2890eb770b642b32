#pragma once

#include "libpool/core/inline_record.hpp"

#include <cstdint>
#include <optional>

namespace libpool {

/// Data of a message that is assigned to a worker, and waits for it without a
/// task. The members have the same meaning as those of a task.
struct assigned_message {
  /// Number of the message in the order of acceptance, from 1; 0: the message
  /// is not assigned to a worker.
  std::uint64_t number = 0;
  /// Number that identifies the kind of the message.
  std::uint64_t kind = 0;
  /// Key of the data that the message uses; none: no key.
  std::optional<std::uint64_t> key;
  /// Data that the placement keeps for the message.
  inline_record<3> placed;
};

} // namespace libpool
