#include "libpool/policies/estimate_options.hpp"

namespace libpool {

choice_option choice_of(measure& value) {
  return choice(value, {"service_time", "cpu_time", "wait_time"});
}

std::vector<option> options_in(estimate_options& options) {
  return {
    {"history", count_option{options.history, 1, most_history},
     "number of most recent samples of a worker that count"},
    {"statistic", choice(options.statistic, {"mean", "median"}),
     "statistic that combines the samples"},
    {"measure", choice_of(options.measure), "the measured time of a sample"},
    {"initial_estimate", time_option{options.initial_estimate},
     "assumed cost of a task before the first sample",
     "none: such tasks are spread evenly"},
    {"probe_every", count_option{options.probe_every, 0, most_probe_every},
     "an idle worker gets the next task after it was passed over this many "
     "times per worker of the pool; 0: never"},
  };
}

} // namespace libpool
