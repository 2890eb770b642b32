#pragma once

#include "libpool/actors/caf/handles.hpp"
#include "libpool/actors/distributed.hpp"
#include "libpool/actors/join_pool.hpp"
#include "libpool/nodes/protocol/batch_bytes.hpp"
#include "libpool/nodes/protocol/envelope.hpp"
#include "libpool/nodes/protocol/transport.hpp"
#include "support/managed_world.hpp"

#include <caf/all.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace test {

/// The line between a node and its pool, which the test can interrupt.
class node_line final : public libpool::transport_user,
                        public libpool::transport {
public:
  explicit node_line(std::shared_ptr<libpool::transport_user> node)
    : node_(std::move(node)) {
    // nop
  }

  /// Holds the messages of the pool back from now on, like a line that is
  /// blocked.
  void hold() {
    holds_ = true;
  }

  /// Delivers the messages that were held back.
  void let_go() {
    holds_ = false;
    for (auto& each : std::exchange(held_, {}))
      node_->heard({}, std::move(each));
  }

  /// Replaces the contents of tasks from now on by these bytes, which the node
  /// cannot read unless they are packed.
  void garble(std::string content = "?") {
    replaces_ = std::move(content);
  }

  /// Loses all messages from now on, and tells the node that the line is down.
  void cut() {
    is_cut_ = true;
    node_->went_down("the cable is cut");
  }

  void restore() {
    is_cut_ = false;
    node_->came_up();
  }

  /// Lets the next `after` messages to the node pass, and then loses `count`
  /// messages.
  void lose_to_node(std::size_t count, std::size_t after = 0) {
    to_node_ = {after, count};
  }

  void lose_to_pool(std::size_t count, std::size_t after = 0) {
    to_pool_ = {after, count};
  }

  // -- called by the pool -----------------------------------------------------

  void heard(const std::string&, libpool::received_bytes message) override {
    if (is_lost(to_node_))
      return;
    if (replaces_)
      message = garbled(std::move(message));
    if (holds_)
      held_.push_back(std::move(message));
    else
      node_->heard({}, std::move(message));
  }

  void came_up() override {
    if (!is_cut_)
      node_->came_up();
  }

  void went_down(const std::string&) override {
    FAIL("lines within a process do not go down");
  }

  void closed() override {
    node_->closed();
  }

  // -- called by the node -----------------------------------------------------

  void say(const std::string&, std::string_view message) override {
    ++said;
    if (!is_lost(to_pool_) && pool != nullptr)
      pool->say({}, message);
  }

  std::size_t most_bytes() const noexcept override {
    return std::numeric_limits<std::size_t>::max();
  }

  /// Returns bytes as they arrive at a node.
  static libpool::received_bytes owned(std::string bytes) {
    auto owner = std::make_shared<const std::string>(std::move(bytes));
    return {owner, *owner};
  }

  std::shared_ptr<libpool::transport> pool; // unset after the node's end
  std::size_t said = 0;                     // messages of the node

private:
  struct losses {
    std::size_t after = 0;
    std::size_t count = 0;
  };

  bool is_lost(losses& next) const {
    if (is_cut_)
      return true;
    auto& passes = next.after > 0 ? next.after : next.count;
    auto is_lost = next.after == 0 && next.count > 0;
    passes -= passes > 0 ? 1 : 0;
    return is_lost;
  }

  libpool::received_bytes garbled(libpool::received_bytes message) const {
    auto opened = libpool::open_envelope(message.bytes);
    auto read = libpool::read_batch_to_node(opened->batch);
    auto* sent = std::get_if<libpool::tasks_sent>(&read->batch.content);
    if (sent == nullptr)
      return message;
    const std::vector<std::string_view> contents(sent->tasks.size(),
                                                 *replaces_);
    return owned(libpool::bytes_of(opened->head)
                 + libpool::bytes_of(read->batch, contents));
  }

  const std::shared_ptr<libpool::transport_user> node_;
  std::optional<std::string> replaces_;
  bool holds_ = false;
  bool is_cut_ = false;
  losses to_node_;
  losses to_pool_;
  std::vector<libpool::received_bytes> held_;
};

/// Policy of a local pool that gathers the answer of one worker.
inline libpool::policy gathering(const libpool::managed_options& local) {
  using libpool::actor_pool;
  return actor_pool::first_success(1, actor_pool::shared_queue(local));
}

/// A distributed pool and its nodes in one actor system, which the test runs
/// step by step.
class nodes_world : public managed_world {
public:
  explicit nodes_world(std::uint64_t seed = 0) : managed_world(seed) {
    how.lease = std::chrono::seconds{4};
  }

  ~nodes_world() {
    promises.clear();
    run();
    finish();
    for (auto& each : std::exchange(agents, {})) {
      exit(each, caf::exit_reason::kill);
      run();
    }
    lines.clear();
    run();
  }

  void make() {
    make_over(libpool::actor_pool::shared_queue(options));
  }

  void make_over(const libpool::policy& over) {
    pool = libpool::actor_pool::make(
      system(), libpool::actor_pool::distributed(how, over));
    run();
  }

  /// Adds a node with `slots` slots whose workers follow the script. Returns
  /// the index of the node.
  std::size_t join(const scripted::script& script, std::size_t slots = 1,
                   const std::vector<std::string>& labels = {}) {
    offer.slots = slots;
    offer.labels = labels;
    return join_with(
      [this, script] { return system().spawn<scripted>(script); });
  }

  /// Adds a node as `offer` says, whose workers the factory makes. Returns the
  /// index of the node.
  std::size_t join_with(const std::function<caf::actor()>& factory) {
    offer.name = std::exchange(name_of_next, std::nullopt)
                   .value_or("node" + std::to_string(agents.size()));
    lines.emplace_back();
    agents.push_back(libpool::detail::join_pool(system(), access(agents.size()),
                                                offer, factory));
    run();
    return agents.size() - 1;
  }

  /// Makes the pool, and adds a node.
  void begin(const scripted::script& script, std::size_t slots = 1) {
    make();
    join(script, slots);
  }

  void end_pool() {
    exit(pool, caf::exit_reason::user_shutdown);
    run();
  }

  /// Script of a worker that adds one to numbers, and notes them.
  scripted::script adding() {
    return [this](scripted&) -> caf::behavior {
      return {[this](int x) {
        handled.push_back(x);
        return x + 1;
      }};
    };
  }

  /// Sends a request to the pool. Returns the number of the request.
  template <class T>
  std::uint64_t submit(const T& content) {
    auto result = client.request(pool, content);
    run();
    return result;
  }

  /// Sends the numbers from `first` to `last` as requests. Returns the numbers
  /// of the requests.
  std::vector<std::uint64_t> request_all(int first, int last) {
    std::vector<std::uint64_t> result;
    for (auto i = first; i <= last; ++i)
      result.push_back(client.request(pool, i));
    run();
    return result;
  }

  /// Lets time pass in small steps: a pool that wakes too late does not count
  /// the delay against silent nodes.
  void wait(std::chrono::milliseconds time) {
    constexpr std::chrono::milliseconds step{100};
    for (; time > step; time -= step)
      advance(step);
    advance(time);
  }

  /// Lets time pass in which tasks for a busy node wait for each other.
  void let_travel() {
    wait(std::chrono::milliseconds{1});
  }

  libpool::agent_state state(std::size_t node) const {
    return libpool::agent_stats(agents.at(node));
  }

  /// Ends the node's program and its tasks. The pool is not told.
  void kill_node(std::size_t node) {
    exit(agents.at(node), caf::exit_reason::kill);
    run();
    CHECK(link(node).pool == nullptr);
  }

  /// Lets the lease of silent nodes pass, and a quarter of a lease more: the
  /// pool looks for silent nodes in each quarter.
  void await_losses() {
    wait(std::chrono::duration_cast<std::chrono::milliseconds>(
      how.lease + libpool::beat_interval(how.lease)));
  }

  /// Ends the node's program, and waits until the pool has noticed it.
  void lose_node(std::size_t node) {
    kill_node(node);
    await_losses();
  }

  node_line& link(std::size_t node) const {
    return *lines.at(node);
  }

  void cut(std::size_t node) {
    link(node).cut();
    run();
  }

  void restore(std::size_t node) {
    link(node).restore();
    run();
  }

  /// Connects the line of the node to the current pool.
  void lead_to_pool(std::size_t node) {
    link(node).pool = libpool::detail::connect_node(pool, lines.at(node));
    run();
  }

  /// Asks the node to leave. Returns the number of the request.
  std::uint64_t leave(std::size_t node) {
    auto result = client.request(agents.at(node), caf::sys_atom{},
                                 libpool::drain_atom{});
    run();
    return result;
  }

  bool has_ended(std::size_t node) const {
    return libpool::is_dead(libpool::actor_behind(agents.at(node)));
  }

  /// Returns why the agent of the node has ended.
  caf::error why_ended(std::size_t node) const {
    return libpool::fail_state_of(libpool::actor_behind(agents.at(node)));
  }

  libpool::node_options how;
  libpool::join_options offer;             // of the next node
  std::optional<std::string> name_of_next; // unset: named by its index
  /// Called with each line when it is opened.
  std::function<void(node_line&)> on_open;
  libpool::duration slept{0}; // time that the machines of nodes slept
  std::vector<int> handled;   // by workers that add
  std::vector<caf::actor> agents;
  std::vector<std::shared_ptr<node_line>> lines; // one for each node

private:
  libpool::detail::front_access access(std::size_t node) {
    libpool::detail::front_access result;
    auto address = caf::actor_cast<caf::actor_addr>(pool);
    result.open = [this, address,
                   node](std::shared_ptr<libpool::transport_user> user) {
      return open(caf::actor_cast<caf::actor>(address), node, std::move(user));
    };
    result.now = [this] { return system().clock().now() + slept; };
    result.run = libpool::incarnation{node + 1};
    return result;
  }

  std::shared_ptr<libpool::transport>
  open(const caf::actor& to, std::size_t node,
       std::shared_ptr<libpool::transport_user> user) {
    auto& line = lines.at(node);
    line = std::make_shared<node_line>(std::move(user));
    if (on_open)
      on_open(*line);
    line->pool = libpool::detail::connect_node(to, line);
    return {line.get(), [line](node_line* ended) { ended->pool = nullptr; }};
  }
};

} // namespace test
