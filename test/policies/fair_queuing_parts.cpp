/// The options of fair queuing, flows, their hands of queues, and the virtual
/// clock.

#include "libpool/core/flow.hpp"
#include "libpool/core/virtual_time.hpp"
#include "libpool/policies/order/exact_fair_queuing.hpp"
#include "libpool/policies/order/fair_queuing.hpp"
#include "libpool/policies/order/fair_queuing_options.hpp"
#include "libpool/policies/order/kubernetes_fair_queuing.hpp"
#include "libpool/policies/order/make_fair_queuing.hpp"
#include "libpool/policies/order/shuffle_sharding.hpp"
#include "support/chi_squared.hpp"
#include "support/complaint.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using libpool::fair_mode;
using libpool::fair_queuing_options;
using libpool::make_fair_queuing;
using namespace std::chrono_literals;

namespace {

/// The error about the default options, changed by `change`; empty if there is
/// none.
template <class Change>
std::string refusal(Change change) {
  fair_queuing_options how;
  change(how);
  return test::complaint([&] { libpool::check(how); });
}

using reals = std::numeric_limits<double>;

} // namespace

TEST_CASE("fair queuing accepts the default options, and options that are at "
          "their bounds") {
  CHECK(refusal([](auto&) {}) == "");
  CHECK(refusal([](auto& o) {
          o.guess = 1ns;
          o.shares = {{"a", reals::min()}, {"b", reals::max()}};
          o.queue_limit = 1;
          o.debt_memory = 0ns;
          o.most_flows = 1;
        })
        == "");
  for (std::size_t all : {1U, 19U})
    CHECK(refusal([all](auto& o) { o.queues = o.hand_size = all; }) == "");
  CHECK(refusal([](auto& o) {
          o.queues = 65536;
          o.hand_size = 3;
        })
        == "");
}

TEST_CASE("the error for a wrong option of fair queuing names the option and "
          "its bound") {
  CHECK(refusal([](auto& o) { o.guess = 0ns; })
        == "libpool: guess: must be above 0, got 0s");
  for (auto [share, text] : {std::pair{0.0, "0"}, std::pair{-1.0, "-1"},
                             std::pair{reals::infinity(), "inf"},
                             std::pair{reals::quiet_NaN(), "nan"}})
    CHECK(refusal([wrong = share](auto& o) {
            o.shares = {{"fine", 1}, {"bad", wrong}};
          })
          == std::string{"libpool: shares: bad: must be a number above 0, got "}
               + text);
  CHECK(refusal([](auto& o) { o.queue_limit = 0; })
        == "libpool: queue_limit: must be at least 1, got 0");
  CHECK(refusal([](auto& o) { o.debt_memory = -1ns; })
        == "libpool: debt_memory: must be at least 0, got -1ns");
  CHECK(refusal([](auto& o) { o.most_flows = 0; })
        == "libpool: most_flows: must be at least 1, got 0");
  for (std::size_t count : {0U, 65537U})
    CHECK(refusal([count](auto& o) { o.queues = count; })
          == "libpool: queues: must be between 1 and 65536, got "
               + std::to_string(count));
  CHECK(refusal([](auto& o) { o.hand_size = 0; })
        == "libpool: hand_size: must be at least 1, got 0");
  CHECK(refusal([](auto& o) { o.hand_size = 65; })
        == "libpool: hand_size: must be at most queues (64), got 65");
  CHECK(refusal([](auto& o) { o.queues = o.hand_size = 20; })
        == "libpool: hand_size: must be small enough that a hash of 60 bits "
           "can number all choices among 20 queues, got 20");
}

TEST_CASE("the option 'mode' selects the implementation of fair queuing, and "
          "both check their options") {
  fair_queuing_options how;
  CHECK(dynamic_cast<libpool::exact_fair_queuing*>(make_fair_queuing(how).get())
        != nullptr);
  how.mode = fair_mode::kubernetes;
  CHECK(dynamic_cast<libpool::kubernetes_fair_queuing*>(
          make_fair_queuing(how).get())
        != nullptr);
  for (auto mode : {fair_mode::exact, fair_mode::kubernetes}) {
    how.mode = mode;
    how.guess = 0ns;
    CHECK(test::complaint([&] { make_fair_queuing(how); })
          == "libpool: guess: must be above 0, got 0s");
  }
}

// Else it would take their memory first.
TEST_CASE(
  "too large a number of queues is refused before the queues are allocated") {
  fair_queuing_options how;
  how.queues = static_cast<std::size_t>(-1);
  CHECK_THROWS_AS(libpool::kubernetes_fair_queuing{how}, std::invalid_argument);
}

using libpool::flow_key;
using libpool::fnv_1a;

// From the authors' list of test vectors; the last one is one step of the
// definition.
TEST_CASE("names of flows are hashed with FNV-1a, as unsigned bytes") {
  static_assert(fnv_1a("") == 0xcbf29ce484222325);
  CHECK(fnv_1a("a") == 0xaf63dc4c8601ec8c);
  CHECK(fnv_1a("foobar") == 0x85944171f73967e8);
  CHECK(fnv_1a("\xff") == (0xcbf29ce484222325 ^ 0xff) * 0x100000001b3);
}

TEST_CASE("equal names give the same flow, no name is the empty name, and "
          "equal numbers give one flow that differs from that of their text") {
  auto hash = fnv_1a("tenant");
  CHECK(flow_key{"tenant"}.hash() == hash);
  CHECK(flow_key{std::string{"tenant"}}.hash() == hash);
  CHECK(flow_key{std::string_view{"tenant"}}.hash() == hash);
  CHECK(flow_key{"tenant"}.name() == "tenant");
  CHECK(flow_key{}.hash() == flow_key{""}.hash());
  CHECK(flow_key{}.name().empty());
  CHECK(flow_key{7}.hash() == flow_key{std::uint64_t{7}}.hash());
  CHECK(flow_key{7}.hash() != flow_key{"7"}.hash());
  CHECK(flow_key{7}.name() == "7");
  CHECK(flow_key{-1}.name() == "-1");
}

TEST_CASE("different numbers are different flows, and similar numbers have "
          "distant hashes") {
  std::set<std::uint64_t> all;
  std::set<std::uint64_t> top_bytes;
  for (auto i = 0; i < 10000; ++i) {
    all.insert(flow_key{i}.hash());
    top_bytes.insert(flow_key{i}.hash() >> 56U);
  }
  CHECK(all.size() == 10000);
  // Each of 256 values is missed with a chance of (255/256)^10000 = 10^-17.
  CHECK(top_bytes.size() == 256);
}

using libpool::shuffle_sharding;
using cards = std::vector<std::size_t>;

namespace {

cards dealt(std::size_t deck, std::size_t hand, std::uint64_t hash) {
  cards result{99, 99}; // is overwritten
  shuffle_sharding{deck, hand}.deal(hash, result);
  return result;
}

bool is_a_hand(cards hand, std::size_t deck, std::size_t size) {
  std::sort(hand.begin(), hand.end());
  return hand.size() == size && hand.back() < deck
         && std::adjacent_find(hand.begin(), hand.end()) == hand.end();
}

} // namespace

// With 5 cards the digits of a hash have the bases 5, 4 and 3. Each is a place
// among the cards that are left.
TEST_CASE("the digits of the hash of a flow select the queues of the flow, "
          "like cards for a hand") {
  CHECK(dealt(5, 3, 7) == cards{2, 1, 0});    // 2 1 0
  CHECK(dealt(5, 3, 33) == cards{3, 2, 1});   // 3 2 1: of 0 1 2 4, of 0 1 4
  CHECK(dealt(5, 3, 46) == cards{1, 2, 4});   // 1 1 2: of 0 2 3 4, of 0 3 4
  CHECK(dealt(5, 3, 59) == cards{4, 3, 2});   // 4 3 2, the last one
  CHECK(dealt(5, 3, 60) == cards{0, 1, 2});   // goes round
  CHECK(dealt(4, 4, 5) == cards{1, 2, 0, 3}); // 1 1 0 0: of 0 2 3, of 0 3
  CHECK(dealt(1, 1, 12345) == cards{0});
  CHECK(dealt(64, 1, 130) == cards{2});
}

TEST_CASE("each possible selection of queues is dealt for exactly one hash "
          "below the number of possible selections") {
  for (std::size_t deck = 1; deck <= 6; ++deck) {
    std::uint64_t hands = 1;
    for (std::size_t size = 1; size <= deck; ++size) {
      CAPTURE(deck);
      CAPTURE(size);
      hands *= deck - size + 1;
      std::set<cards> all;
      for (std::uint64_t hash = 0; hash < hands; ++hash) {
        all.insert(dealt(deck, size, hash));
        CHECK(is_a_hand(dealt(deck, size, hash), deck, size));
      }
      CHECK(all.size() == hands);
    }
  }
}

// The kth digit of names' hashes is uniform to within 64^6/2^64 = 4 10^-9, so
// each card is equally often the kth: 24000 hands are 375 for each card.
TEST_CASE(
  "each card is dealt equally often, at each place of the hand and in total") {
  constexpr std::size_t deck = 64;
  constexpr std::size_t size = 6;
  std::vector<std::vector<double>> by_place(size, std::vector<double>(deck));
  for (auto i = 0; i < 24000; ++i) {
    auto hash = libpool::flow_key{"tenant " + std::to_string(i)}.hash();
    auto hand = dealt(deck, size, hash);
    REQUIRE(is_a_hand(hand, deck, size));
    for (std::size_t place = 0; place < size; ++place)
      ++by_place[place][hand[place]];
  }
  std::vector<double> in_all(deck);
  for (const auto& counts : by_place) {
    CHECK(test::chi_squared(counts) < test::once_in_a_million(deck));
    for (std::size_t card = 0; card < deck; ++card)
      in_all[card] += counts[card];
  }
  CHECK(test::chi_squared(in_all) < test::once_in_a_million(deck));
}

TEST_CASE("queues can be dealt to flows if 60 bits suffice to number all "
          "possible selections of queues") {
  struct row {
    std::size_t deck;
    std::size_t most; // cards of a hand
  };
  // 64·63·…·55 = 5.5 10^17, and 54 times that; 2^60 = 1.15 10^18.
  // 20!/3! = 4.1 10^17, 20!/2! = 1.2 10^18; 19! = 1.2 10^17. 65536: 16 bits a
  // card.
  for (auto each :
       {row{64, 10}, row{20, 17}, row{19, 19}, row{65536, 3}, row{1, 1}})
    for (std::size_t hand = 1; hand <= std::min<std::size_t>(each.deck, 64);
         ++hand)
      CHECK(shuffle_sharding::can_deal(each.deck, hand) == (hand <= each.most));
}

using libpool::later;
using libpool::virtual_time;

namespace {

constexpr auto last = std::numeric_limits<std::uint64_t>::max();
constexpr auto half = std::uint64_t{1} << 63U;

/// Moments where something might go wrong.
const std::vector<virtual_time> starts = {
  virtual_time{},         virtual_time{1},    virtual_time{half - 1},
  virtual_time{half},     virtual_time{last}, virtual_time{last - 7},
  virtual_time{half + 12}};

} // namespace

TEST_CASE("two virtual times are compared correctly even if the clock, which "
          "starts at 0, has wrapped around between them") {
  CHECK(virtual_time{} == virtual_time{0});
  CHECK(virtual_time{last} + 1 == virtual_time{0});
  for (auto start : starts) {
    CAPTURE(start - virtual_time{});
    CHECK_FALSE(start < start);
    CHECK(later(start, start) == start);
    for (std::int64_t step : {std::int64_t{1}, std::int64_t{20},
                              std::numeric_limits<std::int64_t>::max()}) {
      CAPTURE(step);
      auto end = start + step;
      CHECK(end - start == step);
      CHECK(start - end == -step);
      CHECK(start < end);
      CHECK_FALSE(end < start);
      CHECK(start != end);
      CHECK(later(start, end) == end);
      CHECK(later(end, start) == end);
      CHECK(end + -step == start);
    }
  }
}
