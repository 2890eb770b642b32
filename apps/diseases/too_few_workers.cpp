/// Too few workers: each message waits for a disk for 10 ms, 300 come in a
/// second, and two workers can do 200.
///
/// Cure: as many workers as the rate times the service time, and some more.
/// They wait most of the time, so they have threads of their own.

#include "patient.hpp"
#include "port/sending.hpp"

using namespace std::chrono_literals;

namespace {

caf::behavior reader(caf::event_based_actor*) {
  return {[](int) { work_for(10ms); }};
}

caf::actor make(caf::actor_system& system, bool is_cured) {
  libpool::managed_options options;
  options.workers = is_cured ? 6 : 2;
  options.capacity = 10'000;
  return libpool::spawn_pool(
    system, options, [&] { return system.spawn<caf::detached>(reader); });
}

} // namespace

int main(int argc, char** argv) {
  return look_after(argc, argv,
                    {"too few workers", make, 300,
                     [](const caf::actor& pool, std::size_t i, bool) {
                       port::anon_send(pool, static_cast<int>(i));
                     }});
}
