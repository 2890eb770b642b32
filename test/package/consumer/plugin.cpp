/// A plug-in with a pool in the actor system of its host, whose workers
/// multiply by FACTOR.

#include <libpool/pool.hpp>

#include <caf/all.hpp>

#include <atomic>
#include <stdexcept>

#define PLUGIN_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

/// Crashes at the first message.
caf::behavior multiplier() {
  return {[](int x) {
    static std::atomic<bool> has_crashed{false};
    if (!has_crashed.exchange(true))
      throw std::runtime_error{"once"};
    return FACTOR * x;
  }};
}

} // namespace

PLUGIN_EXPORT void set_up(caf::actor_system_config& config) {
  libpool::set_up(config);
}

PLUGIN_EXPORT void spawn(caf::actor_system& system, caf::actor& pool) {
  libpool::managed_options options;
  options.workers = 2;
  options.on_crash = libpool::retry{1};
  options.restart.max = 1;
  pool = libpool::spawn_pool(system, options, multiplier);
}

/// Makes a pool whose only worker is `worker`.
PLUGIN_EXPORT void nest(caf::actor_system& system, const caf::actor& worker,
                        caf::actor& pool) {
  pool = libpool::spawn_pool(system, 1, [&] { return worker; });
}
