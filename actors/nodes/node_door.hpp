#pragma once

#include "libpool/actors/caf/inner_pool.hpp"
#include "libpool/actors/caf/port/types.hpp"
#include "libpool/actors/caf/watch.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/core/worker_number.hpp"
#include "libpool/nodes/letter_bytes.hpp"

#include <caf/actor_addr.hpp>
#include <caf/error.hpp>
#include <caf/fwd.hpp>
#include <caf/mailbox_element.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace libpool {

/// A node as a worker of its pool. It passes the messages of the pool on to the
/// node registry. Its room is the number of tasks that the node wants.
///
/// Threads: any.
class node_door final : public delivering<node_door, watcher>,
                        public inner_pool {
public:
  /// Represents the node `who` in this session. `keeper` is the node registry.
  node_door(caf::actor_config& cfg, caf::actor_addr keeper,
            worker_number session, const introduction& who);

  const char* kind() const noexcept override {
    return "node";
  }

  /// Unknown until the node has said how many tasks it wants.
  libpool::room room() const noexcept override {
    return {seats_, !is_known_};
  }

  const std::string& node_name() const noexcept {
    return name_;
  }

  const std::vector<std::string>& labels() const noexcept {
    return labels_;
  }

  /// Estimated time to send `bytes` from the node to another one, as far as
  /// known.
  duration time_from_there(std::uint64_t bytes) const noexcept;

  /// Notes the measured speed of contents, and the round-trip time.
  void measured(double bytes_per_second, duration round_trip) noexcept;

  void unwanted(const element_record& element,
                execution_context* host) override;

  /// Notes that the node wants `seats` tasks.
  void resize(std::size_t seats, execution_context* host);

  /// Ends the worker: the node no longer serves.
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
  const std::vector<std::string> labels_;
  std::atomic<double> bytes_per_second_{0};
  std::atomic<duration::rep> round_trip_{0};
  std::atomic<std::size_t> seats_{0};
  std::atomic<bool> is_known_{false};
};

} // namespace libpool
