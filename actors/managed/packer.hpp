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

/// How many bytes of contents there are, and may be.
///
/// Threads: any.
class byte_budget {
public:
  explicit byte_budget(std::uint64_t most) noexcept : most_(most) {
    // nop
  }

  /// Whether there may be so many more, which is so if there are no others.
  bool take(std::uint64_t bytes) noexcept;

  void give_back(std::uint64_t bytes) noexcept {
    taken_ -= bytes;
  }

private:
  const std::uint64_t most_;
  std::atomic<std::uint64_t> taken_{0};
};

/// Makes bytes of the contents of messages that are to go to other nodes, once,
/// before they wait for anything: what cannot travel is refused, and memory is
/// bounded, wherever a message waits.
///
/// A message that an outer pool tracks is left as it is, since a look at it
/// would start it.
///
/// Cost:    that of writing the content, to whoever sends the message.
/// Threads: any.
class packer {
public:
  /// There are at most so many bytes at a time. With `keeps_refused`, contents
  /// of asynchronous messages for which there was no room are kept.
  packer(caf::actor_system& system, std::uint64_t most_bytes,
         bool keeps_refused)
    : system_(system),
      budget_(std::make_shared<byte_budget>(most_bytes)),
      keeps_refused_(keeps_refused) {
    // nop
  }

  /// Contents are kept beside their bytes until `hide`. To be called before
  /// anything is packed.
  void show_contents() noexcept {
    shows_contents_ = true;
  }

  /// Puts a parcel in the place of the message's content.
  void pack(caf::mailbox_element_ptr& element) const;

  /// The same for the task's message, if it has none. Returns why the task is
  /// to be refused, if it is; `crash` says that in words.
  errc open(managed_task& task) const;

  /// Nobody looks at the content any more.
  void hide(managed_task& task) const;

private:
  std::shared_ptr<const std::string> within_budget(std::string bytes) const;

  caf::actor_system& system_;
  const std::shared_ptr<byte_budget> budget_;
  const bool keeps_refused_;
  bool shows_contents_ = false;
};

/// The content that the client has sent, as long as it is kept beside its
/// bytes.
/// @pre an element of another pool has begun
const message_content& shown_content(caf::mailbox_element& element);

/// Puts the content as the client has sent it in the place of the parcel, for a
/// worker that is here.
void unpack(managed_task& task, caf::actor_system& system);

/// The content as the client has sent it, also if a parcel stands for it; as it
/// is if that cannot be read.
caf::message unpacked(caf::actor_system& system, caf::message content);

} // namespace libpool
