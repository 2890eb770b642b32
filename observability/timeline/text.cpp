#include "libpool/observability/timeline/text.hpp"

#include <ostream>

namespace libpool::detail {

namespace {

bool is_control(std::string_view character) noexcept {
  return static_cast<unsigned char>(character.front()) < 0x20;
}

void append_json(std::string& target, std::string_view character) {
  constexpr std::string_view digits = "0123456789abcdef";
  if (is_control(character)) {
    auto code = static_cast<unsigned char>(character.front());
    target.append("\\u00").append(1, digits[code >> 4U]);
    target += digits[code & 15U];
    return;
  }
  if (character == "\"" || character == "\\")
    target += '\\';
  target += character;
}

/// Returns the XML text of a character. XML cannot represent most control
/// characters, which are replaced by U+FFFD.
std::string_view xml_character(std::string_view character) noexcept {
  if (character == "<")
    return "&lt;";
  if (character == ">")
    return "&gt;";
  if (character == "&")
    return "&amp;";
  if (character == "\"")
    return "&quot;";
  auto is_noncharacter = character == "\xEF\xBF\xBE"
                         || character == "\xEF\xBF\xBF";
  auto is_space = character == "\n" || character == "\r" || character == "\t";
  return is_noncharacter || (is_control(character) && !is_space) ? replacement
                                                                 : character;
}

} // namespace

std::size_t sequence_length(std::string_view text) noexcept {
  auto byte = [=](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  auto lead = byte(0);
  if (lead < 0x80)
    return 1;
  if (lead < 0xC2 || lead > 0xF4)
    return 0;
  // No overlong forms, no surrogates, nothing beyond U+10FFFF.
  auto least = lead == 0xE0 ? 0xA0U : lead == 0xF0 ? 0x90U : 0x80U;
  auto most = lead == 0xED ? 0x9FU : lead == 0xF4 ? 0x8FU : 0xBFU;
  if (byte(1) < least || byte(1) > most)
    return 0;
  std::size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  for (std::size_t i = 2; i < length; ++i)
    if ((byte(i) & 0xC0U) != 0x80)
      return 0;
  return length;
}

std::string json(std::string_view text) {
  std::string out{'"'};
  each_character(text, [&](auto x) { append_json(out, x); });
  out += '"';
  return out;
}

std::string xml(std::string_view text) {
  std::string out;
  each_character(text, [&](auto x) { out += xml_character(x); });
  return out;
}

std::string decimal(std::int64_t thousandths) {
  std::string out;
  append_number(out, thousandths / 1000);
  auto rest = thousandths % 1000;
  if (rest == 0)
    return out;
  out += '.';
  for (; rest != 0; rest = rest * 10 % 1000)
    append_number(out, rest / 100);
  return out;
}

void printer::flush() {
  out_.write(text_.data(), static_cast<std::streamsize>(text_.size()));
  text_.clear();
}

} // namespace libpool::detail
