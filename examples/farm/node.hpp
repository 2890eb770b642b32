#pragma once

#include "options.hpp"

#include <caf/actor_system_config.hpp>

#include <chrono>
#include <cstddef>
#include <string>

namespace farm {

/// Configuration of an actor system that takes part in a farm, with `threads`
/// threads for actors.
class node_config : public caf::actor_system_config {
public:
  node_config(const libpool::tls_files& files, std::size_t threads);
};

/// Time between two looks of the front and of agents at their state.
constexpr auto tick = std::chrono::milliseconds{100};

/// Returns the first line of the file.
///
/// Errors: std::runtime_error if the file has no line.
std::string token_in(const std::string& path);

} // namespace farm
