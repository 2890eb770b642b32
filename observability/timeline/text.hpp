/// Conversion of the texts and numbers of a timeline to JSON and XML.

#pragma once

#include "libpool/export.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <type_traits>

namespace libpool::detail {

/// Replacement character U+FFFD, in UTF-8.
constexpr std::string_view replacement = "\xEF\xBF\xBD";

/// Returns the number of bytes of the well-formed UTF-8 sequence at the
/// beginning of the text; 0 if there is none.
/// @pre !text.empty()
LIBPOOL_EXPORT std::size_t sequence_length(std::string_view text) noexcept;

/// Calls `use` with each character; U+FFFD replaces bytes that are not UTF-8.
template <class Function>
void each_character(std::string_view text, Function use) {
  while (!text.empty()) {
    auto length = sequence_length(text);
    use(length == 0 ? replacement : text.substr(0, length));
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
}

/// Returns the text as a JSON string, with quotes.
LIBPOOL_EXPORT std::string json(std::string_view text);

/// Returns the text, escaped for XML, for use between tags or in an attribute.
LIBPOOL_EXPORT std::string xml(std::string_view text);

template <class Integer>
void append_number(std::string& target, Integer value) {
  std::array<char, 24> digits{};
  auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  target.append(digits.data(), end.ptr);
}

/// Returns `thousandths` / 1000 as a decimal fraction without trailing zeros:
/// "1.5" for 1500.
/// @pre value >= 0
LIBPOOL_EXPORT std::string decimal(std::int64_t thousandths);

/// Writes texts and integers to a stream. Collects them and writes them in
/// large pieces; `flush` writes the last piece. The number format of the stream
/// has no effect.
class LIBPOOL_EXPORT printer {
public:
  explicit printer(std::ostream& out) : out_(out) {
    // nop
  }

  template <class... Parts>
  void operator()(const Parts&... parts) {
    constexpr std::size_t enough = 32768;
    (add(parts), ...);
    if (text_.size() >= enough)
      flush();
  }

  void flush();

private:
  template <class Part>
  void add(const Part& part) {
    if constexpr (std::is_integral_v<Part>)
      append_number(text_, part);
    else
      text_ += std::string_view{part};
  }

  std::ostream& out_;
  std::string text_;
};

} // namespace libpool::detail
