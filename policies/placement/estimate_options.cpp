#include "libpool/policies/placement/estimate_options.hpp"

namespace libpool {

choice_option choice_of(measure& value) {
  return choice(value, {"service_time", "cpu_time", "wait_time"});
}

std::vector<option> options_in(estimate_options& options) {
  return {
    {"history", count_option{options.history, 1, most_history},
     "number of recent tasks of a worker from whose costs the cost of its next "
     "task is estimated"},
    {"statistic", choice(options.statistic, {"mean", "median"}),
     "statistic of the costs of recent tasks that is the estimated cost of the "
     "next task"},
    {"measure", choice_of(options.measure),
     "measured time of a task that counts as its cost"},
    {"initial_estimate", time_option{options.initial_estimate},
     "assumed cost of a task until the pool has completed its first task",
     "no estimate: tasks are spread evenly, or by weight"},
    {"probe_every", count_option{options.probe_every, 0, most_probe_every},
     "number of tasks, per worker of the pool, that are assigned before an "
     "idle worker that got none of them gets the next one, so that its "
     "estimate is renewed; 0: never"},
  };
}

} // namespace libpool
