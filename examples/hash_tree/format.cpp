#include "format.hpp"

#include <array>
#include <cmath>
#include <cstdio>

namespace hash_tree {

namespace {

constexpr std::string_view hex_digits = "0123456789abcdef";

template <class Bytes>
std::string hex_of(const Bytes& bytes) {
  std::string out;
  out.reserve(2 * bytes.size());
  for (const auto byte : bytes) {
    const auto bits = static_cast<unsigned char>(byte);
    out += hex_digits[bits >> 4U];
    out += hex_digits[bits & 15U];
  }
  return out;
}

/// The letter after the backslash in `sha256sum`'s escape, 0 for most bytes.
char escape_letter(char byte) {
  switch (byte) {
    case '\\':
      return '\\';
    case '\n':
      return 'n';
    case '\r':
      return 'r';
    default:
      return 0;
  }
}

std::string escaped(std::string_view path) {
  std::string out;
  out.reserve(path.size() + 8);
  for (const char byte : path) {
    const char letter = escape_letter(byte);
    if (letter != 0)
      out += '\\';
    out += letter != 0 ? letter : byte;
  }
  return out;
}

bool is_control(unsigned char byte) {
  return byte < 0x20 || byte == 0x7f;
}

/// Bytes in the UTF-8 sequence that `lead` begins, 0 if it begins none.
std::size_t sequence_length(unsigned char lead) {
  if (lead < 0x80)
    return 1;
  if (lead >= 0xc2 && lead <= 0xdf)
    return 2;
  if ((lead & 0xf0U) == 0xe0)
    return 3;
  return lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
}

/// Whether `second` may follow `lead`: rules out overlong forms, surrogates and
/// numbers beyond U+10FFFF.
bool second_fits(unsigned char lead, unsigned char second) {
  switch (lead) {
    case 0xe0:
      return second >= 0xa0;
    case 0xed:
      return second <= 0x9f;
    case 0xf0:
      return second >= 0x90;
    case 0xf4:
      return second <= 0x8f;
    default:
      return true;
  }
}

bool starts_with_sequence(std::string_view bytes, std::size_t length) {
  if (length == 0 || bytes.size() < length)
    return false;
  for (std::size_t i = 1; i < length; ++i)
    if ((static_cast<unsigned char>(bytes[i]) & 0xc0U) != 0x80)
      return false;
  return length == 1
         || second_fits(static_cast<unsigned char>(bytes[0]),
                        static_cast<unsigned char>(bytes[1]));
}

} // namespace

std::string hex(const digest& value) {
  return hex_of(value);
}

std::string hex(std::string_view bytes) {
  return hex_of(bytes);
}

std::string digest_line(const digest& value, std::string_view path) {
  auto name = escaped(path);
  const bool changed = name.size() != path.size();
  return (changed ? "\\" : "") + hex(value) + "  " + name + '\n';
}

std::string printable(std::string_view name) {
  std::string out;
  for (const char byte : name) {
    if (!is_control(static_cast<unsigned char>(byte))) {
      out += byte;
      continue;
    }
    std::array<char, 8> code{};
    std::snprintf(code.data(), code.size(), "\\%03o", byte);
    out += code.data();
  }
  return out;
}

std::string human_bytes(double bytes) {
  static constexpr std::array<const char*, 6> units{"B",   "KiB", "MiB",
                                                    "GiB", "TiB", "PiB"};
  std::size_t unit = 0;
  for (; bytes >= 1023.95 && unit + 1 < units.size(); ++unit)
    bytes /= 1024;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), unit == 0 ? "%.0f %s" : "%.1f %s",
                bytes, units[unit]);
  return text.data();
}

std::string human_seconds(double seconds) {
  const auto whole = static_cast<std::uint64_t>(std::ceil(seconds));
  const auto hours = static_cast<unsigned long long>(whole / 3600);
  const auto minutes = static_cast<unsigned>(whole / 60 % 60);
  const auto rest = static_cast<unsigned>(whole % 60);
  std::array<char, 48> text{};
  if (hours > 0)
    std::snprintf(text.data(), text.size(), "%llu:%02u:%02u", hours, minutes,
                  rest);
  else
    std::snprintf(text.data(), text.size(), "%02u:%02u", minutes, rest);
  return text.data();
}

bool is_utf8(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto length = sequence_length(static_cast<unsigned char>(bytes[0]));
    if (!starts_with_sequence(bytes, length))
      return false;
    bytes.remove_prefix(length);
  }
  return true;
}

} // namespace hash_tree
