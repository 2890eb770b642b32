#pragma once

#include "libpool/actors/direct_policy.hpp"
#include "libpool/core/worker_number.hpp"
#include "libpool/policies/direct/turns.hpp"

#include <caf/actor.hpp>

#include <cstddef>
#include <optional>
#include <vector>

namespace libpool {

/// A worker, and its number in the pool.
struct member {
  caf::actor worker;
  worker_number number;
};

/// The workers of a pool at one moment, in the order in which they joined. A
/// change makes a new set, so that a dispatch sees a constant set.
class worker_set {
public:
  worker_set() = default;

  const actor_vec& workers() const noexcept {
    return workers_;
  }

  /// The turns of the workers in this set.
  turns& turn() const noexcept {
    return turn_;
  }

  bool empty() const noexcept {
    return workers_.empty();
  }

  /// Whether the pool has ended. Such a set is empty.
  bool closed() const noexcept {
    return closed_;
  }

  worker_number number_at(std::size_t position) const {
    return numbers_[position];
  }

  std::optional<std::size_t> find(worker_number number) const;
  std::optional<std::size_t> find(const caf::actor& worker) const;

  /// Returns this set with the workers `more` added.
  worker_set with(const std::vector<member>& more) const;

  /// Returns this set without the worker at `position`.
  worker_set without(std::size_t position) const;

  /// Returns the set of a pool that has ended.
  static worker_set end();

private:
  worker_set(actor_vec workers, std::vector<worker_number> numbers,
             const turns& turn);

  actor_vec workers_;
  std::vector<worker_number> numbers_; // one for each worker
  bool closed_ = false;
  mutable turns turn_;
};

} // namespace libpool
