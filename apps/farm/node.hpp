#pragma once

#include <caf/all.hpp>

#include <chrono>
#include <cstddef>
#include <utility>

namespace farm {

/// Configuration of an actor system that takes part in a farm, with `threads`
/// threads for actors.
class node_config : public caf::actor_system_config {
public:
  explicit node_config(std::size_t threads);
};

/// Ends a pool at the end of a scope.
class owned_pool {
public:
  explicit owned_pool(caf::actor pool) : pool_(std::move(pool)) {
    // nop
  }

  owned_pool(const owned_pool&) = delete;
  owned_pool& operator=(const owned_pool&) = delete;

  ~owned_pool() {
    caf::anon_send_exit(pool_, caf::exit_reason::user_shutdown);
  }

  const caf::actor& handle() const {
    return pool_;
  }

private:
  caf::actor pool_;
};

/// Threads for actors of a program that does not hash.
constexpr std::size_t few_threads = 2;

/// Time between two looks of the front and of agents at their state.
constexpr auto tick = std::chrono::milliseconds{100};

} // namespace farm
