/// A flooding tenant: eight tenants share a pool, and one of them sends nine
/// messages of ten. All wait behind it, in one queue.
///
/// Cure: a queue for each tenant. They take turns, so that a flood delays
/// itself alone; and how much of it may wait is limited.

#include "patient.hpp"
#include "port/sending.hpp"

using namespace std::chrono_literals;

namespace {

caf::behavior server(caf::event_based_actor*) {
  return {[](const std::string&) { work_for(5ms); }};
}

libpool::policy policy_for(bool is_cured) {
  if (!is_cured)
    return libpool::actor_pool::shared_queue();
  libpool::flow_options fair;
  fair.flow_of = libpool::flow_by<std::string>();
  fair.queue_limit = 1'000;
  return libpool::actor_pool::fair_queuing(fair);
}

caf::actor make(caf::actor_system& system, bool is_cured) {
  return libpool::actor_pool::make(
    system, 4, [&] { return system.spawn<caf::detached>(server); },
    policy_for(is_cured));
}

std::string tenant(std::size_t i) {
  return "tenant-" + std::to_string(i % 10 == 0 ? i / 10 % 7 : 7);
}

} // namespace

int main(int argc, char** argv) {
  return look_after(argc, argv,
                    {"a flooding tenant", make, 1500,
                     [](const caf::actor& pool, std::size_t i, bool) {
                       port::anon_send(pool, tenant(i));
                     }});
}
