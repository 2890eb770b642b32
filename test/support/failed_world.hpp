#pragma once

#include "libpool/actors/distributed.hpp"
#include "live/served.hpp"
#include "support/listed_queue.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace test {

/// A pool with a durable queue that keeps failed messages, and a view of it,
/// with the control token "secret".
struct failed_world {
  explicit failed_world(const std::vector<std::uint64_t>& numbers = {3, 5}) {
    for (auto number : numbers)
      fail(number);
    libpool::detail::serve_queue(served.pool, {}, queue.for_front());
  }

  /// Adds a failed message, before the queue is served.
  void fail(std::uint64_t number) {
    auto& failed = queue.failed[number];
    failed.number = number;
    failed.time = std::chrono::system_clock::time_point{
      std::chrono::seconds{1'700'000'000 + static_cast<int>(number)}};
    failed.client = "shop";
    failed.id = "order " + std::to_string(number);
    failed.bytes = 42;
    failed.error = "node_lost";
    failed.reason = "libpool: node1 was lost";
    failed.attempts = 2;
    failed.node = "node1";
    failed.kind = "order";
    failed.trace = "t7";
  }

  static libpool::live_options with_control() {
    libpool::live_options result;
    result.control_token = "secret";
    return result;
  }

  listed_queue queue; // outlives the pool
  served_world served{1, with_control()};
};

} // namespace test
