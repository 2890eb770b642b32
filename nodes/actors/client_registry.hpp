#pragma once

#include "libpool/actors/served_pool_terms.hpp"
#include "libpool/nodes/actors/pool_guest.hpp"
#include "libpool/nodes/protocol/transport.hpp"

#include <caf/actor.hpp>
#include <caf/fwd.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace libpool {

/// Client registry: the actor of a pool that knows the clients in other
/// programs. Each client has a distributed pool of its own, and the served pool
/// is a node of that pool. So the registry makes a `node_agent` for each client
/// that calls. The local pool of this agent is the served pool.
class client_registry final : public delivering<client_registry, pool_guest> {
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

private:
  class lines;

  void make_agent(const std::string& client);
  void note_end(worker_number number, execution_context* host) override;
  void release() override;

  const detail::client_terms limits_;
  std::shared_ptr<lines> lines_;
  std::map<std::string, worker_number> agents_;
  std::uint64_t last_agent_ = 0;
};

/// Makes the client registry of a pool.
caf::actor make_client_registry(const caf::actor& pool,
                                const detail::client_terms& limits);

} // namespace libpool
