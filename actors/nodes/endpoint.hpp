#pragma once

#include "libpool/actors/caf/port/types.hpp"

#include <caf/actor_control_block.hpp>

#include <cstdint>

namespace libpool {

class node_agent;

/// Makes the actor of a node for one connection with the pool. Messages to the
/// actor go to `agent`, with the number of the connection. The actor does not
/// keep `agent` alive. It reads messages from the pool in the threads that
/// bring them.
///
/// Each connection has its own endpoint, because in CAF the actors of a process
/// that connects again have the same handles as before.
caf::strong_actor_ptr make_endpoint(node_agent& agent,
                                    std::uint64_t connection);

/// Ends the endpoint after the end of its connection. Other actors can observe
/// the end.
void end_endpoint(caf::actor_control_block& endpoint, execution_context* host);

} // namespace libpool
