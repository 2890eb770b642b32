#include "hash_tree/format.hpp"

#include <doctest/doctest.h>

using namespace hash_tree;

namespace {

std::string line_after_digest(std::string_view path) {
  const auto line = digest_line(digest{}, path);
  return line.substr(line.find("  ") + 2);
}

bool escaped(std::string_view path) {
  return digest_line(digest{}, path).front() == '\\';
}

} // namespace

TEST_CASE("a digest is 64 lower-case hexadecimal digits") {
  digest value{};
  value.front() = 0x0a;
  value.back() = 0xf9;
  CHECK(hex(value) == "0a" + std::string(60, '0') + "f9");
  CHECK(hex(std::string_view{"a\xe4\0", 3}) == "61e400");
  CHECK(hex("").empty());
}

TEST_CASE("a line consists of digest, two spaces, name and newline") {
  CHECK(digest_line(digest{}, "d/a b") == std::string(64, '0') + "  d/a b\n");
}

TEST_CASE("a line with a backslash, newline or carriage return in the name has "
          "escapes, and a mark at the beginning") {
  CHECK(line_after_digest("a\\b") == "a\\\\b\n");
  CHECK(line_after_digest("a\nb") == "a\\nb\n");
  CHECK(line_after_digest("a\rb") == "a\\rb\n");
  for (const auto* path : {"a\\b", "a\nb", "a\rb"})
    CHECK(escaped(path));
}

TEST_CASE("bytes of names other than backslash, newline and carriage return "
          "are unchanged") {
  for (const auto* path :
       {"a\tb", "\x01", " a ", "-a", "\xff\xfe", "*", "\"'"}) {
    CHECK(line_after_digest(path) == std::string{path} + "\n");
    CHECK_FALSE(escaped(path));
  }
}

TEST_CASE("valid UTF-8 is distinguished from other byte sequences") {
  for (const auto* good :
       {"", "a", "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xed\x9f\xbf",
        "\xf4\x8f\xbf\xbf"})
    CHECK(is_utf8(good));
  for (const auto* bad : {"\xff", "\x80", "\xc3", "\xc0\xaf", "\xe0\x80\x80",
                          "\xed\xa0\x80", "\xf0\x80\x80\x80",
                          "\xf4\x90\x80\x80", "a\xe2\x82", "\xf5\x80\x80\x80"})
    CHECK_FALSE(is_utf8(bad));
}
