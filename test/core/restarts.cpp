#include "libpool/core/restarts.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <optional>

using libpool::instant;
using libpool::restart_limits;
using libpool::restarts;
using namespace std::chrono_literals;

namespace {

instant at(libpool::duration when) {
  return instant{} + when;
}

/// Pause before the replacement of a worker that crashes at `when`; none: the
/// worker is not replaced.
std::optional<libpool::duration> pause_at(restarts& r, libpool::duration when) {
  auto until = r.crashed(at(when));
  return until ? std::optional{*until - at(when)} : std::nullopt;
}

/// A budget of `max` replacements in a minute.
restart_limits budget(std::size_t max) {
  return {max, 60s, 10ms, 10s};
}

} // namespace

TEST_CASE("workers are not replaced by default") {
  restarts r{{}};
  CHECK_FALSE(r.crashed(at(0s)));
  CHECK_FALSE(r.crashed(at(1h)));
}

TEST_CASE("a crash counts against the limit of replacements for one period "
          "after the crash, unless it exceeds the limit") {
  restarts r{budget(2)};
  CHECK(r.crashed(at(0s)));
  CHECK(r.crashed(at(30s)));
  CHECK_FALSE(r.crashed(at(59s)));
  CHECK_FALSE(r.crashed(at(60s - 1ns)));
  CHECK(r.crashed(at(60s)));
  CHECK_FALSE(r.crashed(at(89s)));
  CHECK(r.crashed(at(90s)));
}

TEST_CASE("each pause before a replacement is twice the previous pause, up to "
          "the maximum") {
  restarts r{{9, 60s, 10ms, 65ms}};
  CHECK(pause_at(r, 0s) == 10ms);
  CHECK(pause_at(r, 1s) == 20ms);
  CHECK(pause_at(r, 2s) == 40ms);
  CHECK(pause_at(r, 3s) == 65ms);
  CHECK(pause_at(r, 4s) == 65ms);
  restarts long_first{{9, 60s, 20s, 10s}};
  CHECK(pause_at(long_first, 0s) == 10s);
}

TEST_CASE(
  "pauses become shorter again when earlier crashes are out of the period") {
  restarts r{budget(9)};
  CHECK(pause_at(r, 0s) == 10ms);
  CHECK(pause_at(r, 50s) == 20ms);
  CHECK(pause_at(r, 70s) == 20ms);
  CHECK(pause_at(r, 200s) == 10ms);
}

TEST_CASE("a pause of zero stays zero after many crashes, and is computed in "
          "constant time") {
  constexpr std::size_t many = 1'000'000;
  restarts r{{many + 1, 60s, 0ns, 10s}};
  for (std::size_t i = 0; i < many; ++i)
    r.crashed(at(0s));
  CHECK(pause_at(r, 1s) == 0ns);
}

TEST_CASE("many crashes do not make a pause overflow") {
  restarts r{{200, 60s, 1ns, libpool::duration::max()}};
  for (auto i = 0; i < 100; ++i)
    r.crashed(at(0s));
  CHECK(r.crashed(at(0s)) == libpool::never);
}
