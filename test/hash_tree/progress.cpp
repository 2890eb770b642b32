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

} // namespace

TEST_CASE("the progress bar shows the finished part, and the files, the bytes, "
          "the rate and the remaining time") {
  auto at = a_quarter();
  CHECK(render(at, wide)
        == "[#######-----------------------] 25 %  3/4 files  "
           "30.0 MiB/120.0 MiB  10.0 MiB/s  00:09 left");
  at.counted = false; // the total number of files is not known
  CHECK(render(at, wide) == "3 files  30.0 MiB  10.0 MiB/s");
  at.counted = true;
  at.bytes = at.all_bytes = 0; // empty files count
  CHECK(render(at, wide).find("] 75 %  ") != std::string::npos);
  at = a_quarter();
  at.bytes = 2 * at.all_bytes; // files have grown
  CHECK(render(at, wide).rfind("[" + std::string(30, '#') + "] 100 %  ", 0)
        == 0);
  CHECK(render({}, wide) == "0 files  0 B");
}

TEST_CASE("on a narrow terminal the bar is shortened before the figures") {
  auto at = a_quarter();
  for (std::size_t width = 0; width < 100; ++width)
    CHECK(render(at, width).size() <= width);
  at.files = 25000;
  at.all_files = 100000;
  CHECK(render(at, 79)
        == "[##------] 25 %  25000/100000 files  30.0 MiB/120.0 MiB  "
           "10.0 MiB/s  00:09 left");
  CHECK(render(at, 72).find("00:09 left") != std::string::npos);
  CHECK(render(at, 72).find('[') == std::string::npos);
  CHECK(render(at, 39) == "[###---------] 25 %  25000/100000 files");
}
