#pragma once

#include "libpool/core/instant.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace libpool {

/// What a managed pool needs to know of a worker that is a node. A node gets
/// contents as bytes.
///
/// Threads: any.
class node_worker {
public:
  node_worker() = default;
  node_worker(const node_worker&) = delete;
  node_worker& operator=(const node_worker&) = delete;

  /// Display name of the node; may be empty.
  virtual const std::string& node_name() const noexcept = 0;

  /// Labels that tasks can require.
  virtual const std::vector<std::string>& labels() const noexcept = 0;

  /// Whether the node tells handlers what the pool knows of their tasks.
  virtual bool tells_facts() const noexcept = 0;

  /// Estimated time to send `bytes` from the node to another one, as far as
  /// known.
  virtual duration time_from_there(std::uint64_t bytes) const noexcept = 0;

protected:
  ~node_worker() = default;
};

} // namespace libpool
