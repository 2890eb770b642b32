#pragma once

#include "libpool/actors/caf/handles.hpp"
#include "libpool/actors/caf/port/front_actor.hpp"
#include "libpool/actors/caf/port/return_path.hpp"
#include "libpool/actors/caf/port/types.hpp"
#include "libpool/actors/futures/request_group.hpp"
#include "libpool/actors/gate/open_submissions.hpp"

#include <caf/actor_addr.hpp>
#include <caf/actor_control_block.hpp>
#include <caf/error.hpp>
#include <caf/fwd.hpp>
#include <caf/mailbox_element.hpp>

#include <memory>
#include <typeinfo>

namespace libpool {

/// The sender of a message that has passed a gate, as the pool and its workers
/// see it. Messages to this actor are passed on to the client, with the gate as
/// their sender.
///
/// A request is answered once. If the last reference to this actor goes before,
/// no answer can come, and the client is told so.
///
/// Threads: any.
class submission final : public delivering<submission, front_actor>,
                         public open_submission {
public:
  /// Refers to the gate while the request is not answered.
  submission(caf::actor_config& cfg, return_path path,
             const caf::strong_actor_ptr& through,
             std::shared_ptr<open_submissions> among);

  /// Answers the request with an error, if it is not answered yet.
  void fail(caf::error why, execution_context* host);

  // -- called by CAF ----------------------------------------------------------

  void deliver(caf::mailbox_element_ptr&& element, execution_context* host);

  const char* name() const override {
    return "libpool::submission";
  }

  void unreachable() override;

private:
  void answered(caf::mailbox_element_ptr element, execution_context* host);
  void pass_on(caf::mailbox_element_ptr element, execution_context* host) const;

  const caf::actor_addr gate_address_;
  const std::shared_ptr<open_submissions> among_;
};

/// Returns the client on whose behalf `sender` has sent a message.
/// @pre `sender` is not nullptr
inline const caf::strong_actor_ptr&
client_behind(const caf::strong_actor_ptr& sender) noexcept {
  auto& actor = *sender->get();
  // Each type is described in one place: comparing that is enough.
  const auto* type = &typeid(actor);
  if (type == &typeid(request_group))
    return static_cast<const request_group&>(actor).client();
  if (type != &typeid(submission))
    return sender;
  const auto& client = static_cast<const submission&>(actor).client.sender;
  return client != nullptr ? client_behind(client) : client;
}

/// Whether the client of a message with this sender is known to have ended.
inline bool is_client_gone(const caf::strong_actor_ptr& sender) noexcept {
  if (sender == nullptr)
    return false;
  auto& client = client_behind(sender);
  return client != nullptr && is_dead(*client->get());
}

} // namespace libpool
