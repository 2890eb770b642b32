#include "pooltop/layout.hpp"

#include "pooltop/samples.hpp"

#include <doctest/doctest.h>

#include <iostream>

using namespace pooltop;

TEST_CASE("tmp") {
  auto what = test::view_of_busy_pools();
  std::cout << test::text_of(screen_of(what, 80, 24).lines) << "====\n";
  std::cout << test::text_of(screen_of(what, 40, 24).lines) << "====\n";
  std::cout << test::text_of(screen_of(what, 200, 24).lines) << "====\n";
  what.chosen.shown = table_kind::flows;
  std::cout << test::text_of(screen_of(what, 80, 24).lines) << "====\n";
  what.with = ascii_symbols;
  std::cout << test::text_of(screen_of(what, 80, 12).lines) << "====\n";
  std::cout << test::text_of(report_of(what, 80)) << "====\n";
}
