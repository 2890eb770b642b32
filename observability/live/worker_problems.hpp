#pragma once

#include "libpool/actors/pool_stats.hpp"
#include "libpool/observability/live/history.hpp"
#include "libpool/observability/live/problem.hpp"

#include <optional>
#include <string>
#include <vector>

namespace libpool::live {

/// Problems of the distribution of tasks among workers.

/// Returns the worker as problems name it: "worker 3".
std::string name_of(const member_stats& member);

/// Returns the mean share of the time since `since` in which the serving
/// workers worked; unset if unknown.
std::optional<double> busy_share(const pool_sample& now,
                                 const past_sample* since);

/// Returns a text about the workers other than `one` and their idle time since
/// `since`: "while the other 3 workers were idle for 73 % of the last 10 s";
/// empty if there are none, or they were hardly idle.
std::string idle_others(const pool_sample& now, const past_sample* since,
                        const member_stats* one);

/// Returns the worker that was busy for the largest share of the time since
/// `since`; nullptr if unknown.
const member_stats* busiest(const pool_sample& now, const past_sample* since);

/// Reports a worker that takes several times as long as the others.
void tell_slow_workers(std::vector<problem>& problems, const pool_stats& now);

/// Reports tasks that are assigned to a busy worker while other workers are
/// idle.
void tell_uneven(std::vector<problem>& problems, const pool_sample& now,
                 const past_sample* since);

/// Reports handlers that take no longer than it takes to send them a message.
/// `changed` is the change of the counters in the time `lately`.
void tell_tiny(std::vector<problem>& problems, const pool_stats& changed,
               duration lately);

} // namespace libpool::live
