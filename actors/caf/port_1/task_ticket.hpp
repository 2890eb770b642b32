#pragma once

#include <string>
#include <utility>

namespace libpool {

class tracked_element;

/// Content of a shell: the message that a pool sends to a worker in place of
/// the message of a client. A ticket represents a tracked element, and reports
/// its own destruction to the element. A copy of a ticket does not represent an
/// element.
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

/// Returns the text of a ticket in logs of CAF.
inline std::string to_string(const task_ticket&) {
  return "libpool::task_ticket";
}

} // namespace libpool
