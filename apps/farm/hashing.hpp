#pragma once

#include "hash_tree/sha256.hpp"

#include <caf/all.hpp>

#include <atomic>
#include <string>

namespace farm {

/// A worker of an agent. A task is the content of a file, or the id and the
/// content, and its answer is the digest as 32 bytes and the name of the node:
/// strings all of them, which any two nodes can send each other. A program with
/// messages of types of its own announces them to its actor system, at the
/// front and at the agents.
caf::behavior hasher(caf::event_based_actor* self, const std::string& node);

/// Hashes files that are too big to travel, at the front, in a thread of its
/// own. A task is a path; the answer is 0 or an errno, the digest, and the size
/// of the file.
caf::behavior local_hasher(caf::event_based_actor* self,
                           const std::atomic<bool>* stop);

std::string bytes_of(const hash_tree::digest& value);

/// The digest that these bytes are.
///
/// Errors: std::invalid_argument if they are none.
hash_tree::digest digest_in(const std::string& bytes);

} // namespace farm
