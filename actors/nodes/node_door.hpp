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

/// A node as a worker of its pool: what the pool sends it goes on to the
/// keeper of the nodes. It has as much room as the node wants tasks.
///
/// Threads: any.
class node_door final : public delivering<node_door, watcher>,
                        public inner_pool {
public:
  /// That of the node `who`, which serves in this session.
  node_door(caf::actor_config& cfg, caf::actor_addr keeper,
            worker_number session, const introduction& who);

  const char* kind() const noexcept override {
    return "node";
  }

  /// Until the node has said how many tasks it wants, nobody knows.
  libpool::room room() const noexcept override {
    return {seats_, !is_known_};
  }

  const std::string& node_name() const noexcept {
    return name_;
  }

  const std::vector<std::string>& labels() const noexcept {
    return labels_;
  }

  /// How long so many bytes take from the node to another one, as far as is
  /// known.
  duration time_from_there(std::uint64_t bytes) const noexcept;

  /// So fast are contents, and messages there and back.
  void measured(double bytes_per_second, duration round_trip) noexcept;

  void unwanted(const element_record& element,
                execution_context* host) override;

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
  const std::vector<std::string> labels_;
  std::atomic<double> bytes_per_second_{0};
  std::atomic<duration::rep> round_trip_{0};
  std::atomic<std::size_t> seats_{0};
  std::atomic<bool> is_known_{false};
};

} // namespace libpool
