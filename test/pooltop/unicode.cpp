/// Texts from others, as a terminal may see them.

#include "pooltop/unicode.hpp"

#include <doctest/doctest.h>

#include <string>

using pooltop::escaped;

TEST_CASE("control characters are written as escape sequences") {
  CHECK(escaped("a\nb\tc\rd") == "a\\nb\\tc\\rd");
  CHECK(escaped("\x1b[31mred\x7f") == "\\x1b[31mred\\x7f");
  CHECK(escaped(std::string{"a\0b", 3}) == "a\\x00b");
  // CSI in one character, and in UTF-8.
  CHECK(escaped(std::string{"\xc2\x9b"} + "31m") == "\\u{9b}31m");
}

TEST_CASE("characters that have no width or change the text direction are "
          "written as code points") {
  CHECK(escaped("\xe2\x80\xae.exe") == "\\u{202e}.exe");
  CHECK(escaped("e\xcc\x81") == "e\\u{301}");
  CHECK(escaped("\xef\xbb\xbf") == "\\u{feff}");
}

TEST_CASE("bytes that are not UTF-8 are replaced one by one") {
  const std::string replaced = "\xef\xbf\xbd";
  for (const std::string text : {"\xff", "\xc0\x9b", "\xe2\x82", "\xed\xa0\x80",
                                 "\xf4\x90\x80\x80", "\x9b"}) {
    std::string expected;
    for (std::size_t i = 0; i < text.size(); ++i)
      expected += replaced;
    CHECK(escaped(text) == expected);
    CHECK(escaped('a' + text + 'b') == 'a' + expected + 'b');
  }
}

TEST_CASE("other text is unchanged") {
  for (const char* text : {"", "plain", "blöd", "文字", "→ ▁█", "😀"})
    CHECK(escaped(text) == text);
}

TEST_CASE("a wide character takes two columns") {
  CHECK(pooltop::width_of("") == 0);
  CHECK(pooltop::width_of("blöd") == 4);
  CHECK(pooltop::width_of("文字") == 4);
  CHECK(pooltop::width_of("😀!") == 3);
}
