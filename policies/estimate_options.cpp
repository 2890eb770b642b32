#include "libpool/policies/estimate_options.hpp"

namespace libpool {

choice_option choice_of(measure& value) {
  return choice(value, {"service_time", "cpu_time", "wait_time"});
}

std::vector<option> options_in(estimate_options& options) {
  return {
    {"history", count_option{options.history, 1, most_history},
     "how many of the last samples of a worker count"},
    {"statistic", choice(options.statistic, {"mean", "median"}),
     "the statistic that speaks for all samples"},
    {"measure", choice_of(options.measure), "the time that is a sample"},
    {"initial_estimate", time_option{options.initial_estimate},
     "what a task is taken to cost before there is a sample",
     "nothing: such tasks spread evenly"},
    {"probe_every", count_option{options.probe_every, 0, most_probe_every},
     "an idle worker that was passed over this many times as often as there "
     "are workers gets the next task; 0: never"},
  };
}

} // namespace libpool
