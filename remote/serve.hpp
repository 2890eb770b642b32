#pragma once

#include "libpool/remote/nats_options.hpp"

#include <caf/fwd.hpp>

#include <string>

namespace libpool {

/// Lets nodes of other programs join a distributed pool through NATS servers,
/// until the pool ends. Nodes find the pool by `name`. One pool has one name,
/// and one program serves a name at a time.
///
/// Returns at once. If no server can be reached, this is tried again until one
/// can.
///
/// Threads: messages are handled in threads of the NATS library, so that nodes
///          are not lost while handlers keep all threads of the scheduler busy.
/// Errors:  std::invalid_argument as `check`, if `name` is empty, and if `pool`
///          is not a distributed pool; std::runtime_error if the certificate
///          cannot be used.
void serve(const caf::actor& pool, const std::string& name,
           const nats_options& by);

} // namespace libpool
