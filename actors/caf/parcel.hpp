#pragma once

#include "libpool/actors/caf/port/type_ids.hpp"
#include "libpool/core/errc.hpp"

#include <caf/message.hpp>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

namespace libpool {

/// Journey of a message of the durable queue through the nodes of a pool.
///
/// Threads: any.
class node_journey {
public:
  /// State of a journey.
  struct summary {
    /// Name of the last node that the message was sent to.
    std::string node;
    /// Trace of the message, if the pool knows it.
    std::string trace;
    /// Number of times that the message was sent to a node.
    std::uint64_t times = 0;
  };

  void sent(const std::string& node, const std::string& trace) {
    std::lock_guard guard{mutex_};
    seen_ = {node, trace, seen_.times + 1};
  }

  summary look() const {
    std::lock_guard guard{mutex_};
    return seen_;
  }

private:
  mutable std::mutex mutex_;
  summary seen_;
};

/// Content of a message that goes to another node, as bytes. The bytes are made
/// once and shared. The parcel itself stays in this process.
struct parcel {
  /// Bytes of the content; nullptr if they could not be made.
  std::shared_ptr<const std::string> bytes;
  /// The content itself, while a function of the user may need it.
  caf::message content;
  /// Problem that prevented the bytes, as a code and as a text.
  errc problem{};
  std::string words;
  /// Number of the taking of a message of the durable queue; 0: none.
  std::uint64_t taking = 0;
  /// Journey of this message; nullptr: none.
  std::shared_ptr<node_journey> journey = nullptr;
};

} // namespace libpool
