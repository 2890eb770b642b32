#pragma once

#include "libpool/actors/pool_stats.hpp"
#include "libpool/live/history.hpp"
#include "libpool/live/matters.hpp"

#include <optional>
#include <string>
#include <vector>

namespace libpool::live {

/// What is the matter with how the tasks fit the workers.

/// Returns the mean share of the time since then in which the workers that
/// serve have worked; none if that is not known.
std::optional<double> busy_share(const pool_sample& now,
                                 const past_sample* since);

/// Returns the workers other than `one` and the share of the time since then in
/// which they were idle: "while the other 3 workers were idle for 73 % of the
/// last 10 s"; empty if there are none, or they were hardly idle.
std::string idle_others(const pool_sample& now, const past_sample* since,
                        const member_stats* one);

/// Returns the worker that was busy for the largest share of the time since
/// then; nullptr if that is not known.
const member_stats* busiest(const pool_sample& now, const past_sample* since);

/// One worker takes several times as long as the others.
void tell_slow_workers(std::vector<finding>& to, const pool_stats& now);

/// Tasks are bound to a worker that is busy, while others are idle.
void tell_uneven(std::vector<finding>& to, const pool_sample& now,
                 const past_sample* since);

/// Handlers take no longer than it takes to send them a message. `changed` is
/// what has happened lately, in the time `lately`.
void tell_tiny(std::vector<finding>& to, const pool_stats& changed,
               duration lately);

} // namespace libpool::live
