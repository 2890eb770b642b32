#pragma once

#include "libpool/actors/caf/port/inspection.hpp"

#include <caf/actor.hpp>

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace libpool {

/// Part of a managed pool that is paused or resumed: the whole pool, one flow,
/// one worker or one node. At most one member is set; none: the whole pool.
struct pause_scope {
  /// Name of the flow, for example of a tenant; unset: no flow. The empty name
  /// is that of the messages without a flow.
  std::optional<std::string> flow = {};
  /// Worker of the pool; a null handle: no worker.
  caf::actor worker = {};
  /// Name of the node, which is a program with workers of the pool; empty: no
  /// node.
  std::string node = {};

  /// Returns the scope of a whole pool.
  static pause_scope of_pool() {
    return {};
  }

  /// Returns the scope of the flow with this name.
  static pause_scope of_flow(std::string name) {
    pause_scope result;
    result.flow = std::move(name);
    return result;
  }

  /// Returns the scope of this worker. Throws std::invalid_argument if the
  /// handle is invalid.
  static pause_scope of_worker(caf::actor worker) {
    require(worker != nullptr, "of_worker: the handle is invalid");
    pause_scope result;
    result.worker = std::move(worker);
    return result;
  }

  /// Returns the scope of the node with this name. Throws
  /// std::invalid_argument if the name is empty.
  static pause_scope of_node(std::string name) {
    require(!name.empty(), "of_node: the name of the node is empty");
    pause_scope result;
    result.node = std::move(name);
    return result;
  }

  /// Whether the scope is a whole pool.
  bool is_pool() const noexcept {
    return !flow && worker == nullptr && node.empty();
  }

private:
  static void require(bool holds, const char* bound) {
    if (!holds)
      throw std::invalid_argument{std::string{"libpool: pause_scope: "}
                                  + bound};
  }
};

/// Whether two scopes are the same.
inline bool operator==(const pause_scope& x, const pause_scope& y) {
  return x.flow == y.flow && x.worker == y.worker && x.node == y.node;
}

/// Passes a scope to an inspector of CAF, to send it to other nodes.
template <class Inspector>
inspection<Inspector> inspect(Inspector& f, pause_scope& x) {
  auto has_flow = x.flow.has_value();
  auto flow = x.flow.value_or(std::string{});
  auto load = [&] { x.flow = has_flow ? std::optional{flow} : std::nullopt; };
  return inspect_values(f, x, "libpool::pause_scope", load,
                        field{"has_flow", has_flow}, field{"flow", flow},
                        field{"worker", x.worker}, field{"node", x.node});
}

} // namespace libpool
