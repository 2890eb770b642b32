#include "libpool/policies/gather_options.hpp"

#include "libpool/policies/requirement.hpp"

namespace libpool {

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
