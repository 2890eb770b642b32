#pragma once

#include "options.hpp"

#include <caf/actor_system_config.hpp>

#include <chrono>
#include <cstddef>
#include <string>

namespace farm {

/// The configuration of an actor system that takes part in a farm: so many
/// threads run actors.
class node_config : public caf::actor_system_config {
public:
  node_config(const libpool::tls_files& files, std::size_t threads);
};

/// So often front and agent look at what goes on.
constexpr auto tick = std::chrono::milliseconds{100};

/// The first line of the file.
///
/// Errors: std::runtime_error if there is none.
std::string token_in(const std::string& path);

} // namespace farm
