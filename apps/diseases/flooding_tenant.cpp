/// A flooding tenant: eight tenants share a pool, and one of them sends nine
/// messages of ten. All wait behind it, in one queue.
///
/// Cure: a queue for each tenant. They take turns, so that a flood delays
/// itself alone; and how much of it may wait is limited.

#include "patient.hpp"
#include "port/configuring.hpp"
#include "port/sending.hpp"

#include <vector>

using namespace std::chrono_literals;

namespace {

constexpr std::size_t tenants = 8;

std::string tenant_name(std::size_t number) {
  return "tenant_" + std::to_string(number);
}

caf::behavior server(caf::event_based_actor*) {
  return {[](const std::string&) { work_for(5ms); }};
}

/// A client of the pool: passes on what it is asked for, in its own name.
caf::behavior tenant(caf::event_based_actor* self, const caf::actor& pool) {
  return {[=](const std::string& work) { port::send(self, pool, work); }};
}

libpool::policy policy_for(bool is_cured) {
  if (!is_cured)
    return libpool::actor_pool::shared_queue();
  libpool::flow_options fair;
  fair.flow_of = libpool::flow_by<std::string>();
  fair.queue_limit = 1'000;
  return libpool::actor_pool::fair_queuing(fair);
}

/// The pool with its clients, which are in the registry of the system.
class clients {
public:
  caf::actor make_pool(caf::actor_system& system, bool is_cured) {
    auto pool = libpool::actor_pool::make(
      system, 4, [&] { return system.spawn<caf::detached>(server); },
      policy_for(is_cured));
    system_ = &system;
    for (std::size_t i = 0; i < tenants; ++i) {
      all_.push_back(system.spawn(tenant, pool));
      port::enter(system, tenant_name(i), all_.back());
    }
    return pool;
  }

  /// Nine messages of ten are of the last tenant.
  void send(std::size_t i) const {
    auto number = i % 10 == 0 ? i / 10 % (tenants - 1) : tenants - 1;
    port::anon_send(all_[number], tenant_name(number));
  }

  void end() {
    for (std::size_t i = 0; i < tenants; ++i) {
      port::erase(*system_, tenant_name(i));
      caf::anon_send_exit(all_[i], caf::exit_reason::kill);
    }
    all_.clear();
  }

private:
  caf::actor_system* system_ = nullptr;
  std::vector<caf::actor> all_;
};

} // namespace

int main(int argc, char** argv) {
  clients all;
  return look_after(
    argc, argv,
    {"a flooding tenant",
     [&](caf::actor_system& system, bool is_cured) {
       return all.make_pool(system, is_cured);
     },
     1500, [&](const caf::actor&, std::size_t i, bool) { all.send(i); },
     [&] { all.end(); }});
}
