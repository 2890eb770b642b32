#pragma once

#include "libpool/actors/caf/free_list.hpp"
#include "libpool/actors/caf/port/tracked_element.hpp"
#include "libpool/actors/managed/managed_task.hpp"
#include "libpool/core/instant.hpp"

#include <caf/actor_control_block.hpp>

#include <cstddef>
#include <utility>

namespace libpool {

/// Tasks and tracked elements of a managed pool, kept for reuse, and the
/// pool's reference to itself. The pool has the reference while a message, a
/// task or an element is in use, unless all of them wait in vain.
///
/// Cost: O(1). Few allocations in the long run.
class recycler {
public:
  /// `self` is the pool.
  explicit recycler(caf::actor_control_block* self) noexcept : pool_(self) {
    // nop
  }

  /// Returns a task, which is in use until it is given back.
  managed_task& take_task() {
    hold();
    return tasks_.take();
  }

  /// Returns a task of a message that is handled by several tasks. It is in use
  /// until it is given back.
  part_task& take_part() {
    hold();
    return parts_.take();
  }

  /// Takes back a settled task, and releases the objects that it refers to.
  void give_back(managed_task& task) {
    let_go();
    task.element = nullptr;
    task.forget_attempt();
    if (task.has_notes())
      forget_notes(task);
    task.was_handled = task.has_place = false;
    task.is_alone = false;
    task.forget_kind();
    task.flow = flow_ref{};
    task.deadline = never;
    task.accepted = task.started = never;
    if (task.is_part)
      parts_.give_back(static_cast<part_task&>(task));
    else
      tasks_.give_back(task);
  }

  /// Returns an element, which is in use until it is given back. `make` makes a
  /// new element if none is left.
  template <class Make>
  tracked_element& take_carrier(Make make) {
    hold();
    return carriers_.take(std::move(make));
  }

  void give_back(tracked_element& carrier) {
    let_go();
    carriers_.give_back(carrier);
  }

  /// Adds `n` messages in use.
  void hold(std::size_t n = 1) {
    under_way_ += n;
    if (under_way_ == n && self_ == nullptr)
      self_ = caf::strong_actor_ptr{pool_};
  }

  /// Removes `n` messages in use.
  void let_go(std::size_t n = 1) noexcept {
    under_way_ -= n;
  }

  /// Whether no message, task or element is in use.
  bool is_unused() const noexcept {
    return under_way_ == 0;
  }

  /// Ends a round, after which `in_vain` messages and tasks wait in vain.
  /// Returns the reference that has kept the pool alive if nothing else is in
  /// use. The pool may be destroyed together with the reference.
  /// @pre something refers to the pool, or nothing is in use
  caf::strong_actor_ptr release(std::size_t in_vain = 0) {
    if (under_way_ == in_vain)
      return std::move(self_);
    if (self_ == nullptr) // messages have waited in vain until now
      self_ = caf::strong_actor_ptr{pool_};
    return nullptr;
  }

private:
  static void forget_notes(managed_task& task);

  caf::actor_control_block* pool_;
  free_list<managed_task> tasks_;
  free_list<part_task> parts_;
  free_list<tracked_element> carriers_;
  std::size_t under_way_ = 0; // messages, tasks and elements
  caf::strong_actor_ptr self_;
};

} // namespace libpool
