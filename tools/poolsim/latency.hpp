#pragma once

#include "result.hpp"

namespace poolsim {

/// Returns the mean and the quantiles of times; all are `not_yet` if there are
/// none. Reorders the times.
///
/// Quantiles are times of the input, by the nearest rank: p95 of n times is the
/// time of rank ⌈0.95 n⌉, the smallest one that is not exceeded by 95 % of
/// them. The mean is rounded towards zero.
///
/// Cost: O(times).
spread spread_of(duration* first, duration* last);

/// Sets the latencies of each flow and of all tasks, from the rows of the
/// tasks.
///
/// Cost: O(tasks + flows), and temporarily 8 bytes for each task.
void measure_latencies(result& result);

/// Sets the counts and the latency of the messages, from their rows.
///
/// Cost: O(messages).
void sum_up(message_books& books);

} // namespace poolsim
