#pragma once

#include "libpool/actors/caf/port/front_actor.hpp"
#include "libpool/actors/caf/port/return_path.hpp"

#include <caf/fwd.hpp>
#include <caf/mailbox_element.hpp>

#include <mutex>

namespace libpool {

class tracked_element;

/// The sender that a worker sees which has no `worker_mailbox`: its message is
/// a request of the stand-in's. The answer, which the stand-in passes on to the
/// client, is the end of the message; or that nobody is left who could answer.
///
/// Threads: any.
class stand_in final : public delivering<stand_in, front_actor> {
public:
  /// Answers go to `client`, if that waits for any.
  stand_in(caf::actor_config& cfg, tracked_element& element,
           return_path client);

  void deliver(caf::mailbox_element_ptr&& answer, execution_context* host);

  const char* name() const override {
    return "libpool::stand_in";
  }

  /// The element is told nothing any more, unless it has been or is being told
  /// already: returns whether that is so. Answers go to the client still.
  bool forget_element() noexcept;

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

/// Makes one for a message of `client`.
caf::strong_actor_ptr make_stand_in(caf::actor_system& system,
                                    tracked_element& element,
                                    return_path client);

} // namespace libpool
