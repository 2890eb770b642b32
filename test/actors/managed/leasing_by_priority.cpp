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
                  "a message of a higher priority goes before messages "
                  "of lower priorities that workers got in groups") {
  auto sent = std::size_t{0};
  populate(2);
  during = [&](scripted&, int x) {
    if (x == 1150) {
      send(2001, 2001);
      sent = seen.size();
    }
  };
  send(1001, 1300);
  run_leased();
  REQUIRE(sent > 0);
  auto place = std::find(seen.begin(), seen.end(), 2001) - seen.begin();
  // The pool may leave messages in its inbox for as long as a lease takes.
  CHECK(place - static_cast<std::ptrdiff_t>(sent) <= 2 * 50);
  CHECK(sorted() == [] {
    auto all = from_to(1001, 1300);
    all.push_back(2001);
    return all;
  }());
}

TEST_CASE_FIXTURE(ranked_world,
                  "messages with an urgent message among them go in the "
                  "order of their priorities") {
  populate(1);
  during = [&](scripted&, int x) {
    if (x == 1100)
      caf::anon_send<caf::message_priority::high>(pool, 2001);
  };
  send(1001, 1300);
  run_leased();
  auto place = std::find(seen.begin(), seen.end(), 1100);
  REQUIRE(seen.end() - place > 1);
  CHECK(*(place + 1) == 2001);
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
