#pragma once

#include <caf/mailbox_element.hpp>

namespace libpool {

/// Destroys an element that was kept until it was answered, as a completed task
/// if a managed pool sent it. An exception that is being handled in this thread
/// does not count as a failure of the task.
void let_go(caf::mailbox_element_ptr element) noexcept;

} // namespace libpool
