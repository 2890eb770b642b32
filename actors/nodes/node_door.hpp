#pragma once

#include "libpool/actors/caf/inner_pool.hpp"
#include "libpool/actors/caf/port/types.hpp"
#include "libpool/actors/caf/watch.hpp"
#include "libpool/core/worker_number.hpp"

#include <caf/actor_addr.hpp>
#include <caf/error.hpp>
#include <caf/fwd.hpp>
#include <caf/mailbox_element.hpp>

#include <atomic>
#include <cstddef>
#include <string>

namespace libpool {

/// A node as a worker of its pool: what the pool sends it goes on to the
/// keeper of the nodes. It has as much room as the node wants tasks.
///
/// Threads: any.
class node_door final : public delivering<node_door, watcher>,
                        public inner_pool {
public:
  /// That of a node which serves in this session; `name` is for people.
  node_door(caf::actor_config& cfg, caf::actor_addr keeper,
            worker_number session, std::string name);

  const char* kind() const noexcept override {
    return "node";
  }

  /// Until the node has said how many tasks it wants, nobody knows.
  libpool::room room() const noexcept override {
    return {seats_, !is_known_};
  }

  /// The node wants so many tasks.
  void resize(std::size_t seats, execution_context* host);

  /// The node serves no more.
  void close(const caf::error& reason, execution_context* host);

  void deliver(caf::mailbox_element_ptr&& element, execution_context* host);

  const char* name() const override {
    return name_.c_str();
  }

  void worker_died(worker_number, const caf::error&,
                   execution_context*) override {
    // nop
  }

private:
  const caf::actor_addr keeper_;
  const worker_number session_;
  const std::string name_;
  std::atomic<std::size_t> seats_{0};
  std::atomic<bool> is_known_{false};
};

} // namespace libpool
