#include "libpool/policies/gather_options.hpp"

#include "libpool/policies/requirement.hpp"

namespace libpool {

std::vector<option> options_in(gather_options& options) {
  return {
    {"timeout", time_option{options.timeout},
     "how long the workers may take to answer", "for ever"},
    {"join_what_came", flag_option{&options.join_what_came},
     "whether failed and late workers are left out, rather than an error the "
     "answer"},
  };
}

void check(const gather_options& options) {
  if (options.timeout && options.timeout->count() <= 0)
    throw option_error("gather_options: timeout must be more than 0");
}

vote_rules all_of(const gather_options& options) noexcept {
  vote_rules result;
  result.is_lenient = options.join_what_came;
  result.timeout = options.timeout;
  return result;
}

} // namespace libpool
