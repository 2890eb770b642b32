#pragma once

#include "hash_tree/sha256.hpp"

#include <caf/all.hpp>

#include <string>

namespace durable {

/// A worker: writes the line that `sha256sum` prints for a file to the folder
/// of results. To do it twice, even at once, does no harm. A file that cannot
/// be hashed, or a result that cannot be written, is answered with an error.
///
/// It waits for disks, and so wants a thread of its own (`caf::detached`).
class hasher : public caf::event_based_actor {
public:
  hasher(caf::actor_config& cfg, std::string results);

  caf::behavior make_behavior() override;

private:
  caf::result<void> hash(const std::string& path);
  std::string line_of(const std::string& path);

  std::string results_;
  hash_tree::file_hasher hasher_;
};

} // namespace durable
