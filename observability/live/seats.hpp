#pragma once

#include <cstddef>
#include <memory>

namespace libpool::live {

/// Limits the number of clients that receive long replies.
///
/// Threads: one.
class seats {
public:
  explicit seats(std::size_t most) : most_(most) {
    // nop
  }

  std::size_t most() const noexcept {
    return most_;
  }

  std::size_t taken() const noexcept {
    return taken_;
  }

  /// Returns a seat, to be kept while the client receives the reply; nullptr if
  /// all seats are taken. Seats must end before this object.
  std::shared_ptr<void> take() {
    if (taken_ == most_)
      return nullptr;
    ++taken_;
    return {this, [](seats* owner) { --owner->taken_; }};
  }

private:
  const std::size_t most_;
  std::size_t taken_ = 0;
};

} // namespace libpool::live
