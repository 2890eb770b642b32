#pragma once

#include "poolsim/observed.hpp"

namespace test {

/// Whether a worker leaves or crashes.
bool somebody_leaves(const observed& run);

/// Checks the invariants of all results.
void check_invariants(const observed& run);

// Each of these is a part of that.

/// The ledger adds up, and agrees with the rows.
void check_ledger(const observed& run);

/// Counts, averages and busy times follow from the tasks.
void check_sums(const observed& run);

/// Times are in order, and a completed task ran for as long as it should have.
void check_times(const observed& run);

/// Restrictions, absences and seats are respected.
void check_places(const observed& run);

/// Bound lazily and with a window of one, no task waits beside an idle worker.
void check_no_worker_idles(const observed& run);

/// Bound eagerly, in fifo order and without stealing, workers run their tasks
/// in order and without gaps.
void check_no_gaps(const observed& run);

} // namespace test
