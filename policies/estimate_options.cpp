#include "libpool/policies/estimate_options.hpp"

namespace libpool {

choice_option choice_of(measure& value) {
  return choice(value, {"service_time", "cpu_time", "wait_time"});
}

std::vector<option> options_in(estimate_options& options) {
  return {
    {"history", count_option{options.history, 1, most_history},
     "number of most recent samples of a worker that the estimate uses"},
    {"statistic", choice(options.statistic, {"mean", "median"}),
     "statistic that combines the samples"},
    {"measure", choice_of(options.measure),
     "measured time of a task that is recorded as a sample"},
    {"initial_estimate", time_option{options.initial_estimate},
     "assumed cost of a task before the first sample",
     "no estimate: tasks are spread evenly"},
    {"probe_every", count_option{options.probe_every, 0, most_probe_every},
     "number of assigned tasks, per worker of the pool, after which an idle "
     "worker gets the next task as a probe; 0: no probes"},
  };
}

} // namespace libpool
