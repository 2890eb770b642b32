#pragma once

#include <cstddef>
#include <cstdint>

namespace libpool {

/// Amount of stack that a thread has used since this object was made. Functions
/// that read bytes call each other as deeply as the bytes say, and the bytes
/// can come from a stranger.
///
/// Threads: the thread that made it.
class stack_use {
public:
  /// Maximum use, in bytes. Each level of nested lists takes a few hundred
  /// bytes; the stack of a thread has some megabytes.
  static constexpr std::size_t sensible = std::size_t{256} << 10U;

  bool is_sensible() const noexcept {
    auto now = here();
    return (now < begin_ ? begin_ - now : now - begin_) <= sensible;
  }

private:
  static std::uintptr_t here() noexcept {
    return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  }

  std::uintptr_t begin_ = here();
};

} // namespace libpool
