#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/core/splitmix64.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace libpool {

/// FNV-1a, 64 bits.
constexpr std::uint64_t fnv_1a(std::string_view text) noexcept {
  std::uint64_t result = 0xcbf29ce484222325;
  for (auto each : text)
    result = (result ^ static_cast<unsigned char>(each)) * 0x100000001b3;
  return result;
}

/// Whose a task is: a tenant, a client, a kind of request. Tasks of one key are
/// of one flow.
///
/// Errors: two names may have the same hash, and are one flow then. That takes
///         billions of flows, or somebody who wants it; where tenants choose
///         their names and are not to be trusted, number them. Two numbers are
///         never the same flow.
class flow_key {
public:
  /// The flow of those that name none.
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

  /// For people.
  const std::string& name() const noexcept {
    return name_;
  }

private:
  std::uint64_t hash_ = fnv_1a("");
  std::string name_;
};

/// What an order says of one flow.
struct flow_stats {
  std::string name;
  /// Tasks that wait, and that are in flight.
  std::uint64_t waiting = 0;
  std::uint64_t running = 0;
  /// When the next one of those that wait was accepted; `never` if none waits,
  /// or all that do wait for particular workers.
  instant waiting_since = never;
  /// Tasks whose handlers have ended, and what they took: service times, each
  /// times the seats of its task.
  std::uint64_t served = 0;
  duration seat_time{0};
  std::uint64_t refused = 0;
  /// From acceptance to start.
  duration mean_wait{0};
  /// How far it is behind the virtual clock, in the time of one seat: what it
  /// is owed if that is above zero, what it has had too much of otherwise.
  /// Until tasks end it goes by what they are guessed to take, so while all is
  /// well it is little more than the guesses for what is running.
  duration lag{0};
};

} // namespace libpool
