#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace libpool {

/// How much may be under way to the other end of a connection: bytes that it
/// has not confirmed.
///
/// A message that is larger than half of the limit counts as half of it, so
/// that any message goes at some time.
class byte_credit {
public:
  /// `limit` is above zero.
  explicit byte_credit(std::size_t limit) noexcept : limit_(limit) {
    // nop
  }

  /// Whether a message of that size may go now.
  bool allows(std::size_t bytes) const noexcept {
    return sent_ - confirmed_ + std::min(bytes, limit_ / 2) <= limit_;
  }

  /// A message of that size was sent.
  void sent(std::size_t bytes) noexcept {
    sent_ += bytes;
  }

  /// The other end has received so much in all; never less than it has said
  /// before, nor more than was sent.
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

/// Says when the sender is to be told how much has come: often enough for its
/// credit never to run out while nothing is under way.
class byte_receipts {
public:
  /// `limit` is that of the sender's credit.
  explicit byte_receipts(std::size_t limit) noexcept : step_(limit / 4) {
    // nop
  }

  /// So many bytes have come. Returns what to confirm, if it is time.
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
