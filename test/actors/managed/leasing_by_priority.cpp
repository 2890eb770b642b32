/// Pools that leave workers several messages of a priority at a time.

#include "leasing_world.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <random>
#include <stdexcept>

using libpool::actor_pool;
using test::from_to;
using test::numbers;
using test::scripted;
using namespace std::chrono_literals;

namespace {

/// Messages are numbers: the thousands are the priority.
struct ranked_world : test::leasing_world {
  explicit ranked_world(std::uint64_t seed = 0) : leasing_world(seed) {
    waits_in = line::of_priorities;
    ranks.priority_of = [](const libpool::message_content& content) {
      auto x = test::first_of(content);
      if (x == refused)
        throw std::runtime_error{"no priority"};
      return std::int64_t{x / 1000};
    };
  }

  static constexpr int refused = 4711;
};

} // namespace

TEST_CASE_FIXTURE(ranked_world,
                  "a worker gets messages of the same priority in "
                  "groups, the highest priority first") {
  populate(1);
  send(1001, 1300);
  send(3001, 3300);
  send(2001, 2300);
  run_leased();
  CHECK(stats().leases < 60);
  auto expected = from_to(3001, 3300);
  expected.insert(expected.begin(), seen.front()); // it came first
  for (auto first : {2001, 1001})
    for (auto each : from_to(first, first + 299))
      if (each != seen.front())
        expected.push_back(each);
  CHECK(seen == expected);
}

TEST_CASE_FIXTURE(ranked_world,
                  "a message of a higher priority goes before the "
                  "leased messages of a lower priority") {
  populate(1);
  at(1150, [this](scripted&) {
    send(2001, 2001);
    static_cast<void>(stats()); // the pool looks at the message
  });
  send(1001, 1300);
  run_leased();
  CHECK(place_of(2001) == place_of(1150) + 1);
  CHECK(seen.size() == 301);
}

TEST_CASE_FIXTURE(ranked_world,
                  "a message whose priority cannot be told is refused, "
                  "and others are handled in groups") {
  populate(1);
  send(1001, 1100);
  client.request(pool, refused);
  send(1101, 1200);
  run_leased();
  CHECK(sorted() == from_to(1001, 1200));
  CHECK(stats().tasks.refused == 1);
}

TEST_CASE("messages that a worker gets in groups go by priority, and in the "
          "order of arrival among equals") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    ranked_world w{seed};
    std::mt19937_64 draw{seed};
    w.populate(1);
    numbers sent;
    for (auto i = 0; i < 400; ++i) {
      sent.push_back(1000 * static_cast<int>(draw() % (1 + seed % 7)) + i);
      w.send(sent.back(), sent.back());
    }
    w.run_leased();
    REQUIRE(w.seen.front() == sent.front());
    auto expected = sent;
    std::stable_sort(expected.begin() + 1, expected.end(),
                     [](int x, int y) { return x / 1000 > y / 1000; });
    CHECK(w.seen == expected);
  }
}
