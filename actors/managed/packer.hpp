#pragma once

#include "libpool/actors/caf/port/types.hpp"
#include "libpool/actors/managed/managed_task.hpp"
#include "libpool/core/errc.hpp"

#include <caf/fwd.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/message.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace libpool {

/// Budget for the bytes of packed contents.
///
/// Threads: any.
class byte_budget {
public:
  explicit byte_budget(std::uint64_t most) noexcept : most_(most) {
    // nop
  }

  /// Reserves `bytes`. Returns false if the maximum would be exceeded, unless
  /// nothing else is reserved.
  bool take(std::uint64_t bytes) noexcept;

  void give_back(std::uint64_t bytes) noexcept {
    taken_ -= bytes;
  }

private:
  const std::uint64_t most_;
  std::atomic<std::uint64_t> taken_{0};
};

/// Replaces the contents of messages that go to other nodes with bytes, once,
/// before the messages wait. Contents that cannot be written are refused, and
/// the memory for contents is bounded, wherever the messages wait.
///
/// A message that an outer pool tracks is not changed, since a look at it would
/// start it.
///
/// Cost:    that of writing the content, in the thread of the sender.
/// Threads: any.
class packer {
public:
  /// Packs at most `most_bytes` bytes at a time. If `keeps_refused`, keeps the
  /// contents of refused asynchronous messages for `on_refused`.
  packer(caf::actor_system& system, std::uint64_t most_bytes,
         bool keeps_refused)
    : system_(system),
      budget_(std::make_shared<byte_budget>(most_bytes)),
      keeps_refused_(keeps_refused) {
    // nop
  }

  /// Keeps contents beside their bytes until `hide`. To be called before
  /// anything is packed.
  void show_contents() noexcept {
    shows_contents_ = true;
  }

  /// Replaces the message's content with a parcel, if it is not one already.
  void pack(caf::mailbox_element_ptr& element) const;

  /// Replaces the content of the task's message with a parcel, if it is not one
  /// already. Returns the reason to refuse the task; errc{} if none. The text
  /// of the reason is in `crash`.
  errc open(managed_task& task) const;

  /// Drops the content that was kept beside the bytes.
  void hide(managed_task& task) const;

private:
  std::shared_ptr<const std::string> within_budget(std::string bytes) const;

  caf::actor_system& system_;
  const std::shared_ptr<byte_budget> budget_;
  const bool keeps_refused_;
  bool shows_contents_ = false;
};

/// Returns the content that the client has sent, while it is kept beside its
/// bytes.
/// @pre an element of another pool has begun
const message_content& shown_content(caf::mailbox_element& element);

/// Prepares the content of the task, which the pool has packed: a node gets the
/// parcel, a worker in this process the client's content. The task keeps the
/// parcel if its message may be sent again.
void pack_for(managed_task& task, bool is_node, caf::actor_system& system);

/// Returns the content that the client has sent. Unpacks a parcel; returns it
/// as it is if it cannot be read.
caf::message unpacked(caf::actor_system& system, caf::message content);

} // namespace libpool
