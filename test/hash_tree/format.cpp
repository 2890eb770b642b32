#include "hash_tree/format.hpp"

#include <doctest/doctest.h>

using namespace hash_tree;

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
