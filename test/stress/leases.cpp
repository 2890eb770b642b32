/// A worker that takes leased messages while its pool takes them back.

#include "libpool/actors/managed/leases.hpp"
#include "libpool/actors/caf/port/elements.hpp"
#include "libpool/actors/managed/managed_worker.hpp"

#include <caf/mailbox_element.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

namespace {

constexpr libpool::instant start{1s};
constexpr auto rounds = 2000;
constexpr auto messages = 60;

int number_in(caf::mailbox_element& element) {
  return libpool::content_of(element).get_as<int>(0);
}

} // namespace

TEST_CASE("a worker and its pool never both take the same message of a lease") {
  for (auto round = 0; round < rounds; ++round) {
    libpool::managed_worker owner;
    libpool::worker_lease shared{owner};
    libpool::waiting_messages waiting;
    libpool::leases all{waiting};
    for (auto x = 1; x <= messages; ++x)
      waiting.add(waiting.all(),
                  libpool::make_element(nullptr, caf::make_message_id(), x),
                  start, libpool::follows::yes);
    all.fill(shared, start, waiting.all(), 1us, start);
    std::vector<int> taken;
    std::thread worker{[&] {
      while (caf::mailbox_element_ptr next{shared.take_next(start, start)})
        taken.push_back(number_in(*next));
    }};
    while (all.share()) {
      // takes back as much as it can get
    }
    worker.join();
    auto is_taken = taken.size();
    while (!waiting.empty())
      taken.push_back(number_in(*waiting.take(waiting.all()).element));
    REQUIRE(taken.size() == messages);
    for (auto x = 1; x <= messages; ++x)
      CHECK(taken[static_cast<std::size_t>(x - 1)] == x);
    CHECK(shared.ended() == is_taken);
  }
}
