#include "known_failures.hpp"

namespace products {

const std::vector<known_failure>& known_failures() {
  static const std::vector<known_failure> all{
    {"await,urgent", "", "",
     "what a worker skips waits in the queue of its category"},
    {"skip,urgent", "", "",
     "what a worker skips waits in the queue of its category"},
    {"never_look,urgent", "", "",
     "what a worker skips waits in the queue of its category"},
    {"skip", "skip,exit_shutdown", "completed,",
     "what a worker had skipped when it ended is booked as ended"},
    {"skip", "never_look,kill", "",
     "what a worker had skipped when it ended is booked as ended"},
    {"never_look", "never_look,exit_shutdown", "completed,",
     "what a worker had skipped when it ended is booked as ended"},
    {"never_look", "never_look,kill", "",
     "what a worker had skipped when it ended is booked as ended"},
    {"system_ends", "promise,system_ends", " left",
     "pools that have something to do keep themselves"},
    {"first_success,pipelines_in_pools", "", "",
     "what was recalled wedges who is asked for it"},
    {"hedged,pipelines_in_pools", "", "",
     "what was recalled wedges who is asked for it"},
    {"deaf_companion", "", "",
     "a companion without a handler is taken for dead"},
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
  };
  return all;
}

} // namespace products
