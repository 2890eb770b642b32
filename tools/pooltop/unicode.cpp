#include "unicode.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

namespace pooltop {

namespace {

struct range {
  char32_t first;
  char32_t last;
};

template <std::size_t N>
bool is_in(const std::array<range, N>& ranges, char32_t code) {
  return std::any_of(ranges.begin(), ranges.end(), [=](const range& each) {
    return each.first <= code && code <= each.last;
  });
}

/// Controls, marks that stand on others, and what turns the direction.
constexpr std::array<range, 24> without_width{{
  {0x0, 0x1f},      {0x7f, 0x9f},     {0xad, 0xad},       {0x300, 0x36f},
  {0x483, 0x489},   {0x591, 0x5bd},   {0x610, 0x61c},     {0x64b, 0x65f},
  {0x1160, 0x11ff}, {0x180b, 0x180f}, {0x1ab0, 0x1aff},   {0x1dc0, 0x1dff},
  {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f},   {0x20d0, 0x20ff},
  {0x3099, 0x309a}, {0xd800, 0xdfff}, {0xfe00, 0xfe0f},   {0xfe20, 0xfe2f},
  {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0x1f3fb, 0x1f3ff}, {0xe0000, 0xe0fff},
}};

constexpr std::array<range, 12> wide{{
  {0x1100, 0x115f},
  {0x2e80, 0x303e},
  {0x3041, 0xa4cf},
  {0xa960, 0xa97c},
  {0xac00, 0xd7a3},
  {0xf900, 0xfaff},
  {0xfe30, 0xfe6f},
  {0xff00, 0xff60},
  {0xffe0, 0xffe6},
  {0x1f300, 0x1f64f},
  {0x1f900, 0x1f9ff},
  {0x20000, 0x3fffd},
}};

constexpr char32_t replacement = 0xfffd;

/// How many bytes a character has that begins with this one; 0: none does.
std::size_t length_from(unsigned char lead) {
  if (lead < 0x80)
    return 1;
  if (lead < 0xc2 || lead > 0xf4)
    return 0;
  return lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

bool continues(char byte) {
  return (static_cast<unsigned char>(byte) & 0xc0U) == 0x80U;
}

/// Whether it is written with as few bytes as can be, and exists.
bool is_proper(char32_t code, std::size_t length) {
  constexpr std::array<char32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};
  return code >= least.at(length) && code <= 0x10ffff
         && (code < 0xd800 || code > 0xdfff);
}

struct decoded {
  char32_t code = replacement;
  std::size_t length = 1;
};

decoded first_of(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const auto length = length_from(lead);
  if (length == 0 || length > text.size())
    return {};
  char32_t code = length == 1 ? lead : lead & (0xffU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if (!continues(text[i]))
      return {};
    code = code << 6U | (static_cast<unsigned char>(text[i]) & 0x3fU);
  }
  return is_proper(code, length) ? decoded{code, length} : decoded{};
}

template <class Visit>
void for_each_character(std::string_view text, Visit visit) {
  while (!text.empty()) {
    const auto [code, length] = first_of(text);
    visit(code, text.substr(0, length));
    text.remove_prefix(length);
  }
}

std::string bytes_of(char32_t code, std::string_view found) {
  return code == replacement ? "\xef\xbf\xbd" : std::string{found};
}

std::size_t width_of(char32_t code) {
  return is_in(wide, code) ? 2 : 1;
}

std::string number_of(char32_t code) {
  std::array<char, 16> text{};
  const auto* format = code < 0x80 ? "\\x%02x" : "\\u{%x}";
  const auto value = static_cast<std::uint32_t>(code);
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-vararg)
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

std::string escape_of(char32_t code) {
  switch (code) {
    case '\n':
      return "\\n";
    case '\t':
      return "\\t";
    case '\r':
      return "\\r";
    default:
      return number_of(code);
  }
}

} // namespace

std::vector<glyph> glyphs_of(std::string_view text) {
  std::vector<glyph> result;
  for_each_character(text, [&](char32_t code, std::string_view found) {
    result.push_back({code, bytes_of(code, found), width_of(code)});
  });
  return result;
}

std::size_t width_of(std::string_view text) {
  std::size_t result = 0;
  for_each_character(text, [&](char32_t code, std::string_view /*found*/) {
    result += width_of(code);
  });
  return result;
}

std::string escaped(std::string_view text) {
  std::string result;
  for_each_character(text, [&](char32_t code, std::string_view found) {
    result += is_in(without_width, code) ? escape_of(code)
                                         : bytes_of(code, found);
  });
  return result;
}

} // namespace pooltop
