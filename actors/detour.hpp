#pragma once

#include "libpool/actors/return_path.hpp"

#include <caf/fwd.hpp>
#include <caf/mailbox_element.hpp>

#include <memory>
#include <mutex>
#include <optional>

namespace libpool {

struct managed_task;
class managed_pool;

/// The way of one request's answer from the worker to the client, on which the
/// pool can step in: so that a client that has had an error in time gets no
/// answer later, and one whose task runs again does not hear of the crash.
///
/// Threads: any, but for `task`.
class detour {
public:
  /// With `hold`, an answer is kept back until `let_pass`.
  detour(return_path client, bool hold);

  detour(const detour&) = delete;
  detour& operator=(const detour&) = delete;

  /// An answer has come. Only the first one passes.
  void arrived(caf::mailbox_element_ptr what, caf::execution_unit* host);

  /// No answer will ever come: the client gets `errc::worker_failed`.
  void dropped(caf::execution_unit* host);

  /// Passes on what was held back, and from now on everything.
  void let_pass(caf::execution_unit* host);

  /// From now on nothing passes. Returns the way to the client, unless that has
  /// its answer.
  std::optional<return_path> close();

  /// Whether the client has died before it was answered.
  bool client_is_gone() const;

  /// Whether an answer has come, or never will.
  bool is_done() const;

  /// That waits for it; the pool's own, and no one else's to look at.
  managed_task* task = nullptr;

private:
  void pass(caf::mailbox_element_ptr what, caf::execution_unit* host);

  mutable std::mutex mutex_;
  std::optional<return_path> client_; // until something was sent there
  caf::mailbox_element_ptr held_;
  bool hold_;
  bool done_ = false;
};

/// Makes the actor that the worker sees as the sender of the request. When an
/// answer has come to it, or nobody refers to it any more, `told` is told, if
/// it is still there.
caf::strong_actor_ptr make_detour_actor(caf::actor_system& system,
                                        std::shared_ptr<detour> way,
                                        managed_pool& told);

} // namespace libpool
