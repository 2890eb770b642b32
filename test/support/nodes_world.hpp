#pragma once

#include "libpool/actors/caf/handles.hpp"
#include "libpool/actors/join_pool.hpp"
#include "libpool/nodes/letter_bytes.hpp"
#include "support/managed_world.hpp"

#include <caf/all.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace test {

/// A connection between a node and its pool, which each takes for the other:
/// it can stand still, and be closed.
class link_actor final
  : public libpool::delivering<link_actor, libpool::front_actor> {
public:
  link_actor(caf::actor_config& cfg, caf::actor_addr pool)
    : delivering(cfg), pool_(std::move(pool)) {
    // nop
  }

  const char* name() const override {
    return "link";
  }

  void deliver(caf::mailbox_element_ptr&& element,
               libpool::execution_context* host) {
    auto pool = caf::actor_cast<caf::strong_actor_ptr>(pool_);
    auto is_for_node = element->sender == pool;
    if (!is_for_node)
      node_ = caf::actor_cast<caf::actor_addr>(element->sender);
    letter what{element->mid, libpool::take_content(*element)};
    if (is_for_node && garbles_)
      what.content = garbled(std::move(what.content));
    if (is_for_node && holds_)
      return held_.push_back(std::move(what));
    auto to = is_for_node ? caf::actor_cast<caf::strong_actor_ptr>(node_)
                          : pool;
    send(to, std::move(what), host);
  }

  /// What the pool says waits from now on, as on a line that stands still.
  void hold() {
    holds_ = true;
  }

  /// The contents of tasks arrive as none that the node can read.
  void garble() {
    garbles_ = true;
  }

  /// What was held arrives.
  void let_go() {
    holds_ = false;
    auto to = caf::actor_cast<caf::strong_actor_ptr>(node_);
    for (auto& each : std::exchange(held_, {}))
      send(to, std::move(each), nullptr);
  }

private:
  struct letter {
    caf::message_id id;
    caf::message content;
  };

  static caf::message garbled(caf::message letter) {
    auto read = libpool::read_letter_to_node(letter.get_as<std::string>(0));
    auto* sent = std::get_if<libpool::tasks_sent>(&read->letter.content);
    if (sent == nullptr)
      return letter;
    const std::vector<std::string_view> contents(sent->tasks.size(), "?");
    return caf::make_message(libpool::bytes_of(read->letter, contents));
  }

  void send(const caf::strong_actor_ptr& to, letter what,
            libpool::execution_context* host) {
    if (to != nullptr)
      to->enqueue(libpool::make_element(libpool::return_path{ctrl(), what.id},
                                        std::move(what.content)),
                  host);
  }

  caf::actor_addr pool_;
  caf::actor_addr node_; // its endpoint, which came first
  bool garbles_ = false;
  bool holds_ = false;
  std::vector<letter> held_;
};

/// A distributed pool and nodes in one system, whose crank the test turns.
class nodes_world : public managed_world {
public:
  explicit nodes_world(std::uint64_t seed = 0) : managed_world(seed) {
    how.lease = std::chrono::seconds{4};
  }

  ~nodes_world() {
    promises.clear();
    run();
    finish();
    end_agents();
  }

  void make() {
    make_over(libpool::actor_pool::shared_queue(options));
  }

  void make_over(const libpool::policy& over) {
    pool = libpool::actor_pool::make(
      system(), libpool::actor_pool::distributed(how, over));
    run();
  }

  /// Joins a node of that many slots whose workers follow the script. Returns
  /// its index.
  std::size_t join(const scripted::script& script, std::size_t slots = 1,
                   const std::string& token = {},
                   const std::vector<std::string>& labels = {}) {
    libpool::join_options offer;
    offer.slots = slots;
    offer.token = token;
    offer.labels = labels;
    offer.name = std::exchange(name_of_next, std::nullopt)
                   .value_or("node" + std::to_string(agents.size()));
    cut.push_back(false);
    links.emplace_back();
    agents.push_back(libpool::detail::join_pool(
      system(), access(agents.size()), offer,
      [this, script] { return system().spawn<scripted>(script); }));
    run();
    return agents.size() - 1;
  }

  /// Adds one to numbers.
  static scripted::script adding() {
    return
      [](scripted&) -> caf::behavior { return {[](int x) { return x + 1; }}; };
  }

  /// Lets time pass in small steps: whoever wakes too late forgives nodes that
  /// were silent meanwhile.
  void wait(std::chrono::milliseconds time) {
    constexpr std::chrono::milliseconds step{100};
    for (; time > step; time -= step)
      advance(step);
    advance(time);
  }

  libpool::agent_state state(std::size_t node) const {
    return libpool::agent_stats(agents.at(node));
  }

  /// Ends the node's program, with what it does.
  void kill_node(std::size_t node) {
    cut.at(node) = true;
    exit(agents.at(node), caf::exit_reason::kill);
    run();
    close_link(node);
  }

  link_actor& link(std::size_t node) const {
    return static_cast<link_actor&>(libpool::actor_behind(links.at(node)));
  }

  /// The connection is lost, which both sides notice.
  void close_link(std::size_t node) {
    link(node).cleanup(caf::exit_reason::remote_link_unreachable, nullptr);
    run();
  }

  void leave(std::size_t node) {
    caf::anon_send(agents.at(node), caf::sys_atom{}, libpool::drain_atom{});
    run();
  }

  bool has_ended(std::size_t node) const {
    return libpool::is_dead(libpool::actor_behind(agents.at(node)));
  }

  void end_agents() {
    for (auto& each : std::exchange(agents, {})) {
      exit(each, caf::exit_reason::kill);
      run();
    }
    links.clear();
    run();
  }

  libpool::node_options how;
  std::optional<std::string> name_of_next; // unless it is named by its index
  std::vector<caf::actor> agents;
  std::vector<caf::actor> links; // the last one of each node
  std::vector<bool> cut;         // nodes that do not find the pool any more

private:
  libpool::detail::front_access access(std::size_t node) {
    libpool::detail::front_access result;
    auto entrance = libpool::entrance_for_nodes(pool);
    caf::actor_addr front = entrance.address();
    result.connect =
      [this, front,
       node](const std::function<void(libpool::detail::found_front)>& found) {
        if (cut.at(node))
          return found(caf::make_error(caf::sec::cannot_connect_to_node));
        found(connect(front, node));
      };
    result.now = [this] { return system().clock().now(); };
    result.seed = node + 1;
    return result;
  }

  caf::strong_actor_ptr connect(const caf::actor_addr& front,
                                std::size_t node) {
    if (caf::actor_cast<caf::strong_actor_ptr>(front) == nullptr)
      return nullptr;
    caf::actor_config cfg;
    links.at(node) = caf::make_actor<link_actor, caf::actor>(
      system().next_actor_id(), system().node(), &system(), cfg, front);
    return caf::actor_cast<caf::strong_actor_ptr>(links.at(node));
  }
};

} // namespace test
