#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <caf/all.hpp>

#include <chrono>
#include <string>

namespace gateway {

/// The upstream, as workers call it.
struct upstream {
  boost::asio::ip::tcp::endpoint at;
  /// HOST:PORT, for the header Host.
  std::string name;
  std::chrono::nanoseconds timeout{0};
};

/// Finds the address of an upstream, which is HOST:PORT.
///
/// Errors: std::runtime_error.
boost::asio::ip::tcp::endpoint address_of(const std::string& upstream);

/// Worker of the pool: calls the upstream, and waits for the answer in a thread
/// of its own (`caf::detached`). Ends the call if it is asked to stop.
///
/// Message: tenant, number, method, target, content, and time until the
///          deadline. Answer: status, type and content.
/// Errors:  `caf::sec::runtime_error` if the call failed and may be repeated:
///          the upstream cannot be reached, or answers 502, 503 or 504, and the
///          method is idempotent. The error names the time of a header
///          Retry-After (`libpool::retry_after`). Other failed calls are
///          answered with 502.
caf::behavior worker(caf::event_based_actor* self, const upstream& upstream);

} // namespace gateway
