/// A distributed pool with nodes whose agents come and go, and transports that
/// call agents as they end, in threads.

#include "asking_client.hpp"
#include "libpool/actors/distributed.hpp"
#include "libpool/actors/join_pool.hpp"
#include "libpool/nodes/protocol/batch_bytes.hpp"
#include "libpool/nodes/protocol/envelope.hpp"
#include "libpool/nodes/protocol/transport.hpp"
#include "libpool/pool.hpp"
#include "support/config.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace stress_nodes_tests {

using libpool::actor_pool;

namespace {

caf::behavior doubling(caf::event_based_actor*) {
  return {[](std::int64_t x) { return 2 * x; }};
}

/// So many requests of one client are answered, each once.
void ask_many(caf::actor_system& system, const caf::actor& pool, int n) {
  test::asking_clients clients;
  clients.add(system, pool, {0, n, 500, 2});
  CHECK(clients.wait([] {}).right == n);
}

/// A pool that calls the agent in two threads, as often as it is told.
class calling_line {
public:
  calling_line() = default;

  calling_line(const calling_line&) = delete;
  calling_line& operator=(const calling_line&) = delete;

  ~calling_line() {
    stops_ = true;
    for (auto& each : callers_)
      each.join();
  }

  std::shared_ptr<libpool::transport>
  open(const std::shared_ptr<libpool::transport_user>& user) {
    auto result = std::make_shared<silent_line>();
    line_ = result;
    for (auto i = 0; i < 2; ++i)
      callers_.emplace_back([this, user] { call(*user); });
    return result;
  }

  /// Has so many more calls of each kind made, and does not wait for them.
  void call_more(std::size_t count) {
    most_calls_ += count;
  }

  void await_calls() const {
    while (calls_ < most_calls_)
      std::this_thread::yield();
  }

  bool is_closed() const {
    return line_.expired();
  }

private:
  /// Says nothing.
  class silent_line final : public libpool::transport {
  public:
    void say(const std::string&, std::string_view) override {
      // nop
    }

    std::size_t most_bytes() const noexcept override {
      return 0;
    }
  };

  static libpool::received_bytes
  message_with(const libpool::batch_to_node& batch) {
    auto bytes = std::make_shared<const std::string>(
      libpool::bytes_of(libpool::envelope{1, {}}) + libpool::bytes_of(batch));
    return {bytes, *bytes};
  }

  void call(libpool::transport_user& user) {
    const libpool::worker_number session{1};
    auto welcome = message_with(
      {session, libpool::welcome{libpool::incarnation{1}, 1, session,
                                 std::chrono::seconds{1}}});
    auto gone = message_with({session, libpool::gone{session}});
    while (!stops_) {
      if (calls_ >= most_calls_) {
        std::this_thread::yield();
        continue;
      }
      user.came_up();
      user.heard({}, welcome);
      user.heard({}, gone);
      user.went_down("again");
      ++calls_;
    }
  }

  std::weak_ptr<libpool::transport> line_;
  std::atomic<bool> stops_{false};
  std::atomic<std::size_t> calls_{0};
  std::atomic<std::size_t> most_calls_{0};
  std::vector<std::thread> callers_;
};

} // namespace

TEST_CASE("requests are answered exactly once while nodes join and leave") {
  test::config config{2};
  caf::actor_system system{config};
  auto pool = actor_pool::make(system, actor_pool::distributed());
  libpool::join_options options;
  options.slots = 4;
  caf::scoped_actor self{system};
  auto stays = libpool::join_pool(system, pool, options, doubling);
  ask_many(system, pool, 20'000);
  for (auto round = 0; round < 20; ++round) {
    auto leaves = libpool::join_pool(system, pool, options, doubling);
    ask_many(system, pool, 1'000);
    self->request(leaves, caf::infinite, caf::sys_atom{}, libpool::drain_atom{})
      .receive([] {}, [](const caf::error& why) { FAIL(caf::to_string(why)); });
  }
  auto state = libpool::agent_stats(stays);
  CHECK(state.running == 0);
  CHECK(state.strays == 0);
  self->send_exit(stays, caf::exit_reason::user_shutdown);
  self->send_exit(pool, caf::exit_reason::user_shutdown);
}

TEST_CASE("an agent ends safely while its transport calls the agent") {
  test::config config{2};
  caf::actor_system system{config};
  caf::scoped_actor self{system};
  for (auto round = 0; round < 200; ++round) {
    calling_line line;
    libpool::detail::front_access access;
    access.run = libpool::incarnation{1};
    access.open =
      [&line](const std::shared_ptr<libpool::transport_user>& user) {
        return line.open(user);
      };
    libpool::join_options options;
    options.slots = 1;
    auto agent =
      libpool::detail::join_pool(system, std::move(access), options,
                                 [&system] { return system.spawn(doubling); });
    caf::actor_addr address = agent.address();
    line.call_more(static_cast<std::size_t>(round % 50));
    line.await_calls();
    line.call_more(50);
    self->send_exit(agent, caf::exit_reason::user_shutdown);
    agent = nullptr;
    while (caf::actor_cast<caf::strong_actor_ptr>(address) != nullptr)
      std::this_thread::yield();
    CHECK(line.is_closed());
    line.call_more(10);
    line.await_calls();
  }
}

} // namespace stress_nodes_tests
