#pragma once

#include "libpool/actors/caf/port/inspection.hpp"

#include <caf/actor_control_block.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace libpool {

/// Selects messages of a pool, for example to cancel them: the messages that
/// match each member that is set. A selection without set members matches no
/// message.
struct selection {
  /// Whether to select all messages that match the other members.
  bool all = false;
  /// Name of the id of the messages, which `managed_options::id_of` or
  /// `pipeline_options::id_of` returns; a number is named by its decimal
  /// digits; empty: any.
  std::string id = {};
  /// Name of the flow of the messages, for example of their tenant; unset: any.
  /// The empty name is that of the messages without a flow.
  std::optional<std::string> flow = {};
  /// Client that has sent the messages; nullptr: any.
  caf::strong_actor_ptr client = {};

  /// Returns a selection of all messages of a pool.
  static selection of_all() {
    selection result;
    result.all = true;
    return result;
  }

  /// Returns a selection of the messages with this id.
  static selection of_id(std::string id) {
    selection result;
    result.id = std::move(id);
    return result;
  }

  /// Returns a selection of the messages of this flow.
  static selection of_flow(std::string flow) {
    selection result;
    result.flow = std::move(flow);
    return result;
  }

  /// Returns a selection of the messages that this client has sent.
  static selection of_client(caf::strong_actor_ptr client) {
    selection result;
    result.client = std::move(client);
    return result;
  }

  /// Whether the selection matches no message.
  bool is_empty() const noexcept {
    return !all && id.empty() && !flow && client == nullptr;
  }
};

/// Numbers of messages that were cancelled together. For a pipeline: of items
/// that no stage had, and of items that stages had.
struct cancel_counts {
  /// Number of messages that no worker had begun. No worker begins them.
  std::uint64_t waiting = 0;
  /// Number of messages that workers were handling, and of those in the
  /// mailboxes of blocking workers. Their handlers are asked to stop.
  std::uint64_t running = 0;
};

/// Shows a selection to an inspector of CAF, to send it to other nodes.
template <class Inspector>
inspection<Inspector> inspect(Inspector& f, selection& x) {
  auto has_flow = x.flow.has_value();
  auto flow = x.flow.value_or(std::string{});
  auto load = [&] { x.flow = has_flow ? std::optional{flow} : std::nullopt; };
  return inspect_values(f, x, "libpool::selection", load, field{"all", x.all},
                        field{"id", x.id}, field{"has_flow", has_flow},
                        field{"flow", flow}, field{"client", x.client});
}

/// Shows the numbers of messages that were cancelled to an inspector of CAF.
template <class Inspector>
inspection<Inspector> inspect(Inspector& f, cancel_counts& x) {
  return inspect_fields(f, x, "libpool::cancel_counts",
                        field{"waiting", x.waiting},
                        field{"running", x.running});
}

} // namespace libpool
