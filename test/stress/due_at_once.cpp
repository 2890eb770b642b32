/// Pools for which the time comes at once, and more of them than the clock of
/// the system can be asked for at once.

#include "libpool/actors/caf/port/alarm.hpp"
#include "libpool/actors/caf/port/front_actor.hpp"
#include "libpool/actors/caf/port/types.hpp"
#include "libpool/pool.hpp"
#include "support/config.hpp"
#include "support/patience.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <future>
#include <thread>
#include <utility>
#include <vector>

namespace due_at_once_tests {

using namespace std::chrono_literals;

using test::patience;

namespace {

constexpr auto deadline = 100ms;
constexpr std::size_t pool_count = 300; // the clock takes 64 things at once

/// Tells that it has a message, and keeps the thread that has sent it, which is
/// that of the clock here.
class keeper final : public libpool::delivering<keeper, libpool::front_actor> {
public:
  keeper(caf::actor_config& cfg, std::promise<void> has_it,
         std::shared_future<void> until)
    : delivering(cfg), has_it_(std::move(has_it)), until_(std::move(until)) {
    // nop
  }

  void deliver(caf::mailbox_element_ptr&&, libpool::execution_context*) {
    has_it_.set_value();
    until_.wait();
  }

  const char* name() const override {
    return "keeper";
  }

private:
  std::promise<void> has_it_;
  std::shared_future<void> until_;
};

/// Pools without workers, in which messages wait until their deadline.
struct world {
  test::config config;
  caf::actor_system system{config};
  std::vector<caf::actor> pools;

  world() {
    libpool::managed_options options;
    options.deadline = deadline;
    options.when_empty = libpool::when_empty::wait;
    for (std::size_t i = 0; i < pool_count; ++i)
      pools.push_back(libpool::actor_pool::make(
        system, libpool::actor_pool::shared_queue(options)));
  }

  world(const world&) = delete;
  world& operator=(const world&) = delete;

  ~world() {
    for (auto& pool : pools)
      caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
  }

  void send_to_all() {
    for (auto& pool : pools)
      caf::anon_send(pool, 1);
  }

  /// Has the clock send something now, and its thread wait until then. Returns
  /// whether the clock did.
  bool keep_clock(std::shared_future<void> until) {
    std::promise<void> has_it;
    auto told = has_it.get_future();
    caf::actor_config cfg;
    auto receiver = caf::make_actor<keeper, caf::actor>(
      system.next_actor_id(), system.node(), &system, cfg, std::move(has_it),
      std::move(until));
    libpool::alarm{}.set(system, system.clock().now(), receiver);
    return told.wait_for(patience) == std::future_status::ready;
  }
};

} // namespace

TEST_CASE_FIXTURE(
  world,
  "the clock keeps working when many pools are due together, repeatedly") {
  send_to_all();
  std::promise<void> opener;
  auto opened = opener.get_future().share();
  REQUIRE(keep_clock(opened));
  auto all_are_due = system.clock().now() + 2 * deadline;
  while (system.clock().now() < all_are_due)
    std::this_thread::yield();
  send_to_all();
  opener.set_value();
  CHECK(keep_clock(opened));
}

} // namespace due_at_once_tests
