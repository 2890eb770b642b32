#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace libpool {

/// Reads bytes that a `byte_writer` wrote. Any other bytes are safe to read,
/// too.
///
/// Errors:  a value that cannot be read is returned as zero or as empty, and
///          the reader fails from then on, so one check at the end is enough.
class byte_reader {
public:
  /// The bytes must stay valid while they are read.
  explicit byte_reader(std::string_view bytes) noexcept : rest_(bytes) {
    // nop
  }

  std::uint8_t byte() noexcept {
    auto taken = take(1);
    return taken.empty() ? 0 : static_cast<std::uint8_t>(taken.front());
  }

  std::uint64_t number() noexcept {
    std::uint64_t result = 0;
    for (auto shift = 0U; shift < 64; shift += 7) {
      std::uint64_t next = byte();
      auto group = next & 0x7fU;
      if (group << shift >> shift != group)
        break; // the number is too large
      result |= group << shift;
      if (next < 0x80U)
        return result;
    }
    fail();
    return 0;
  }

  std::string_view text() noexcept {
    return take(number());
  }

  /// Makes the reader fail, because the bytes are invalid.
  void fail() noexcept {
    has_failed_ = true;
    rest_ = {};
  }

  bool has_failed() const noexcept {
    return has_failed_;
  }

  /// Number of bytes that were not read yet.
  std::size_t left() const noexcept {
    return rest_.size();
  }

private:
  std::string_view take(std::uint64_t size) noexcept {
    if (size > rest_.size()) {
      fail();
      return {};
    }
    auto result = rest_.substr(0, static_cast<std::size_t>(size));
    rest_.remove_prefix(result.size());
    return result;
  }

  std::string_view rest_;
  bool has_failed_ = false;
};

} // namespace libpool
