#include "libpool/core/tally.hpp"

#include <doctest/doctest.h>

#include <cstddef>

using libpool::tally;
using verdict = libpool::tally::verdict;

namespace {

tally with(tally votes, std::size_t successes, std::size_t failures) {
  for (std::size_t i = 0; i < successes; ++i)
    votes.succeeded();
  for (std::size_t i = 0; i < failures; ++i)
    votes.failed();
  return votes;
}

} // namespace

TEST_CASE(
  "the verdict of k of n falls as soon as no further answer can change it") {
  for (std::size_t n = 1; n <= 6; ++n)
    for (std::size_t k = 1; k <= n; ++k)
      for (std::size_t good = 0; good <= n; ++good)
        for (std::size_t bad = 0; good + bad <= n; ++bad) {
          CAPTURE(n);
          CAPTURE(k);
          CAPTURE(good);
          CAPTURE(bad);
          auto votes = with(tally{n, k, false}, good, bad);
          auto wanted = good >= k     ? verdict::success
                        : n - bad < k ? verdict::failure
                                      : verdict::open;
          CHECK(votes.now() == wanted);
          CHECK(votes.outstanding() == n - good - bad);
        }
}

TEST_CASE(
  "a lenient tally waits for all answers, and succeeds whatever they are") {
  CHECK(with(tally{3, 3, true}, 1, 1).now() == verdict::open);
  CHECK(with(tally{3, 3, true}, 0, 3).now() == verdict::success);
  CHECK(with(tally{3, 3, true}, 3, 0).now() == verdict::success);
}

TEST_CASE("a substitute's success counts, and a failure that it makes up for "
          "does not") {
  tally votes{1, 1, false};
  votes.asked_another();
  CHECK(votes.asked() == 2);
  CHECK(with(votes, 0, 1).now() == verdict::open);
  CHECK(with(votes, 0, 2).now() == verdict::failure);
  CHECK(with(votes, 1, 1).now() == verdict::success);
}

TEST_CASE("a tally that asks and needs no worker succeeds") {
  CHECK(tally{0, 0, false}.now() == verdict::success);
}
