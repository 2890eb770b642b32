#include "format.hpp"

#include <boost/algorithm/hex.hpp>
#include <boost/locale/utf.hpp>

#include <iterator>

namespace hash_tree {

namespace {

template <class Bytes>
std::string hex_of(const Bytes& bytes) {
  std::string out;
  out.reserve(2 * bytes.size());
  boost::algorithm::hex_lower(bytes, std::back_inserter(out));
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

bool is_utf8(std::string_view bytes) {
  namespace utf = boost::locale::utf;
  const auto* character = bytes.data();
  const auto* const end = character + bytes.size();
  while (character != end) {
    const auto decoded = utf::utf_traits<char>::decode(character, end);
    if (decoded == utf::illegal || decoded == utf::incomplete)
      return false;
  }
  return true;
}

} // namespace hash_tree
