#pragma once

#include "libpool/actors/caf/port/front_actor.hpp"
#include "libpool/actors/caf/port/types.hpp"
#include "libpool/actors/futures/thread_client.hpp"

#include <caf/actor.hpp>
#include <caf/actor_control_block.hpp>
#include <caf/error.hpp>
#include <caf/fwd.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/message.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace libpool {

/// The sender of requests that one future waits for, as the pool and its
/// workers see it. Takes their answers in place of the thread.
///
/// Each request is settled once: with its first answer, or with an error when
/// the actor system ends or when the last reference to this actor goes, which
/// means that no answer can come.
///
/// Threads: any.
class request_group final : public delivering<request_group, thread_requests> {
public:
  using taker = std::function<void(std::vector<caf::message>&)>;

  /// `client` is the `thread_client` of the actor system. Calls
  /// `on_answers` when all requests are settled.
  request_group(caf::actor_config& cfg, caf::strong_actor_ptr client,
                std::size_t requests, taker on_answers);

  /// Sends the requests.
  /// @pre called once
  void ask(const caf::actor& pool, std::vector<caf::message> contents);

  void fail(const caf::error& why) override;

  /// Returns the client on whose behalf the requests are sent.
  const caf::strong_actor_ptr& client() const noexcept {
    return client_;
  }

  // -- called by CAF ----------------------------------------------------------

  void deliver(caf::mailbox_element_ptr&& element, execution_context* host);

  const char* name() const override {
    return "libpool::request_group";
  }

  void unreachable() override;

private:
  void settle(std::size_t i, caf::message answer);

  const caf::strong_actor_ptr client_;
  const taker on_answers_;
  std::vector<caf::message> answers_;
  std::vector<std::atomic<bool>> is_settled_;
  std::atomic<std::size_t> open_;
  std::atomic<bool> is_known_abroad_{false};
  std::uint64_t first_ = 0; // number of the first request
};

} // namespace libpool
