#include "known_failures.hpp"

namespace products {

const std::vector<known_failure>& known_failures() {
  static const std::vector<known_failure> all{
    {"skip", "skip,exit_shutdown", "completed,",
     "what a worker had skipped when it ended is booked as ended"},
    {"never_look", "never_look,exit_shutdown", "completed,",
     "what a worker had skipped when it ended is booked as ended"},
    {"system_ends", "promise,system_ends", " left",
     "pools that have something to do keep themselves"},
    {"restarts", "throw,restarts", "nobody has looked at",
     "a pool that is a worker refuses when it is about to end"},
    {"restarts", "throw,restarts", "is lost",
     "a pool that is a worker refuses when it is about to end"},
    {"circle,retry", "", "completed,",
     "a pool that tries again forgets which pools a message has passed"},
    {"circle,hedged", "", "completed,",
     "a pool that is a worker and gathers in vain does not say so"},
    {"circle,split_join", "", "completed,",
     "a pool that is a worker and gathers in vain does not say so"},
    {"circle,broadcast_all", "", "completed,",
     "a pool that is a worker and gathers in vain does not say so"},
    {"restricted,delete_all", "", "are open",
     "a task waits in a pool without workers"},
    {"broadcast_all,never_look", "", "is not answered",
     "a request to all waits for a worker that has ended without a look"},
    {"skip,inner_kill", "", "is lost",
     "what the workers of a pool had skipped is lost when it is ended"},
    {"skip,inner_shutdown", "", "is lost",
     "what the workers of a pool had skipped is lost when it is ended"},
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
