#pragma once

#include "libpool/actors/set_up.hpp"
#include "port/configuring.hpp"
#include "support/port/message_types.hpp"

#include <caf/actor_system_config.hpp>

#include <cstddef>

namespace test {

/// Of a system with threads: so many, or as many as CAF likes.
struct config : caf::actor_system_config {
  config() {
    libpool::set_up(*this);
  }

  explicit config(std::size_t threads) : config() {
    port::set_threads(*this, threads);
  }
};

} // namespace test
