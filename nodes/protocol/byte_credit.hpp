#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace libpool {

/// Credit of a sender: a limit for the bytes that were sent to the other end of
/// a connection, and that the other end has not confirmed.
///
/// A message that is larger than half of the limit may be sent when at most
/// half of the limit is in flight. So a message of any size can be sent.
class byte_credit {
public:
  /// Makes a credit of `limit` bytes; at least 1.
  explicit byte_credit(std::size_t limit) noexcept : limit_(limit) {
    // nop
  }

  /// Whether a message of `bytes` bytes may be sent now.
  bool allows(std::size_t bytes) const noexcept {
    return sent_ - confirmed_ + std::min(bytes, limit_ / 2) <= limit_;
  }

  /// Notes that a message of `bytes` bytes was sent.
  void sent(std::size_t bytes) noexcept {
    sent_ += bytes;
  }

  /// Notes that the other end has received `total` bytes in all. `total` is
  /// clamped to the range from the last confirmed total to the bytes sent.
  void confirmed(std::uint64_t total) noexcept {
    confirmed_ = std::clamp(total, confirmed_, sent_);
  }

  /// Returns the number of bytes that were sent and not confirmed.
  std::uint64_t under_way() const noexcept {
    return sent_ - confirmed_;
  }

private:
  std::size_t limit_;
  std::uint64_t sent_ = 0;
  std::uint64_t confirmed_ = 0;
};

/// Decides when the receiver confirms bytes to the sender: each time that a
/// quarter of the sender's credit has arrived. So the credit is not used up
/// while no bytes are in flight.
class byte_receipts {
public:
  /// `limit` is the limit of the sender's credit.
  explicit byte_receipts(std::size_t limit) noexcept : step_(limit / 4) {
    // nop
  }

  /// Notes that `bytes` bytes have arrived. Returns the total to confirm; unset
  /// if no confirmation is due.
  std::optional<std::uint64_t> received(std::size_t bytes) noexcept {
    total_ += bytes;
    if (total_ - told_ < step_ || bytes == 0)
      return std::nullopt;
    return told_ = total_;
  }

private:
  std::size_t step_;
  std::uint64_t total_ = 0;
  std::uint64_t told_ = 0;
};

} // namespace libpool
