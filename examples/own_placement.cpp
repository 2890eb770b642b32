/// A placement of one's own: each message goes to the worker that was used last
/// and is idle, so that one client, which waits for each answer, keeps very few
/// of them warm. With the shared queue, all take their turns.

#include "most_recently_used.hpp"

#include "libpool/pool.hpp"
#include "port/configuring.hpp"
#include "port/sending.hpp"

#include <caf/all.hpp>

#include <cstddef>
#include <iostream>
#include <set>

namespace {

constexpr std::size_t workers = 8;
constexpr int requests = 100;

class server : public caf::event_based_actor {
public:
  using caf::event_based_actor::event_based_actor;

  caf::behavior make_behavior() override {
    return {[this](int) { return id(); }};
  }
};

/// How many workers of a pool with this policy answer at least once.
std::size_t used_with(caf::actor_system& system,
                      const libpool::actor_pool::policy& policy) {
  auto pool = libpool::actor_pool::make(
    system, workers, [&] { return system.spawn<server>(); }, policy);
  std::set<caf::actor_id> used;
  caf::scoped_actor self{system};
  for (int i = 0; i < requests; ++i)
    port::request(self, pool, caf::infinite, i)
      .receive([&](caf::actor_id worker) { used.insert(worker); },
               [&](const caf::error& why) {
                 std::cerr << libpool::render(why, system) << '\n';
               });
  caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
  return used.size();
}

} // namespace

int main() {
  using libpool::actor_pool;
  caf::actor_system_config config;
  libpool::set_up(config);
  port::set_threads(config, 2);
  caf::actor_system system{config};
  std::cout << "shared_queue: " << used_with(system, actor_pool::shared_queue())
            << " workers\nmost_recently_used: "
            << used_with(system, actor_pool::managed(few_warm_workers))
            << " workers\n";
}
