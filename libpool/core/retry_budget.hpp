#pragma once

#include <cstddef>
#include <cstdint>

namespace libpool {

/// Maximum number of tasks that are retried after errors at the same time: the
/// larger one of `at_least` and of `share` times the number of tasks at
/// workers. Counted for each flow where flows are known, otherwise for the
/// pool. A task counts from its first error until it is settled.
///
/// Source: the retry budget of Envoy's circuit breakers.
struct retry_budget {
  /// Share of the tasks at workers, above 0 and at most 1; default: 0.2.
  double share = 0.2;
  /// Number of tasks that may be retried whatever the share is; default: 3.
  std::size_t at_least = 3;
};

/// Whether a task whose handler has answered with an error is retried. `no`:
/// not permitted, or too late. `yes`: the task waits for its next attempt.
/// `over_budget`: permitted, but too many tasks are retried already.
enum class retry_verdict : std::uint8_t { no, yes, over_budget };

} // namespace libpool
