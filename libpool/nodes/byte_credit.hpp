#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace libpool {

/// Credit for the bytes in flight to the other end of a connection, which has
/// not confirmed them.
///
/// A message larger than half of the limit counts as half of it, so that every
/// message can be sent at some time.
class byte_credit {
public:
  /// `limit` is above zero.
  explicit byte_credit(std::size_t limit) noexcept : limit_(limit) {
    // nop
  }

  /// Whether a message of that size may be sent now.
  bool allows(std::size_t bytes) const noexcept {
    return sent_ - confirmed_ + std::min(bytes, limit_ / 2) <= limit_;
  }

  /// A message of that size was sent.
  void sent(std::size_t bytes) noexcept {
    sent_ += bytes;
  }

  /// Notes that the other end has received `total` bytes in all. The value is
  /// limited to the range from the last confirmation to the bytes sent.
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

/// Decides when the sender is told how many bytes have arrived: often enough
/// that its credit does not run out while nothing is in flight.
class byte_receipts {
public:
  /// `limit` is the limit of the sender's credit.
  explicit byte_receipts(std::size_t limit) noexcept : step_(limit / 4) {
    // nop
  }

  /// Notes that `bytes` bytes have arrived. Returns the total to confirm, if it
  /// is time for a confirmation.
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
