#pragma once

#include "libpool/actors/caf/inner_pool.hpp"
#include "libpool/actors/caf/node_worker.hpp"
#include "libpool/actors/caf/port/types.hpp"
#include "libpool/actors/caf/watch.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/core/worker_number.hpp"
#include "libpool/nodes/protocol/node_connections.hpp"

#include <caf/actor_addr.hpp>
#include <caf/error.hpp>
#include <caf/fwd.hpp>
#include <caf/mailbox_element.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace libpool {

/// Calls of a node proxy to the node registry.
struct proxy_calls {
  /// Session of the node.
  worker_number session{};
  /// Sends the node a task of the pool.
  std::function<void(caf::mailbox_element_ptr, execution_context*)> submit;
  /// What the pool says of the node or of its tasks. Called with the
  /// connections of the registry, in its turn.
  using fact = std::function<void(node_connections&, instant now)>;
  /// Notes a fact.
  std::function<void(fact, execution_context*)> note;
};

/// Node proxy: a node as a worker of its pool. The proxy passes the messages of
/// the pool on to the node registry. The room of the proxy is the number of
/// tasks that the node wants.
///
/// Threads: any.
class node_proxy final : public delivering<node_proxy, watcher>,
                         public inner_pool,
                         public node_worker {
public:
  /// `exchanges_facts`: whether the node is told what the pool knows of tasks,
  /// and is asked when handlers begin.
  node_proxy(caf::actor_config& cfg, proxy_calls calls, const introduction& who,
             bool exchanges_facts);

  const char* kind() const noexcept override {
    return "node";
  }

  /// Number of tasks that the node wants. A node that wants no tasks now will
  /// want tasks later, or will leave.
  libpool::room room() const noexcept override {
    return {seats_, true};
  }

  const node_worker* as_node() const noexcept override {
    return this;
  }

  const std::string& node_name() const noexcept override {
    return name_;
  }

  const std::vector<std::string>& labels() const noexcept override {
    return labels_;
  }

  bool tells_facts() const noexcept override {
    return exchanges_facts_;
  }

  duration time_from_there(std::uint64_t bytes) const noexcept override;

  /// Notes the measured rate at which contents reach the node, and the
  /// round-trip time.
  void measured(double bytes_per_second, duration round_trip) noexcept;

  void cancel_messages(const inner_messages& messages, bool,
                       execution_context* host) override;

  void take_back_messages(const inner_messages& messages,
                          execution_context* host) override;

  bool tells_begin(const element_record& element,
                   execution_context* host) override;

  void paused(bool is, execution_context* host) override;

  /// Notes that the node wants `seats` tasks.
  void resize(std::size_t seats, execution_context* host);

  /// Ends the proxy, because the node no longer serves.
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
  const proxy_calls calls_;
  const std::string name_;
  const std::vector<std::string> labels_;
  const bool exchanges_facts_;
  std::atomic<double> bytes_per_second_{0};
  std::atomic<duration::rep> round_trip_{0};
  std::atomic<std::size_t> seats_{0};
};

} // namespace libpool
