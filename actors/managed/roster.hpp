#pragma once

#include "libpool/actors/managed/managed_worker.hpp"
#include "libpool/core/worker.hpp"
#include "libpool/core/worker_number.hpp"

#include <caf/abstract_actor.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

namespace libpool {

/// The workers of a managed pool: the ones that serve, and the ones that still
/// have something to end.
///
/// A worker whose mailbox is closed is presumed dead before its death is told.
/// It counts neither as serving nor as gone until then, since it may be
/// replaced.
///
/// Cost: O(1) to find a serving worker by its actor, O(log workers) by its
///       number.
class roster {
public:
  /// From now on the worker serves, under a number that no other worker ever
  /// has.
  /// @pre its actor does not serve
  managed_worker& add(std::unique_ptr<managed_worker> worker);

  /// The worker of that number; nullptr if it has left.
  managed_worker* find(worker_number number) const;

  bool serves(const caf::abstract_actor& actor) const {
    return serving_.count(&actor) > 0;
  }

  bool serves(const managed_worker& worker) const;

  /// The serving workers to which the dispatcher gives tasks, in the order in
  /// which they joined.
  std::vector<managed_worker*> serving() const;

  /// All workers that have not left, in the order in which they joined.
  std::vector<managed_worker*> all() const;

  /// How many workers serve.
  std::size_t size() const noexcept {
    return serving_.size();
  }

  /// The sum of the seats of the workers that serve.
  std::size_t seats() const noexcept {
    return seats_;
  }

  /// The worker, a pool, is about to have so many seats.
  void resizes(const managed_worker& worker, std::size_t seats);

  /// The worker does not serve any more; nothing if it did not.
  void take_out(const managed_worker& worker);

  /// The worker, which serves, is dead, but its death was not told yet.
  void presume_dead(managed_worker& worker);

  /// The death of the worker was told. Returns whether it had served until
  /// then, or until it was presumed dead.
  bool died(const managed_worker& worker);

  /// The worker leaves: it is not known any more.
  std::unique_ptr<managed_worker> remove(const managed_worker& worker);

  /// Whether no worker serves, or only pools that have no workers and expect
  /// none, and no worker is presumed dead.
  bool has_nobody() const;

  /// Whether the last worker has died, and none was added since.
  bool is_bereft() const noexcept {
    return is_bereft_;
  }

  /// How many workers serve no more, and have not left.
  std::size_t leaving() const noexcept {
    return workers_.size() - serving_.size() - presumed_dead_;
  }

private:
  std::map<worker_number, std::unique_ptr<managed_worker>> workers_;
  std::unordered_map<const caf::abstract_actor*, managed_worker*> serving_;
  std::size_t seats_ = 0;
  std::size_t presumed_dead_ = 0;
  bool is_bereft_ = false;
  std::uint64_t joined_ = 0;
};

} // namespace libpool
