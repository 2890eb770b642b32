#include "pooltop/drawing.hpp"

#include <doctest/doctest.h>

using namespace pooltop;

TEST_CASE(
  "a sparkline shows the latest values, with the highest as a full cell") {
  const std::vector<value> of{9, 0, 1, 4, 8};
  CHECK(sparkline(of, 4, unicode_symbols).text() == "▁▂▅█");
  CHECK(sparkline(of, 7, unicode_symbols).text() == "  █▁▂▅█");
  CHECK(sparkline(of, 4, ascii_symbols).text() == "_.=#");
  CHECK(sparkline({}, 3, unicode_symbols).width() == 3);
  CHECK(sparkline({0, 0}, 2, unicode_symbols).text() == "▁▁");
  CHECK(sparkline({-1, 1}, 2, unicode_symbols).text() == "▁█");
  CHECK(sparkline({1}, 0, unicode_symbols).width() == 0);
  CHECK(sparkline({2, {}, 1}, 3, unicode_symbols).text() == "█ ▅");
}

TEST_CASE("a bar has the requested width, and is filled in proportion to its "
          "share, in steps of an eighth of a cell") {
  CHECK(bar(0.5, 3, unicode_symbols).text() == "█▌·");
  CHECK(bar(7, 3, unicode_symbols).text() == "███");
  CHECK(bar(-7, 3, unicode_symbols).text() == "···");
  CHECK(bar(0.5, 4, ascii_symbols).text() == "##..");
  CHECK(bar({}, 3, unicode_symbols).text().empty());
  for (auto part = 0.0; part <= 1; part += 0.01)
    for (const auto& with : {unicode_symbols, ascii_symbols})
      CHECK(bar(part, 5, with).width() == 5);
}
