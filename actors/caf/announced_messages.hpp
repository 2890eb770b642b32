#pragma once

#include "libpool/actors/caf/inner_messages.hpp"

#include <caf/mailbox_element.hpp>

#include <memory>
#include <vector>

namespace libpool {

/// Inner messages, as the inner pool sees them.
class announced_messages {
public:
  explicit announced_messages(inner_messages messages);

  /// Whether the message is one of these. Cost: O(log n).
  bool contain(const std::shared_ptr<passage>& message) const;

  /// Whether the element carries one of these. Cost: O(log n).
  bool contain(caf::mailbox_element& element) const;

private:
  std::vector<std::shared_ptr<passage>> sorted_;
};

} // namespace libpool
