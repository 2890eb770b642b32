#pragma once

#include <caf/actor_control_block.hpp>
#include <caf/message_id.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace libpool {

/// Requests of one client.
struct client_requests {
  /// The client.
  caf::strong_actor_ptr client;
  /// Unique numbers of the requests, in ascending order.
  std::vector<std::uint64_t> numbers;

  /// Whether one of the requests has this id.
  bool contain(caf::message_id id) const {
    return id.is_request()
           && std::binary_search(numbers.begin(), numbers.end(),
                                 id.request_id().integer_value());
  }
};

} // namespace libpool
