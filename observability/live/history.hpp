#pragma once

#include "libpool/actors/distributed.hpp"
#include "libpool/actors/pool_stats.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/core/ledger.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace libpool::live {

/// Returns the time since `begun`; zero if there was no event.
inline duration age(instant begun, instant now) {
  return begun == never || begun > now ? duration{0} : now - begun;
}

/// Ten seconds, and a bit since samples do not come exactly on time.
inline constexpr std::chrono::milliseconds window_length{10'250};

/// A task that a worker runs.
struct running_task {
  /// Numbers of the worker and of the task in the pool.
  std::uint64_t worker = 0;
  std::uint64_t task = 0;
  /// Types of the message, flow and trace; empty if unknown.
  std::string kind = {};
  std::string flow = {};
  std::string trace = {};
  instant accepted{};
  instant started = never;
};

/// Waiting tasks of one flow or client.
struct waiting_group {
  std::string name; // empty: none
  std::uint64_t waiting = 0;
};

/// State of a pool at one moment, without handles of workers.
struct pool_sample {
  instant at{};
  /// State with members, up to a maximum number of members; without members if
  /// the sample is a summary.
  pool_stats stats;
  bool is_summary = false;
  std::size_t all_members = 0;
  std::vector<node_stats> nodes;
  std::vector<std::string> unreachable; // servers, why
  /// Running tasks, as far as they are recorded.
  std::vector<running_task> running = {};
  /// The flows with the most waiting tasks, or the clients if the pool has no
  /// flows, as far as tasks are recorded: at most 32, the most first. Empty if
  /// only one waits.
  std::vector<waiting_group> groups = {};
  bool groups_are_clients = false;
  /// Number of known kinds of tasks.
  std::size_t kinds = 0;
};

/// Number of messages that came, accepted or refused.
constexpr std::uint64_t arrived(const ledger& tasks) noexcept {
  return tasks.accepted + tasks.refused;
}

/// Time for which the worker had worked until then, including the running task.
duration worked(const member_stats& member, instant until) noexcept;

/// The part of a sample that is kept to compute later changes.
struct past_sample {
  instant at{};
  pool_stats stats; // without members
  std::vector<waiting_group> groups;
  bool is_summary = false;
  /// Working time of each worker, by worker number; empty for a summary.
  std::vector<std::pair<std::uint64_t, duration>> worked;

  /// Working time of the worker; zero if it did not exist.
  duration worked_by(std::uint64_t number) const noexcept;

  /// Seat time of the flow; zero if it did not exist.
  duration seat_time_of(const std::string& flow) const noexcept;
};

/// Beginning and middle of the last ten seconds, as far as known; nullptr if
/// unknown.
struct recent_past {
  const past_sample* beginning = nullptr;
  const past_sample* middle = nullptr;
  /// The first sample with workers; if the last ten seconds have none, the last
  /// one before.
  const past_sample* workers = nullptr;
  /// All samples of the last ten seconds, the earliest first.
  std::vector<const past_sample*> samples = {};
};

/// Returns the share of the time since `since` in which the worker worked, 0 to
/// 1; unset if times are not measured, or no time has passed.
std::optional<double> busy_share(const member_stats& stats,
                                 const pool_sample& now,
                                 const past_sample* since);

/// Samples of a pool from the last ten seconds, as far as they were taken, and
/// the last one before.
class history {
public:
  void add(const pool_sample& sample);

  /// Returns the sample at the beginning of the last ten seconds, or the
  /// closest one; nullptr if there is none.
  const past_sample* beginning(instant now) const noexcept;

  /// Returns the beginning, the last sample of the first half, and the first
  /// sample with workers.
  recent_past recent(instant now) const noexcept;

private:
  const past_sample* with_workers(instant now) const noexcept;

  std::deque<past_sample> samples_;
  /// Last sample with workers that is not in `samples_` any more.
  std::optional<past_sample> former_;
};

} // namespace libpool::live
