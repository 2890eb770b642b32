#pragma once

#include "libpool/actors/caf/port/types.hpp"

#include <caf/fwd.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace libpool {

class element_record;
struct passage;

/// Numbers by which an inner pool knows messages of its outer pools.
using numbers_inside = std::vector<std::uint64_t>;

/// Messages that a pool has sent to an inner pool.
struct inner_messages {
  /// What the inner pool can know of the messages; without messages of which it
  /// knows nothing.
  std::vector<std::shared_ptr<passage>> announced;
  /// Numbers of the messages in the inner pool; without messages that have
  /// none.
  numbers_inside numbers;

  void add(const element_record& element);
};

/// Inner messages, as the inner pool sees them.
class announced_messages {
public:
  explicit announced_messages(inner_messages which);

  /// Whether the message is one of these. Cost: O(log n).
  bool contain(const std::shared_ptr<passage>& message) const;

  /// Whether the element carries one of these. Cost: O(log n).
  bool contain(caf::mailbox_element& element) const;

private:
  std::vector<std::shared_ptr<passage>> sorted_;
};

} // namespace libpool
