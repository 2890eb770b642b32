#pragma once

#include "libpool/core/placement.hpp"
#include "libpool/export.hpp"
#include "libpool/policies/placement/hash_ring.hpp"
#include "libpool/policies/placement/placement_options.hpp"

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace libpool {

/// Placement that sends all tasks with one key to one worker, whose caches hold
/// the data of the key. When workers join or leave, few keys move to other
/// workers. Workers and keys are points on a ring. A key belongs to the next
/// worker on the ring that has fewer tasks in flight than `balance` times the
/// mean over all workers, rounded up. A worker with popular keys is therefore
/// not overloaded.
///
/// While a task with a key is in flight, further tasks with that key go to the
/// same worker. Tasks with one key therefore run one after the other in the
/// order of acceptance, even while workers join and leave. If the worker leaves
/// or hangs, further tasks with the key wait until the last task with the key
/// on this worker has ended.
///
/// This rule takes precedence over other wishes of a task. A task that may not
/// run on the worker of its key waits until no task with that key is in flight,
/// and later tasks with the key wait behind it. If no task with the key is in
/// flight, a task that may run on some workers only goes to the first of these
/// workers on the ring, however many tasks that worker has.
///
/// Tasks without a key are spread over the ring. A task without a key that may
/// run on some workers only goes to the one with the fewest tasks in flight.
/// Requires eager assignment: a task gets its worker when it arrives.
///
/// Source: Karger et al., "Consistent Hashing and Random Trees", 1997;
///         Mirrokni, Thorup and Zadimoghaddam, "Consistent Hashing with Bounded
///         Loads", 2016.
/// Cost:   O(1) per choice on average, plus one step for each worker that is
///         full or not permitted. A join adds 64 points. About 2 KiB per
///         worker.
class LIBPOOL_EXPORT consistent_hash final : public placement {
public:
  /// Makes a placement for a pool without workers.
  ///
  /// Errors: std::invalid_argument if an option is out of bounds; the error
  ///         names the option.
  explicit consistent_hash(const consistent_hash_options& options = {});

  void joined(worker& worker, instant now) noexcept override;
  void left(worker& worker, instant now) noexcept override;
  void offered(worker& worker, instant now) noexcept override;
  void withdrawn(worker& worker, instant now) noexcept override;
  void assigned(worker& worker, task& task, instant now) noexcept override;
  void unassigned(worker& worker, task& task, instant now) noexcept override;

  bool keeps_order(const task& task) const noexcept override;
  bool is_tied(const task& task) const noexcept override;
  worker* choose(const task& task, instant now) noexcept override;
  worker* choose_among(const std::vector<worker*>& some, const task& task,
                       instant now) noexcept override;

private:
  /// A worker that has tasks with a certain key in flight. Further tasks with
  /// this key go to the same worker.
  struct pin {
    worker* on = nullptr;
    std::size_t tasks = 0;
  };

  worker* pinned(std::uint64_t key) const noexcept;
  double most_in_flight() const noexcept;

  double balance_;
  hash_ring ring_;
  /// Workers that have tasks with a key in flight, by the key. No key has more
  /// than one worker.
  std::unordered_map<std::uint64_t, pin> pins_;
  std::size_t offered_ = 0;
  std::size_t in_flight_ = 0;
};

} // namespace libpool
