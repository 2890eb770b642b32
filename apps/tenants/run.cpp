#include "run.hpp"

#include "client.hpp"
#include "libpool/actors/set_up.hpp"

#include <caf/all.hpp>

#include <chrono>
#include <cstddef>
#include <iostream>
#include <thread>
#include <utility>

namespace tenants {

namespace {

/// The service. It sleeps as if it waited for a disk or a database, so that
/// there may be more workers than cores; each has a thread of its own, since it
/// would keep one of CAF's scheduler from all other actors.
class worker : public caf::event_based_actor {
public:
  using caf::event_based_actor::event_based_actor;

  caf::behavior make_behavior() override {
    return {[](const std::string& /* tenant */, duration work) {
      std::this_thread::sleep_for(work);
    }};
  }
};

} // namespace

run_result run(const std::string& name, libpool::actor_pool::policy policy,
               const scenario& scenario, live_page::wanted& live) {
  run_result out;
  out.policy = name;
  out.halfway = scenario.length / 2;
  for (const auto& each : scenario.demands)
    out.tenants.emplace_back().wanted = each;

  caf::actor_system_config config;
  libpool::set_up(config);
  caf::actor_system system{config};
  auto pool = libpool::actor_pool::make(
    system, scenario.workers,
    [&] { return system.spawn<worker, caf::detached>(); }, std::move(policy));

  live_page::page page{
    live, [&](const std::string& line) { std::cerr << line << '\n'; }};
  page.add(pool, name);
  live = page.port();

  caf::scoped_actor self{system};
  const instant begin = std::chrono::steady_clock::now();
  auto seed = scenario.seed;
  for (auto& each : out.tenants)
    self->monitor(
      system.spawn<client>(pool, begin + scenario.length, seed++, each));
  std::this_thread::sleep_until(begin + out.halfway);
  out.seen = libpool::actor_pool::stats(pool);
  out.seen_at = std::chrono::steady_clock::now();
  out.seen.members.clear(); // handles, which are not to outlive the system

  std::size_t ended = 0;
  self->receive_for(ended, out.tenants.size())([](const caf::down_msg&) {});
  caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
  return out;
}

} // namespace tenants
