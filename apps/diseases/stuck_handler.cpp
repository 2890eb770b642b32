/// A stuck handler: one message in fifty waits for a lock that nobody gives
/// back, and its worker with it. When all workers do, the pool stands still.
///
/// Cure: wait for a limited time, and answer with an error. A deadline answers
/// clients in the meantime, but gives nobody the thread back.

#include "patient.hpp"
#include "port/sending.hpp"

#include "libpool/actors/error.hpp"

#include <mutex>

using namespace std::chrono_literals;

namespace {

std::timed_mutex the_lock;

/// Returns whether it was got.
bool use_the_lock(bool is_cured) {
  if (is_cured)
    return std::unique_lock{the_lock, 50ms}.owns_lock();
  const std::lock_guard held{the_lock};
  return true;
}

caf::behavior worker(caf::event_based_actor*, bool is_cured) {
  return {[=](std::size_t i) -> caf::result<void> {
    if (i % 50 == 49 && !use_the_lock(is_cured))
      return libpool::make_error(libpool::errc::timeout, "the lock");
    work_for(5ms);
    return {};
  }};
}

caf::actor make(caf::actor_system& system, bool is_cured) {
  libpool::managed_options options;
  options.workers = 4;
  if (is_cured)
    options.deadline = 1s;
  return libpool::spawn_pool(system, options, [&system, is_cured] {
    return system.spawn<caf::detached>(worker, is_cured);
  });
}

} // namespace

int main(int argc, char** argv) {
  the_lock.lock(); // and forgets it
  return look_after(argc, argv,
                    {"a stuck handler", make, 200,
                     [](const caf::actor& pool, std::size_t i, bool) {
                       port::anon_send(pool, i);
                     },
                     [] { the_lock.unlock(); }});
}
