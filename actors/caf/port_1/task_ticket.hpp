#pragma once

#include <string>
#include <utility>

namespace libpool {

class tracked_element;

/// Content of the message that a pool sends to a worker in place of a client's
/// message. It represents a tracked element, which is told when the ticket is
/// destroyed. Copies of a ticket represent no element.
class task_ticket {
public:
  task_ticket() = default;

  explicit task_ticket(tracked_element& element) noexcept : element_(&element) {
    // nop
  }

  task_ticket(task_ticket&& other) noexcept
    : element_(std::exchange(other.element_, nullptr)) {
    // nop
  }

  task_ticket(const task_ticket&) noexcept {
    // nop
  }

  task_ticket& operator=(task_ticket other) noexcept {
    std::swap(element_, other.element_);
    return *this;
  }

  ~task_ticket();

  tracked_element* element() const noexcept {
    return element_;
  }

  /// Detaches the ticket from its element.
  void void_it() noexcept {
    element_ = nullptr;
  }

private:
  tracked_element* element_ = nullptr;
};

/// Text for CAF's logs.
inline std::string to_string(const task_ticket&) {
  return "libpool::task_ticket";
}

} // namespace libpool
