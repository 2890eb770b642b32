/// One slow worker: of four, which get messages in turn, one takes 100 ms where
/// the others take 5. What it is given waits, while the others have nothing to
/// do.
///
/// Cure: bind messages late. Who is idle takes the next one, so the slow worker
/// gets as many as it can do.

#include "patient.hpp"
#include "port/sending.hpp"

using namespace std::chrono_literals;

namespace {

caf::behavior worker(caf::event_based_actor*, std::chrono::milliseconds time) {
  return {[time](int) { work_for(time); }};
}

caf::actor make(caf::actor_system& system, bool is_cured) {
  auto spawn = [&system, i = 0]() mutable {
    return system.spawn<caf::detached>(worker, ++i == 3 ? 100ms : 5ms);
  };
  auto policy = is_cured ? libpool::actor_pool::shared_queue()
                         : libpool::actor_pool::managed_round_robin();
  return libpool::actor_pool::make(system, 4, spawn, std::move(policy));
}

} // namespace

int main(int argc, char** argv) {
  return look_after(argc, argv,
                    {"one slow worker", make, 200,
                     [](const caf::actor& pool, std::size_t i, bool) {
                       port::anon_send(pool, static_cast<int>(i));
                     }});
}
