#include "libpool/policies/gather/gather_options.hpp"

#include "libpool/policies/requirement.hpp"

namespace libpool {

std::vector<option> options_in(gather_options& options) {
  return {
    {"timeout", time_option{options.timeout},
     "maximum time from the arrival of a message to its answer", "unlimited"},
    {"join_what_came", flag_option{&options.join_what_came},
     "true: the answer is joined without the results of workers that failed or "
     "were late; false: one such worker makes the answer an error"},
  };
}

void check(const gather_options& options) {
  if (options.timeout && options.timeout->count() <= 0)
    throw option_error("gather_options: timeout must be above 0, got "
                       + std::to_string(options.timeout->count()) + " ns");
}

} // namespace libpool
