#pragma once

#include "libpool/actors/caf/port/front_actor.hpp"
#include "libpool/actors/caf/port/return_path.hpp"

#include <caf/fwd.hpp>
#include <caf/mailbox_element.hpp>

#include <mutex>

namespace libpool {

class tracked_element;

/// Sender of the request that a worker without a `worker_mailbox` gets in place
/// of the message of a client. The stand-in passes the answer on to the client.
/// The message ends with the answer, or when the request is dropped.
///
/// Threads: any.
class stand_in final : public delivering<stand_in, front_actor> {
public:
  /// Makes a stand-in for `element`. Answers are passed on to `client`, if
  /// `client` waits for an answer.
  stand_in(caf::actor_config& cfg, tracked_element& element,
           return_path client);

  void deliver(caf::mailbox_element_ptr&& answer, execution_context* host);

  const char* name() const override {
    return "libpool::stand_in";
  }

  /// Disconnects the element from the stand-in. Returns false if the end of the
  /// element was reported, or is being reported. Answers are still passed on to
  /// the client.
  bool forget_element() noexcept;

  /// Returns the element; nullptr if the end of the element was reported, or is
  /// being reported.
  tracked_element* element() noexcept;

private:
  void unreachable() override;
  tracked_element* take_element() noexcept;
  void came_back();
  return_path take_client();
  void pass_on(caf::mailbox_element& answer, execution_context* host);

  std::mutex mutex_;
  tracked_element* element_;
  return_path client_;
};

/// Makes a stand-in for `element`, which has a message of `client`.
caf::strong_actor_ptr make_stand_in(caf::actor_system& system,
                                    tracked_element& element,
                                    return_path client);

/// Returns the element of the stand-in that `sender` is; nullptr if `sender` is
/// not a stand-in of this process, or its element has ended.
tracked_element* element_behind(const caf::strong_actor_ptr& sender) noexcept;

} // namespace libpool
