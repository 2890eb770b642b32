/// A worker that takes the messages of a lease while its pool takes them back.

#include "libpool/core/lease.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

namespace {

constexpr libpool::instant start{1s};

struct numbered_message {
  int number = 0;

  static void prefetch() noexcept {
    // nop
  }
};

using numbered_lease = libpool::lease<numbered_message>;

/// Takes the messages of the lease from number 2 on, as a worker does.
std::vector<int> take_all(numbered_lease& from) {
  std::vector<int> result;
  while (const auto* next = from.take_next(start, start))
    result.push_back(next->number);
  return result;
}

} // namespace

TEST_CASE("a worker and its pool never both take the same message of a lease") {
  constexpr auto messages = 60;
  for (auto round = 0; round < 2000; ++round) {
    numbered_lease shared;
    shared.begin(start, start);
    for (auto x = 2; x <= messages; ++x)
      shared.add({x});
    std::vector<int> taken;
    std::vector<int> taken_back;
    std::thread worker{[&] { taken = take_all(shared); }};
    for (std::size_t before = 0; shared.size() != before;) {
      before = shared.size();
      shared.take_back(1 + before / 8, [&](std::size_t i, auto message) {
        CHECK(static_cast<int>(i) + 1 == message.number);
        taken_back.push_back(message.number);
      });
    }
    worker.join();
    REQUIRE(shared.ended() == taken.size());
    REQUIRE(shared.size() == taken.size() + 1);
    taken.insert(taken.end(), taken_back.rbegin(), taken_back.rend());
    REQUIRE(taken.size() == messages - 1);
    for (auto x = 2; x <= messages; ++x)
      CHECK(taken[static_cast<std::size_t>(x - 2)] == x);
  }
}

TEST_CASE("a worker takes no message of a lease after its end, and the ends of "
          "the messages before are told once, with their times") {
  numbered_lease one;
  one.begin(start, start + 10ns);
  one.add({2});
  one.add({3});
  REQUIRE(one.take_next(start, start + 5ns) != nullptr);
  CHECK(one.take_next(start + 6ns, start + 11ns) == nullptr);
  CHECK(one.ended() == 1);
  auto told = 0;
  auto tell = [&](std::size_t i, const libpool::run_times& times) {
    ++told;
    CHECK(i == 0);
    CHECK(times.started == start);
    CHECK(times.ended == start + 5ns);
  };
  CHECK(one.told_until() == libpool::instant::min());
  one.tell_ends(tell);
  one.tell_ends(tell);
  CHECK(told == 1);
  CHECK(one.told_until() == start + 5ns);
  one.take_back(5, [](std::size_t i, auto message) {
    CHECK(i == 2);
    CHECK(message.number == 3);
  });
  CHECK(one.size() == 2);
}
