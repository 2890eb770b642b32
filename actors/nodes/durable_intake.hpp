#pragma once

#include "libpool/actors/caf/port/types.hpp"
#include "libpool/actors/caf/serial_actor.hpp"
#include "libpool/actors/distributed.hpp"
#include "libpool/nodes/work_queue.hpp"

#include <caf/actor.hpp>
#include <caf/actor_control_block.hpp>
#include <caf/fwd.hpp>
#include <caf/mailbox_element.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace libpool {

/// Intake of a pool that takes messages from a durable queue. Each message is a
/// request to the pool, and its answer settles the message. Each client of the
/// queue is one sender of messages to the pool.
///
/// A message that the pool refuses for lack of room or workers goes back to the
/// queue. After the end of the pool, the queue gives the messages that are not
/// settled to another front.
///
/// The intake keeps references to the pool and to itself until the pool ends.
class durable_intake final : public delivering<durable_intake, serial_actor> {
public:
  /// See `detail::durable_terms` for `retries`.
  durable_intake(caf::actor_config& cfg, caf::actor pool, unsigned retries);

  /// Opens the queue. Exceptions of `open` are passed on.
  /// @pre called once, before other threads know this actor
  void serve(const work_queue_opener& open);

  /// Notes a message that the queue has given to this front.
  void came(queued_work work);

  const char* name() const override {
    return "libpool::durable_intake";
  }

  void worker_died(worker_number number, const caf::error& reason,
                   execution_context* host) override;

protected:
  void received(caf::mailbox_element_ptr element,
                execution_context* host) override;

private:
  /// Senders of messages to the pool, and the number of their messages there.
  struct sender {
    caf::strong_actor_ptr actor;
    std::size_t messages = 0;
  };

  struct run {
    std::uint64_t number = 0; // in the queue
    std::string client;
  };

  void begin(const queued_work& work, execution_context* host);
  const caf::strong_actor_ptr& sender_for(const std::string& client);
  void answered(caf::mailbox_element& element);
  void settle(std::uint64_t number, std::string result);
  void end(execution_context* host);

  caf::actor pool_;
  const unsigned retries_;
  caf::strong_actor_ptr self_; // until it ends
  std::shared_ptr<work_queue> queue_;
  std::map<std::string, sender> senders_;
  std::map<std::uint64_t, run> runs_; // by request number
  std::uint64_t last_request_ = 0;
};

} // namespace libpool
