#pragma once

#include "result.hpp"

namespace poolsim {

/// The mean of some times and their quantiles; all `not_yet` if there are none.
/// It brings them into another order.
///
/// A quantile is one of the times, by the nearest rank: p95 of n times is the
/// one of rank ⌈0.95 n⌉, the smallest that is not exceeded by 95 % of them. The
/// mean is rounded towards zero.
///
/// Cost: O(times).
spread spread_of(duration* first, duration* last);

/// Fills in the latencies of the flows and of the whole, by the rows of the
/// tasks.
///
/// Cost: O(tasks + flows); 8 bytes for each task, for a while.
void measure_latencies(result& of);

/// Fills in the counts and the latency of the messages, by their rows.
///
/// Cost: O(messages).
void sum_up(message_books& of);

} // namespace poolsim
