#include "libpool/core/replacements.hpp"

#include <doctest/doctest.h>

#include <chrono>

using libpool::instant;
using libpool::never;
using libpool::replacements;
using namespace std::chrono_literals;

namespace {

/// Two replacements in an hour, 10 ms and then 20 ms after the crash.
replacements two_an_hour() {
  return replacements{{2, 1h, 10ms, 1s}};
}

} // namespace

TEST_CASE("a crashed worker is replaced after a pause, unless the limit of "
          "replacements is reached") {
  auto all = two_an_hour();
  CHECK(all.next() == never);
  all.crashed(instant{0ms});
  all.crashed(instant{0ms});
  all.crashed(instant{0ms});
  CHECK(all.size() == 2);
  CHECK(all.next() == instant{10ms});
  CHECK(all.take_due(instant{9ms}) == 0);
  CHECK(all.take_due(instant{10ms}) == 1);
  CHECK(all.next() == instant{20ms});
  CHECK(all.take_due(instant{1h}) == 1);
  CHECK(all.empty());
}

TEST_CASE("drop_one removes the replacement that is due first") {
  auto all = two_an_hour();
  all.crashed(instant{0ms});
  all.crashed(instant{0ms});
  all.drop_one();
  CHECK(all.next() == instant{20ms});
  all.clear();
  CHECK(all.next() == never);
}
