#pragma once

#include "libpool/actors/caf/port/types.hpp"
#include "libpool/actors/caf/watch.hpp"
#include "libpool/actors/gate/open_submissions.hpp"
#include "libpool/actors/submissions.hpp"

#include <caf/actor.hpp>
#include <caf/error.hpp>
#include <caf/fwd.hpp>
#include <caf/mailbox_element.hpp>

#include <atomic>
#include <cstdint>
#include <memory>

namespace libpool {

class tracked_element;

/// The actor behind `actor_pool::submit_only`.
///
/// Cost:    one actor for each message with a sender, see `submission`, and a
///          mutex for a few assignments.
/// Threads: any.
class submit_gate final : public delivering<submit_gate, watcher> {
public:
  submit_gate(caf::actor_config& cfg, caf::actor pool);

  /// Makes the gate end with the pool.
  /// @pre called once, before the gate is given away
  void watch_pool();

  /// Ends the gate, and answers the open requests with `why`. Does nothing if
  /// it has ended.
  void end(const caf::error& why, const caf::error& reason,
           execution_context* host);

  submissions counts() const;

  // -- called by CAF ----------------------------------------------------------

  void deliver(caf::mailbox_element_ptr&& element, execution_context* host);

  void worker_died(worker_number number, const caf::error& reason,
                   execution_context* host) override;

  const char* name() const override {
    return "libpool::submit_gate";
  }

  void unreachable() override;

private:
  bool cancels_own(const caf::mailbox_element& element) const;
  static caf::mailbox_element_ptr own_cancel(caf::mailbox_element& element);
  bool may_pass(const caf::mailbox_element& element) const;
  void pass_on(caf::mailbox_element_ptr element, execution_context* host);
  void submit(caf::mailbox_element_ptr element, execution_context* host);
  void refuse(caf::mailbox_element& element, caf::error why,
              execution_context* host);
  void refuse_outer(tracked_element& outer, caf::mailbox_element& element,
                    execution_context* host);

  const std::shared_ptr<open_submissions> open_;
  std::atomic<std::uint64_t> refused_{0};
};

/// Makes a gate to `pool`.
/// @pre `pool` refers to an actor
caf::actor make_submit_gate(const caf::actor& pool);

} // namespace libpool
