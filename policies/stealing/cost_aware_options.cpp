#include "libpool/policies/stealing/cost_aware_options.hpp"

namespace libpool {

std::vector<option> options_in(cost_aware_options& options) {
  return {
    {"alpha", number_option{options.alpha, 0, 1},
     "weight of the most recent task in the estimated service time of its "
     "kind, a moving average"},
    {"initial_estimate", time_option{options.initial_estimate},
     "assumed service time of a task until the pool has completed its first "
     "task"},
  };
}

} // namespace libpool
