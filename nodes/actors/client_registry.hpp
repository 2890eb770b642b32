#pragma once

#include "libpool/actors/caf/port/types.hpp"
#include "libpool/actors/caf/serial_actor.hpp"
#include "libpool/actors/served_pool_terms.hpp"
#include "libpool/nodes/protocol/transport.hpp"

#include <caf/actor.hpp>
#include <caf/actor_control_block.hpp>
#include <caf/error.hpp>
#include <caf/fwd.hpp>
#include <caf/mailbox_element.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace libpool {

/// Client registry: the actor of a pool that knows the clients in other
/// programs. Each client has a distributed pool of its own, and the served pool
/// is a node of that pool. So the registry makes a `node_agent` for each client
/// that calls. The local pool of this agent is the served pool.
///
/// The registry keeps references to the pool and to itself until the pool ends.
class client_registry final : public delivering<client_registry, serial_actor> {
public:
  client_registry(caf::actor_config& cfg, caf::actor pool,
                  const detail::client_terms& limits);

  /// Opens a transport by which clients call. Exceptions of `open` are passed
  /// on.
  /// @pre called once, before other threads know this actor
  void serve(const transport_opener& open);

  /// Makes an agent for a client that calls, unless the client has an agent.
  void called(const std::string& client);

  const char* name() const override {
    return "libpool::client_registry";
  }

  void worker_died(worker_number number, const caf::error& reason,
                   execution_context* host) override;

protected:
  void received(caf::mailbox_element_ptr element,
                execution_context* host) override;

private:
  class lines;

  void make_agent(const std::string& client);
  void end(execution_context* host);

  caf::actor pool_;
  const detail::client_terms limits_;
  std::shared_ptr<lines> lines_;
  caf::strong_actor_ptr self_; // until it ends
  std::map<std::string, worker_number> agents_;
  std::uint64_t last_agent_ = 0;
};

/// Makes the client registry of a pool.
caf::actor make_client_registry(const caf::actor& pool,
                                const detail::client_terms& limits);

} // namespace libpool
