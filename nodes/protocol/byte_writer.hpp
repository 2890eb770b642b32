#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace libpool {

/// Writes numbers and texts as bytes, for a `byte_reader`.
///
/// Shapes:  a number is written in groups of 7 bits, the lowest group first.
///          Each group is in one byte, whose highest bit is set if another
///          group follows (LEB128). A text is written as its length, followed
///          by its bytes.
class byte_writer {
public:
  /// Makes a writer that leaves the first `room` bytes for other data.
  explicit byte_writer(std::size_t expected_bytes, std::size_t room = 0) {
    bytes_.reserve(room + expected_bytes);
    bytes_.resize(room);
  }

  void byte(std::uint8_t value) {
    bytes_.push_back(static_cast<char>(value));
  }

  void number(std::uint64_t value) {
    for (; value >= 0x80U; value >>= 7U)
      byte(static_cast<std::uint8_t>(value | 0x80U));
    byte(static_cast<std::uint8_t>(value));
  }

  void text(std::string_view value) {
    number(value.size());
    bytes_.append(value);
  }

  /// Returns the bytes. The writer must not be used afterwards.
  std::string take() noexcept {
    return std::move(bytes_);
  }

private:
  std::string bytes_;
};

} // namespace libpool
