#pragma once

#include <string_view>
#include <vector>

namespace libpool {

/// One policy as users name it.
struct policy_entry {
  std::string_view name;
  std::string_view summary;
};

/// The direct policies: each message is dispatched in its sender's thread, with
/// no bookkeeping. Tables, programs and tests take their lists from here.
const std::vector<policy_entry>& direct_policies();

/// The managed policies: the pool keeps each message until a worker has room
/// for it, and settles it once whatever becomes of the workers.
const std::vector<policy_entry>& managed_policies();

} // namespace libpool
