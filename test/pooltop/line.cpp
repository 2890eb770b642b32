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

TEST_CASE("short texts are placed side by side, on as many lines as their "
          "widths require") {
  const std::vector<line> items{line{"aa"}, line{"bb"}, line{"cc"}};
  CHECK(flowing(items, 80).size() == 1);
  CHECK(flowing(items, 10).front().text() == "aa  bb  cc");
  CHECK(flowing(items, 9).size() == 2);
  CHECK(flowing(items, 1).size() == 3);
  CHECK(flowing({}, 80).empty());
}

TEST_CASE(
  "a long sentence is broken at spaces, and its further lines are indented") {
  const auto of = wrapped("!  ", "one two three", look::alarm, 10);
  REQUIRE(of.size() == 2);
  CHECK(of[0].text() == "!  one two");
  CHECK(of[1].text() == "   three");
  CHECK(of[0].cells()[0].as == look::alarm);
}

TEST_CASE("in ASCII, special spaces become spaces, and other characters become "
          "one question mark per column") {
  CHECK(in_ascii(line{"a文ö"}).text() == "a???");
  CHECK(in_ascii(line{"10\u202f000"}).text() == "10 000");
}
