#include "known_failures.hpp"

namespace products {

const std::vector<known_failure>& known_failures() {
  static const std::vector<known_failure> all{
    {"system_ends", "promise,system_ends", " left",
     "pools that have something to do keep themselves"},
    {"restarts", "throw,restarts", "nobody has looked at",
     "a pool that is a worker refuses when it is about to end"},
    {"restarts", "throw,restarts", "is lost",
     "a pool that is a worker refuses when it is about to end"},
    {"circle,hedged", "", "completed,",
     "a pool that is a worker and gathers in vain does not say so"},
    {"circle,split_join", "", "completed,",
     "a pool that is a worker and gathers in vain does not say so"},
    {"circle,broadcast_all", "", "completed,",
     "a pool that is a worker and gathers in vain does not say so"},
    {"restricted,delete_all", "", "are open",
     "a task waits in a pool without workers"},
    {"split_join,deaf_companion", "", "completed,",
     "a gather in vain is booked as completed"},
    {"broadcast_all,deaf_companion", "", "completed,",
     "a gather in vain is booked as completed"},
    {"first_success,deaf_companion", "", "completed,",
     "a gather in vain is booked as completed"},
    {"quorum,deaf_companion", "", "completed,",
     "a gather in vain is booked as completed"},
    {"hedged,deaf_companion", "", "completed,",
     "a gather in vain is booked as completed"},
    {"deaf_companion,waits_when_empty", "", "is not answered",
     "a companion without a handler is taken for dead"},
  };
  return all;
}

} // namespace products
