#pragma once

#include <cstddef>
#include <cstdint>

namespace libpool {

/// How much of its stack a thread has used since this was made. Functions that
/// read bytes call each other as deeply as the bytes say, which anybody may
/// have written.
///
/// Threads: the one that has made it.
class stack_use {
public:
  /// Lists in lists, and so on, take a few hundred bytes each; a thread has
  /// some megabytes.
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
