/// A worker that takes leased messages while its pool takes them back.

#include "libpool/core/lease_book.hpp"

#include "support/dispatcher_world.hpp"
#include "support/numbered_message.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

namespace {

constexpr libpool::instant start{1s};

} // namespace

TEST_CASE("a worker and its pool never both take the same message of a lease") {
  constexpr auto messages = 60;
  for (auto round = 0; round < 2000; ++round) {
    libpool::dispatcher pool{test::composed(libpool::assignment::lazy, false),
                             libpool::limits{}};
    libpool::task sent;
    libpool::worker owner;
    test::numbered_lease shared{owner};
    test::numbered_book all{pool};
    auto& waiting = all.waiting();
    for (auto x = 1; x <= messages; ++x)
      waiting.add(waiting.all(), {x}, start);
    all.fill(shared, sent, waiting.all(), 1us, start);
    std::vector<int> taken;
    std::thread worker{[&] {
      while (auto next = test::take_number(shared, start, start))
        taken.push_back(next);
    }};
    while (all.leases().share()) {
      // takes back as much as it can get
    }
    worker.join();
    auto is_taken = taken.size();
    while (!waiting.empty())
      taken.push_back(waiting.take(waiting.all()).content.number);
    REQUIRE(taken.size() == messages);
    for (auto x = 1; x <= messages; ++x)
      CHECK(taken[static_cast<std::size_t>(x - 1)] == x);
    CHECK(shared.ended() == is_taken);
  }
}
