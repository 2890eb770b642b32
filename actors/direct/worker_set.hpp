#pragma once

#include "libpool/actors/direct_policy.hpp"
#include "libpool/core/worker_number.hpp"
#include "libpool/policies/turns.hpp"

#include <caf/actor.hpp>

#include <cstddef>
#include <optional>
#include <vector>

namespace libpool {

/// A worker and the number under which it is in its pool.
struct member {
  caf::actor worker;
  worker_number number;
};

/// The workers of a pool at one moment, in the order in which they joined. A
/// change makes a new set, so that a dispatch sees one that stands still.
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

  /// Whether the pool has ended; such a set is empty.
  bool closed() const noexcept {
    return closed_;
  }

  worker_number number_at(std::size_t position) const {
    return numbers_[position];
  }

  std::optional<std::size_t> find(worker_number number) const;
  std::optional<std::size_t> find(const caf::actor& worker) const;

  /// This set and `more`.
  worker_set with(const std::vector<member>& more) const;

  /// This set but for the worker at `position`.
  worker_set without(std::size_t position) const;

  /// The set of a pool that has ended.
  static worker_set end();

private:
  worker_set(actor_vec workers, std::vector<worker_number> numbers,
             const turns& turn);

  actor_vec workers_;
  std::vector<worker_number> numbers_; // one per worker
  bool closed_ = false;
  mutable turns turn_;
};

} // namespace libpool
