#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/core/splitmix64.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace libpool {

/// FNV-1a, 64 bits.
constexpr std::uint64_t fnv_1a(std::string_view text) noexcept {
  std::uint64_t result = 0xcbf29ce484222325;
  for (auto each : text)
    result = (result ^ static_cast<unsigned char>(each)) * 0x100000001b3;
  return result;
}

/// The flow that a task belongs to: a tenant, a client, a kind of request.
/// Tasks with equal keys are of one flow.
///
/// Errors: two names may have one hash, and are one flow then. That takes
/// billions of flows, or an attacker; where tenants choose their names
/// and are not to be trusted, number them. Two numbers are never one
/// flow.
class flow_key {
public:
  /// The flow of tasks without a flow.
  flow_key() = default;

  template <class Text, class = std::enable_if_t<
                          std::is_convertible_v<const Text&, std::string_view>>>
  flow_key(const Text& name) // NOLINT(google-explicit-constructor)
    : flow_key(std::string{std::string_view{name}}) {
    // nop
  }

  flow_key(std::string name) // NOLINT(google-explicit-constructor)
    : hash_(fnv_1a(name)), name_(std::move(name)) {
    // nop
  }

  template <class Number, std::enable_if_t<std::is_integral_v<Number>, int> = 0>
  flow_key(Number number) // NOLINT(google-explicit-constructor)
    : hash_(splitmix64::mixed(static_cast<std::uint64_t>(number))),
      name_(std::to_string(number)) {
    // nop
  }

  /// Says which flow it is, and is as good as random.
  std::uint64_t hash() const noexcept {
    return hash_;
  }

  /// The name of the flow for people.
  const std::string& name() const noexcept {
    return name_;
  }

private:
  std::uint64_t hash_ = fnv_1a("");
  std::string name_;
};

/// The state and the counts of one flow.
struct flow_stats {
  std::string name;
  /// Tasks that wait, and that are in flight.
  std::uint64_t waiting = 0;
  std::uint64_t running = 0;
  /// When the next of the waiting tasks was accepted; `never` if no task waits,
  /// or all of them wait for particular workers.
  instant waiting_since = never;
  /// Tasks whose handlers have ended, and the sum of their service times, each
  /// times the seats of its task.
  std::uint64_t served = 0;
  duration seat_time{0};
  std::uint64_t refused = 0;
  /// Sum, and mean, of the times from acceptance to start, of served tasks.
  duration waited{0};
  duration mean_wait{0};
  /// How far the flow is behind the virtual clock, in the time of one seat:
  /// above zero, the flow is owed that much; below, it has had that much too
  /// much. Until tasks end, estimates stand for their costs, so without
  /// overload the lag is little more than the estimates of the running tasks.
  duration lag{0};
};

/// The first `most` of the rows, the flows with the most waiting tasks first.
std::vector<flow_stats> longest(std::vector<flow_stats> rows, std::size_t most);

} // namespace libpool
