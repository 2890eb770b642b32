#include "pooltop/line.hpp"

#include <doctest/doctest.h>

using namespace pooltop;

TEST_CASE("a line is as wide as the columns that its characters occupy") {
  CHECK(line{"blöd"}.width() == 4);
  CHECK(line{"文字"}.width() == 4);
  CHECK(line{}.pad_to(3).width() == 3);
}

TEST_CASE("a line that is cut ends with a mark") {
  CHECK(line{"abcd"}.cut_to(4, "…").text() == "abcd");
  CHECK(line{"abcde"}.cut_to(4, "…").text() == "abc…");
  CHECK(line{"abcde"}.cut_to(1, "…").text() == "…");
  CHECK(line{"abcde"}.cut_to(0, "…").width() == 0);
}

TEST_CASE("a wide character is not cut in half") {
  CHECK(line{"文字文"}.cut_to(4, "…").text() == "文 …");
  CHECK(line{"文字文"}.cut_to(5, "…").text() == "文字…");
}

TEST_CASE("in ASCII, special spaces become spaces, and other characters become "
          "one question mark per column") {
  CHECK(in_ascii(line{"a文ö"}).text() == "a???");
  CHECK(in_ascii(line{"10\u202f000"}).text() == "10 000");
}
