#include "libpool/remote/gate.hpp"

#include "libpool/actors/actor_pool.hpp"
#include "libpool/actors/distributed.hpp"
#include "libpool/actors/error.hpp"
#include "libpool/remote/publishing.hpp"

#include <utility>

namespace libpool {

caf::expected<gate> gate::for_submitters(caf::actor_system& system,
                                         const caf::actor& pool,
                                         gate_options options) {
  return opened(
    gate{system, pool, actor_pool::submit_only(pool), std::move(options)});
}

caf::expected<gate> gate::for_agents(caf::actor_system& system,
                                     const caf::actor& pool,
                                     gate_options options) {
  auto entrance = entrance_for_nodes(pool);
  if (!wants_token(pool))
    return make_error(
      errc::insecure,
      "the pool has no token that nodes must present: set node_options::token");
  gate result{system, pool, std::move(entrance), std::move(options)};
  result.is_for_agents_ = true;
  return opened(std::move(result));
}

caf::expected<gate> gate::opened(gate result) {
  auto port = publish_actor(*result.system_, result.published_,
                            result.options_);
  if (!port) {
    result.close_to_submitters();
    return std::move(port.error());
  }
  result.port_ = *port;
  result.is_open_ = true;
  return result;
}

gate::gate(caf::actor_system& system, caf::actor pool, caf::actor published,
           gate_options options)
  : system_(&system),
    pool_(std::move(pool)),
    published_(std::move(published)),
    options_(std::move(options)) {
  // nop
}

gate::gate(gate&& other) noexcept
  : system_(other.system_),
    pool_(std::move(other.pool_)),
    published_(std::move(other.published_)),
    options_(std::move(other.options_)),
    port_(other.port_),
    is_for_agents_(other.is_for_agents_),
    is_open_(std::exchange(other.is_open_, false)) {
  // nop
}

gate::~gate() {
  close();
}

submissions gate::counts() const {
  if (!is_for_agents_)
    return actor_pool::submissions_of(published_);
  auto nodes = nodes_of(pool_);
  return {nodes.letters, nodes.strays + nodes.turned_away};
}

/// The actor ends, since CAF's registry keeps any that others have heard of.
void gate::close_to_submitters() {
  if (!is_for_agents_)
    actor_pool::close(published_);
}

void gate::close() {
  if (!std::exchange(is_open_, false))
    return;
  close_to_submitters();
  unpublish_actor(*system_, published_, options_, port_);
}

} // namespace libpool
