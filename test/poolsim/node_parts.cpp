/// The links of simulated nodes, and what nodes suffer.

#include "poolsim/node_troubles.hpp"
#include "poolsim/one_way.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <optional>
#include <vector>

namespace poolsim_node_parts_tests {

namespace {

using poolsim::duration;
using poolsim::node_loss;
using poolsim::node_troubles;
using poolsim::one_way;

constexpr duration ms{1'000'000};
constexpr auto never = duration::max();
constexpr auto unlimited = std::numeric_limits<double>::infinity();

/// The times of the first changes.
std::vector<duration> changes(node_troubles troubles, std::size_t many) {
  std::vector<duration> all;
  while (all.size() < many) {
    all.push_back(troubles.next());
    CHECK(troubles.take(troubles.next()).has_value());
  }
  return all;
}

node_loss once(duration at, std::optional<duration> lasts) {
  node_loss result;
  result.at = at;
  result.lasts = lasts;
  return result;
}

node_loss again_and_again() {
  node_loss result;
  result.every.draws = poolsim::distribution{poolsim::exponential{10 * ms}};
  result.lasts = ms;
  return result;
}

} // namespace

TEST_CASE(
  "a message arrives after its latency, and after all earlier messages") {
  one_way<int> way{unlimited};
  CHECK(way.next() == never);
  way.send(1, 1000, 2 * ms, 5 * ms);
  way.send(2, 1000, 3 * ms, ms);
  CHECK(way.next() == 7 * ms);
  CHECK(way.take(7 * ms - duration{1}) == std::nullopt);
  CHECK(way.take(7 * ms) == 1);
  CHECK(way.take(7 * ms) == 2);
  CHECK(way.take(never) == std::nullopt);
}

TEST_CASE("the transfer of a message begins after the transfer of the previous "
          "message") {
  one_way<int> way{1e6};
  way.send(1, 3000, duration{0}, ms);
  way.send(2, 1000, ms, ms);
  way.send(3, 1000, 9 * ms, ms);
  CHECK(way.take(4 * ms) == 1);
  CHECK(way.take(5 * ms) == 2);
  CHECK(way.next() == 11 * ms);
}

TEST_CASE(
  "messages on a link that is cleared do not arrive, and occupy no bandwidth") {
  one_way<int> way{1e6};
  way.send(1, 3000, duration{0}, ms);
  way.clear();
  CHECK(way.next() == never);
  way.send(2, 1000, duration{0}, ms);
  CHECK(way.take(2 * ms) == 2);
}

TEST_CASE(
  "an arrival time that exceeds the range of the clock counts as never") {
  one_way<int> way{1};
  way.send(1, std::numeric_limits<std::size_t>::max(), duration{0}, never);
  CHECK(way.next() == never);
}

TEST_CASE(
  "a loss occurs at its time, and lasts as long as it says, or for ever") {
  const std::vector<node_loss> all{once(3 * ms, 2 * ms),
                                   once(4 * ms, std::nullopt)};
  node_troubles troubles{all, 1, 0, duration{0}};
  CHECK(changes(troubles, 3) == std::vector<duration>{3 * ms, 4 * ms, 5 * ms});
  CHECK(troubles.take(2 * ms) == std::nullopt);
  CHECK(troubles.take(9 * ms)->begins);
  CHECK(troubles.take(9 * ms)->begins);
  CHECK(!troubles.take(9 * ms)->begins);
  CHECK(troubles.next() == never);
}

TEST_CASE(
  "a loss that is due before its node joins occurs when the node joins") {
  const std::vector<node_loss> all{once(3 * ms, 2 * ms)};
  CHECK(changes({all, 1, 0, 7 * ms}, 2)
        == std::vector<duration>{7 * ms, 9 * ms});
}

TEST_CASE(
  "periodic losses count their period from the end of the previous loss") {
  node_loss each;
  each.every.fixed = 5 * ms;
  each.lasts = ms;
  const std::vector<node_loss> all{each};
  CHECK(changes({all, 1, 0, 2 * ms}, 4)
        == std::vector<duration>{7 * ms, 8 * ms, 13 * ms, 14 * ms});
}

TEST_CASE("a drawn time between losses depends on the seed, the node, the "
          "entry of the loss and the number of the draw") {
  const std::vector<node_loss> all{again_and_again()};
  auto first = changes({all, 1, 0, duration{0}}, 4);
  CHECK(first == changes({all, 1, 0, duration{0}}, 4));
  CHECK(first != changes({all, 2, 0, duration{0}}, 4));
  CHECK(first != changes({all, 1, 1, duration{0}}, 4));
  CHECK(first[2] - first[1] != first[0]);
  const std::vector<node_loss> two{again_and_again(), again_and_again()};
  node_troubles both{two, 1, 0, duration{0}};
  both.take(both.next());
  CHECK(both.next() != first[0]); // where the other one would be, too
}

} // namespace poolsim_node_parts_tests
