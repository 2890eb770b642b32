#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/core/splitmix64.hpp"
#include "libpool/export.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace libpool {

/// Returns the FNV-1a hash of `text`, 64 bits.
constexpr std::uint64_t fnv_1a(std::string_view text) noexcept {
  std::uint64_t result = 0xcbf29ce484222325;
  for (auto each : text)
    result = (result ^ static_cast<unsigned char>(each)) * 0x100000001b3;
  return result;
}

/// Key of the flow that a task belongs to. A flow is, for example, a tenant, a
/// client or a kind of request. Tasks with equal keys belong to one flow.
///
/// Errors: two names with the same hash are one flow. An accidental collision
///         is likely only among billions of flows, but an attacker can find
///         such names. If tenants choose their names and are not trusted,
///         numbers should be used instead: two different numbers are never one
///         flow.
class flow_key {
public:
  /// Makes the key of tasks without a flow; the name of this key is empty.
  flow_key() = default;

  /// Makes the key of the flow with the name `name`.
  template <class Text, class = std::enable_if_t<
                          std::is_convertible_v<const Text&, std::string_view>>>
  flow_key(const Text& name) // NOLINT(google-explicit-constructor)
    : flow_key(std::string{std::string_view{name}}) {
    // nop
  }

  /// Makes the key of the flow with the name `name`.
  flow_key(std::string name) // NOLINT(google-explicit-constructor)
    : hash_(fnv_1a(name)), name_(std::move(name)) {
    // nop
  }

  /// Makes the key of the flow with the number `number`. The name of the key is
  /// the number in decimal digits.
  template <class Number, std::enable_if_t<std::is_integral_v<Number>, int> = 0>
  flow_key(Number number) // NOLINT(google-explicit-constructor)
    : hash_(splitmix64::mixed(static_cast<std::uint64_t>(number))),
      name_(std::to_string(number)) {
    // nop
  }

  /// Returns the hash that identifies the flow.
  std::uint64_t hash() const noexcept {
    return hash_;
  }

  /// Returns the display name of the flow.
  const std::string& name() const noexcept {
    return name_;
  }

private:
  std::uint64_t hash_ = fnv_1a("");
  std::string name_;
};

/// Line of one flow beside those of other flows.
struct flow_line {
  /// Number of waiting tasks of the flow.
  std::size_t waiting = 0;
  /// Number of flows with waiting tasks that may go to workers, this flow
  /// included; at least 1.
  std::size_t flows = 1;
};

/// State and counts of one flow.
struct flow_stats {
  /// Name of the flow.
  std::string name;
  /// Number of waiting tasks, including tasks that were set aside because no
  /// worker can take them now.
  std::uint64_t waiting = 0;
  /// Number of tasks that were sent to workers and have not ended, without
  /// tasks of leases whose turn has not come, which count as waiting.
  std::uint64_t running = 0;
  /// Acceptance time of the waiting task that is sent next, also if limits or a
  /// pause of the flow hold it back; `never` if no task waits, or if all
  /// waiting tasks were set aside because no worker can take them now.
  instant waiting_since = never;
  /// Number of tasks that were settled and whose handlers have run. A task that
  /// was retried counts once, whatever the number of attempts.
  std::uint64_t served = 0;
  /// Sum, over the ended handler runs, of the service time multiplied by the
  /// number of seats (places for tasks) that the task took.
  duration seat_time{0};
  /// Number of refused tasks.
  std::uint64_t refused = 0;
  /// Sum, over the served tasks, of the time from the acceptance of the task to
  /// the start of its last attempt.
  duration waited{0};
  /// Mean time from the acceptance of a task to the start of its last attempt,
  /// over the served tasks.
  duration mean_wait{0};
  /// Service that fair queuing owes the flow, as time on one seat (place for a
  /// task); negative if the flow has had more than its share. A task that has
  /// not ended counts with its estimated cost. Without overload, the lag is
  /// therefore little more than the sum of the estimates of the running tasks.
  duration lag{0};
};

/// Number of flows that a list of the longest ones is chosen from, at most; a
/// pool may have more.
constexpr std::size_t most_compared_flows = 1024;

/// What others know of the flows that an order lists.
struct flow_supplement {
  /// Hashes of flows that the list is to be chosen from as well.
  std::vector<std::uint64_t> also = {};
  /// Adds to the statistics of the flow with the given hash. Default: adds
  /// nothing.
  std::function<void(std::uint64_t, flow_stats&)> complete = nullptr;
};

/// Whether the flow `x` is listed before the flow `y`: it has more waiting
/// tasks, or as many and more running ones, and so on.
LIBPOOL_EXPORT bool is_longer(const flow_stats& x, const std::string& name_of_x,
                              const flow_stats& y,
                              const std::string& name_of_y);

/// Returns those of `rows` with the most waiting tasks, the longest queue
/// first. `most`: maximum number of rows in the result.
LIBPOOL_EXPORT std::vector<flow_stats> longest(std::vector<flow_stats> rows,
                                               std::size_t most);

} // namespace libpool
