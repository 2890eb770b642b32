#pragma once

#include "libpool/actors/managed/managed_task.hpp"
#include "libpool/core/errc.hpp"

#include <caf/fwd.hpp>
#include <caf/message.hpp>

#include <cstddef>
#include <cstdint>

namespace libpool {

/// Makes bytes of the contents of tasks that are to go to other nodes, once,
/// when they are accepted: what cannot travel is refused then, and it is known
/// how much memory the contents take.
///
/// A message that an outer pool tracks is left as it is, since a look at it
/// would start it.
class packer {
public:
  packer(caf::actor_system& system, std::size_t most_bytes) noexcept
    : system_(system), most_bytes_(most_bytes) {
    // nop
  }

  /// Puts a parcel in the place of the content of the task's message. If it
  /// returns an error the message is as it was, and `crash` says why in words.
  errc pack(managed_task& task);

  /// The task is over.
  void forget(managed_task& task) noexcept {
    bytes_ -= task.packed;
    task.packed = 0;
  }

  /// How many bytes the contents of all tasks have.
  std::uint64_t bytes() const noexcept {
    return bytes_;
  }

private:
  caf::actor_system& system_;
  const std::uint64_t most_bytes_;
  std::uint64_t bytes_ = 0;
};

/// Puts the content as the client has sent it in the place of the parcel, for a
/// worker that is here.
void unpack(managed_task& task, caf::actor_system& system);

/// The content as the client has sent it, also if a parcel stands for it; as it
/// is if that cannot be read.
caf::message unpacked(caf::actor_system& system, caf::message content);

} // namespace libpool
