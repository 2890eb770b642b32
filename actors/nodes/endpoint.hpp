#pragma once

#include "libpool/actors/caf/port/types.hpp"

#include <caf/actor_control_block.hpp>

#include <cstdint>

namespace libpool {

class node_agent;

/// Makes the actor by which a node speaks with the pool in one connection, the
/// one of that number: what it is sent is for `agent`, which it does not keep
/// alive. It reads letters in the thread that brings them.
///
/// There is another one for each connection, since CAF gives the actors of a
/// process that connects again the handles that they had.
caf::strong_actor_ptr make_endpoint(node_agent& agent,
                                    std::uint64_t connection);

/// The connection is over: so is its endpoint, which others see.
void end_endpoint(caf::actor_control_block& endpoint, execution_context* host);

} // namespace libpool
