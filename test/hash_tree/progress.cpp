#include "hash_tree/progress.hpp"

#include <doctest/doctest.h>

using hash_tree::progress;
using hash_tree::render;

namespace {

constexpr std::size_t wide = 200;
constexpr std::uint64_t mib = std::uint64_t{1024} * 1024;

/// 30 of 120 MiB after three seconds.
progress a_quarter() {
  progress at;
  at.files = 3;
  at.all_files = 4;
  at.bytes = 30 * mib;
  at.all_bytes = 120 * mib;
  at.counted = true;
  at.seconds = 3;
  return at;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("the progress bar shows the finished part, and the files, the bytes, "
          "the rate and the remaining time") {
  CHECK(render(a_quarter(), wide)
        == "[#######-----------------------] 25 %  3/4 files  "
           "30.0 MiB/120.0 MiB  10.0 MiB/s  00:09 left");
}

TEST_CASE("until the total number of files is known, the progress line has "
          "neither a bar nor totals") {
  auto at = a_quarter();
  at.counted = false;
  CHECK(render(at, wide) == "3 files  30.0 MiB  10.0 MiB/s");
}

TEST_CASE("empty files count towards the progress") {
  auto at = a_quarter();
  at.bytes = at.all_bytes = 0;
  CHECK(contains(render(at, wide), "] 75 %  "));
}

TEST_CASE(
  "if files grow while they are hashed, the progress bar stays at 100 %") {
  auto at = a_quarter();
  at.bytes = 2 * at.all_bytes;
  CHECK(contains(render(at, wide), "[" + std::string(30, '#') + "] 100 %  "));
  CHECK(contains(render(at, wide), "00:00 left"));
}

TEST_CASE("the progress bar shows zeros before any file is hashed") {
  progress at;
  CHECK(render(at, wide) == "0 files  0 B");
  at.counted = true;
  at.seconds = 1;
  CHECK(render(at, wide)
        == "[------------------------------] 0 %  0/0 files  0 B/0 B  0 B/s");
}

TEST_CASE("the progress bar is at most as wide as the terminal") {
  for (std::size_t width = 0; width < 100; ++width)
    CHECK(render(a_quarter(), width).size() <= width);
}

TEST_CASE("on a narrow terminal the bar is shortened before the figures") {
  auto at = a_quarter();
  at.files = 25000;
  at.all_files = 100000;
  CHECK(contains(render(at, 79), "00:09 left"));
  CHECK(contains(render(at, 79), "[##------] 25 %"));
  CHECK(contains(render(at, 72), "00:09 left"));
  CHECK_FALSE(contains(render(at, 72), "["));
  CHECK(render(at, 39) == "[###---------] 25 %  25000/100000 files");
}
