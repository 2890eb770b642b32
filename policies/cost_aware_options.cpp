#include "libpool/policies/cost_aware_options.hpp"

namespace libpool {

std::vector<option> options_in(cost_aware_options& options) {
  return {
    {"alpha", number_option{options.alpha, 0, 1},
     "weight of the most recent task of a kind in the estimate for the next "
     "task"},
    {"initial_estimate", time_option{options.initial_estimate},
     "assumed cost of a task before a task of any kind has ended"},
  };
}

} // namespace libpool
