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

/// Workers of a managed pool: serving and leaving workers.
///
/// A worker whose mailbox is closed is presumed dead before its end is
/// reported. Until then it counts neither as serving nor as leaving, since it
/// may be replaced.
///
/// Cost: O(1) to find a serving worker by its actor; O(log workers) to find a
///       worker by its number.
class roster {
public:
  /// Adds a serving worker, with a number that no other worker ever has.
  /// @pre its actor does not serve
  managed_worker& add(std::unique_ptr<managed_worker> worker);

  /// Returns the worker with that number; nullptr if it has left.
  managed_worker* find(worker_number number) const;

  bool serves(const caf::abstract_actor& actor) const {
    return serving_.count(&actor) > 0;
  }

  bool serves(const managed_worker& worker) const;

  /// Returns the worker that is the actor, and has not left; nullptr if there
  /// is none. O(workers) while some workers are leaving.
  managed_worker* find_present(const caf::abstract_actor& actor) const;

  /// Returns the serving worker that is the actor; nullptr if there is none.
  managed_worker* find(const caf::abstract_actor& actor) const {
    auto i = serving_.find(&actor);
    return i != serving_.end() ? i->second : nullptr;
  }

  /// Returns the serving workers that get tasks from the dispatcher, in the
  /// order in which they joined.
  std::vector<managed_worker*> serving() const;

  /// Returns all workers that have not left, in the order in which they joined.
  std::vector<managed_worker*> all() const;

  /// Number of serving workers.
  std::size_t size() const noexcept {
    return serving_.size();
  }

  /// Sum of the seats of the serving workers.
  std::size_t seats() const noexcept {
    return seats_;
  }

  /// Notes that the worker, a pool, is about to have `seats` seats.
  void resizes(const managed_worker& worker, std::size_t seats);

  /// Removes the worker from the serving ones. Does nothing if it does not
  /// serve.
  void take_out(const managed_worker& worker);

  /// Notes that a serving worker has ended although its end was not reported
  /// yet.
  void presume_dead(managed_worker& worker);

  /// Notes the reported end of the worker. Returns whether it served until
  /// then, or until it was presumed dead.
  bool died(const managed_worker& worker);

  /// Removes a worker that leaves, and returns it.
  std::unique_ptr<managed_worker> remove(const managed_worker& worker);

  /// Whether no worker is presumed dead, and the serving workers, if any, are
  /// all pools that have no workers and expect none.
  bool has_nobody() const;

  /// Whether the last worker has ended, and none was added since.
  bool is_bereft() const noexcept {
    return is_bereft_;
  }

  /// Number of workers that are presumed dead.
  std::size_t presumed_dead() const noexcept {
    return presumed_dead_;
  }

  /// Number of workers that no longer serve, and have not left.
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
