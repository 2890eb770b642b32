#pragma once

#include "libpool/actors/caf/parcel.hpp"
#include "libpool/actors/served_pool_terms.hpp"
#include "libpool/nodes/actors/pool_guest.hpp"
#include "libpool/nodes/protocol/work_queue.hpp"

#include <caf/actor.hpp>
#include <caf/actor_control_block.hpp>
#include <caf/fwd.hpp>
#include <caf/mailbox_element.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace libpool {

class node_registry;

/// Intake of a pool that takes messages from a durable queue. Each message is a
/// request to the pool, and its answer settles the message. Each client of the
/// queue is one sender of messages to the pool.
///
/// A message that an earlier front had goes to the node that has begun it, if a
/// node says so. Otherwise the queue checks whether all nodes of that front
/// serve this one. If so, the message has not begun, and goes to the pool.
/// Otherwise it counts as lost with the front, and goes to the pool if retries
/// allow.
///
/// A message that the pool refuses because it drains, or for lack of room or
/// workers, goes back to the queue. After the end of the pool, the queue gives
/// the messages that are not settled to another front.
///
/// A message has failed for good if its result is an error of libpool, such as
/// `errc::worker_crashed` or `errc::front_lost`, but not if it was cancelled.
/// The user decides about other errors, with which handlers answer.
class durable_intake final : public delivering<durable_intake, pool_guest> {
public:
  /// `nodes` is the node registry of the pool; nullptr: the pool has no nodes.
  /// `has_nodes_only`: all workers of the pool are nodes.
  durable_intake(caf::actor_config& cfg, caf::actor pool,
                 caf::strong_actor_ptr nodes, bool has_nodes_only,
                 detail::queue_terms terms);

  /// Opens the queue, and returns it. Exceptions of `open` are passed on.
  /// @pre called once, before other threads know this actor
  std::shared_ptr<work_queue> serve(const work_queue_opener& open);

  /// Notes a message that the queue has given to this front.
  void came(queued_work work);

  /// Notes that the result of a message with these takings is stored.
  void settled(const std::vector<std::uint64_t>& takings);

  /// Ends the pool, because another front has taken over.
  void taken_over();

  const char* name() const override {
    return "libpool::durable_intake";
  }

protected:
  void received(caf::mailbox_element_ptr element,
                execution_context* host) override;

private:
  /// Sender of messages to the pool, and the number of its messages there.
  struct sender {
    caf::strong_actor_ptr actor;
    std::size_t messages = 0;
  };

  /// A request to the pool, or to the node that has begun the message.
  struct run {
    queued_work work;
    bool is_at_nodes = false;
    std::shared_ptr<node_journey> journey = nullptr;
  };

  void begin(queued_work work, execution_context* host);
  void find_node(queued_work work, execution_context* host);
  void send(queued_work work, execution_context* host);
  std::uint64_t note(run begun);
  node_registry& registry() const;
  const caf::strong_actor_ptr& sender_for(const std::string& client);
  void answered(caf::mailbox_element& element, execution_context* host);
  std::optional<run> take_run(std::uint64_t request);
  void settle(const run& ended, std::string result);
  std::optional<work_failure> failure_in(const std::string& result,
                                         const run& ended) const;
  bool has_failed(const caf::error& why) const;
  bool may_have_ended() const;
  void fail(queued_work work, const caf::error& why);
  void release() override;

  caf::strong_actor_ptr nodes_;
  const bool has_nodes_only_;
  const detail::queue_terms terms_;
  std::shared_ptr<work_queue> queue_;
  std::map<std::string, sender> senders_;
  std::map<std::uint64_t, run> runs_; // by request number
  std::uint64_t last_request_ = 0;
};

} // namespace libpool
