#include "libpool/policies/cost_aware_options.hpp"

namespace libpool {

std::vector<option> options_in(cost_aware_options& options) {
  return {
    {"alpha", number_option{options.alpha, 0, 1},
     "how much the last task of a kind counts for the estimate of the next "
     "one"},
    {"initial_estimate", time_option{options.initial_estimate},
     "what a task is taken to cost before a task of any kind has ended"},
  };
}

} // namespace libpool
