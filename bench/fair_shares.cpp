/// The shares of a pool that three clients get which keep 8, 32 and 128
/// requests under way. Workers sleep for a millisecond, in threads of their
/// own, so that two cores are enough.

#include "libpool/pool.hpp"
#include "port/configuring.hpp"
#include "port/sending.hpp"

#include <caf/all.hpp>
#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

using our_pool = libpool::actor_pool;
using namespace std::chrono_literals;

constexpr std::size_t clients = 3;

using per_client = std::array<int, clients>;

constexpr per_client outstanding{8, 32, 128};

/// A worker whose requests name their client and their width.
class sleeper final : public caf::event_based_actor {
public:
  using caf::event_based_actor::event_based_actor;

  caf::behavior make_behavior() override {
    return {[](int, std::size_t) { std::this_thread::sleep_for(1ms); }};
  }
};

/// Keeps so many requests under way, until it is stopped.
class client final : public caf::event_based_actor {
public:
  client(caf::actor_config& cfg, caf::actor pool, int number, int width)
    : caf::event_based_actor(cfg),
      pool_(std::move(pool)),
      number_(number),
      width_(static_cast<std::size_t>(width)) {
    // nop
  }

  caf::behavior make_behavior() override {
    for (auto i = 0; i < outstanding.at(static_cast<std::size_t>(number_)); ++i)
      call();
    return {[this](caf::get_atom) { return answered_; }};
  }

private:
  void call() {
    port::request(this, pool_, caf::infinite, number_, width_)
      .then(
        [this] {
          ++answered_;
          call();
        },
        [this](const caf::error& why) { quit(why); });
  }

  caf::actor pool_;
  int number_;
  std::size_t width_;
  int answered_ = 0;
};

per_client counts(caf::actor_system& system,
                  const std::vector<caf::actor>& all) {
  per_client result{};
  caf::scoped_actor self{system};
  for (std::size_t i = 0; i < clients; ++i)
    port::request(self, all[i], 10s, caf::get_atom{})
      .receive([&](int n) { result.at(i) = n; },
               [](const caf::error&) { std::puts("a client is gone"); });
  return result;
}

/// Lets them ask for a while, and prints how many of all the requests that were
/// answered each one got, and how much of the time of all seats.
void report(caf::actor_system& system, const std::string& name,
            our_pool::policy how, const per_client& widths) {
  auto pool = our_pool::make(
    system, 4, [&] { return system.spawn<sleeper, caf::detached>(); },
    std::move(how));
  std::vector<caf::actor> all;
  for (std::size_t i = 0; i < clients; ++i)
    all.push_back(
      system.spawn<client>(pool, static_cast<int>(i), widths.at(i)));
  std::this_thread::sleep_for(500ms);
  auto before = counts(system, all);
  std::this_thread::sleep_for(3s);
  auto after = counts(system, all);
  per_client seats{};
  auto total = 0;
  for (std::size_t i = 0; i < clients; ++i) {
    seats.at(i) = (after.at(i) - before.at(i)) * widths.at(i);
    total += seats.at(i);
  }
  fmt::print("  {:<28}", name);
  for (std::size_t i = 0; i < clients; ++i)
    fmt::print(" {:6} of width {}: {:4.1f} %", after.at(i) - before.at(i),
               widths.at(i), 100.0 * seats.at(i) / total);
  fmt::print("\n");
  for (auto& each : all)
    caf::anon_send_exit(each, caf::exit_reason::user_shutdown);
  caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
}

} // namespace

int main() {
  caf::actor_system_config cfg;
  libpool::set_up(cfg);
  port::set_threads(cfg, 2);
  caf::actor_system system{cfg};
  libpool::flow_options exact;
  exact.flow_of = libpool::flow_by<int>();
  auto published = exact;
  published.mode = libpool::fair_mode::kubernetes;
  published.queue_limit = 1000;
  published.queues = 4096;
  published.hand_size = 1;
  auto widened = [](libpool::flow_options how) {
    how.width_of = libpool::width_by<std::size_t>();
    return our_pool::fair_queuing(how);
  };
  std::puts("seats of three clients with 8, 32 and 128 requests under way");
  report(system, "shared_queue", our_pool::shared_queue(), {1, 1, 1});
  report(system, "fair_queuing", our_pool::fair_queuing(exact), {1, 1, 1});
  report(system, "fair_queuing", widened(exact), {1, 2, 4});
  report(system, "kubernetes", our_pool::fair_queuing(published), {1, 1, 1});
  report(system, "kubernetes", widened(published), {1, 2, 4});
}
