#pragma once

#include "libpool/core/placement.hpp"
#include "libpool/policies/option.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace libpool {

/// The options of `consistent_hash`. Their bounds and meanings are in
/// `options_in`, and listed in docs/policies.md.
struct consistent_hash_options {
  double balance = 1.25;
};

std::vector<option> options_in(consistent_hash_options& options);

/// Tasks of one key go to one worker, whose caches know it; when workers come
/// or go few keys move. Workers and keys are points on a ring; a key belongs to
/// the next worker behind it that does not have more than `balance` times the
/// mean in flight, so that a popular key drowns no worker.
///
/// While a task of a key is in flight, the others go to the same worker: so
/// tasks of one key run one after the other in the order in which they were
/// accepted, also while workers join and leave. A task whose worker leaves or
/// hangs with another one of its key waits for that one's end.
///
/// A key in flight comes before restrictions and homes: a task that may not run
/// where its key is waits until the last one has ended, and tasks of its key
/// that came later wait for it. With none in flight it goes to the first worker
/// on the ring that it may run on, however much that has.
///
/// Tasks without a key are spread. Tasks must be bound at once.
///
/// Source: Karger et al., "Consistent Hashing and Random Trees", 1997;
/// Mirrokni,
///         Thorup and Zadimoghaddam, "Consistent Hashing with Bounded Loads",
///         2016.
/// Cost:   O(log workers) per choice, on average: a step over each worker that
///         is full, or that the task may not run on. O(log workers) per join,
///         64 times; some 4 KiB per worker.
class consistent_hash final : public placement {
public:
  /// Errors: std::invalid_argument names the option that is out of bounds.
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
  /// A worker that has tasks of a key in flight, and how many.
  struct pin {
    worker* on = nullptr;
    std::size_t tasks = 0;
  };

  worker* pinned(std::uint64_t key) const noexcept;
  double most_in_flight() const noexcept;

  double balance_;
  std::map<std::uint64_t, worker*> ring_;
  /// By key and worker: one of each key.
  std::map<std::pair<std::uint64_t, worker_number>, pin> pins_;
  std::size_t offered_ = 0;
  std::size_t in_flight_ = 0;
};

} // namespace libpool
