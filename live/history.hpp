#pragma once

#include "libpool/actors/distributed.hpp"
#include "libpool/actors/pool_stats.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/core/ledger.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

namespace libpool::live {

/// A task that a worker runs.
struct running_task {
  /// Numbers of the worker and of the task in the pool.
  std::uint64_t worker = 0;
  std::uint64_t task = 0;
  /// The types of its message, its flow and its trace; empty where not known.
  std::string kind = {};
  std::string flow = {};
  std::string trace = {};
};

/// A pool at a moment. It has no handles of workers.
struct pool_sample {
  instant at{};
  /// With members, but not with all if there are too many.
  pool_stats stats;
  std::size_t all_members = 0;
  std::vector<node_stats> nodes;
  /// Tasks that run, as far as they are recorded.
  std::vector<running_task> running = {};
};

/// Messages that came, whether they were accepted or not.
constexpr std::uint64_t arrived(const ledger& tasks) noexcept {
  return tasks.accepted + tasks.refused;
}

/// How long the worker had worked until then, the running task included.
duration worked(const member_stats& member, instant until) noexcept;

/// What is kept of a sample, to tell what has changed since.
struct past_sample {
  instant at{};
  pool_stats stats; // without members
  /// How long each worker had worked, by its number.
  std::vector<std::pair<std::uint64_t, duration>> worked;

  /// Zero if it was not there.
  duration worked_by(std::uint64_t number) const noexcept;

  /// Zero if it was not there.
  duration seat_time_of(const std::string& flow) const noexcept;
};

/// Where the last ten seconds began, and their middle, as well as they are
/// known; nullptr if not.
struct recent_past {
  const past_sample* beginning = nullptr;
  const past_sample* middle = nullptr;
};

/// Share of the time since then in which the worker has worked, 0 to 1; none if
/// times are not measured, or no time has passed.
std::optional<double> busy_share(const member_stats& of, const pool_sample& now,
                                 const past_sample* since);

/// The samples of a pool of the last ten seconds, or as far as somebody has
/// looked; and the last one before.
class history {
public:
  void add(const pool_sample& sample);

  /// The sample that the last ten seconds begin with, as well as is known;
  /// nullptr if there was none.
  const past_sample* beginning(instant now) const noexcept;

  /// Returns the beginning, and the last sample of the first half.
  recent_past recent(instant now) const noexcept;

private:
  std::deque<past_sample> samples_;
};

} // namespace libpool::live
