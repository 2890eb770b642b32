#include "libpool/policies/catalogue.hpp"

namespace libpool {

const std::vector<policy_entry>& direct_policies() {
  static const std::vector<policy_entry> entries{
    {"round_robin", "each worker in turn"},
    {"random", "a worker drawn uniformly, from a seed"},
    {"broadcast", "every worker; the client sees the first answer"},
    {"split_join", "a task per worker, the results joined into one answer"},
  };
  return entries;
}

const std::vector<policy_entry>& managed_policies() {
  static const std::vector<policy_entry> entries{
    {"shared_queue", "one queue; an idle worker takes the next"},
  };
  return entries;
}

} // namespace libpool
