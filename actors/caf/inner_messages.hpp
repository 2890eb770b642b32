#pragma once

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

} // namespace libpool
