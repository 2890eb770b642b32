#include "libpool/policies/first_success.hpp"

#include "libpool/policies/requirement.hpp"
#include "libpool/policies/vote_count.hpp"

namespace libpool {

first_success::first_success(const first_success_options& options)
  : options_(options) {
  if (options.asked == 0)
    throw option_error("first_success: n must be at least 1");
}

std::unique_ptr<gather_plan> first_success::clone() const {
  return std::make_unique<first_success>(*this);
}

std::unique_ptr<gather_votes> first_success::make_votes() const {
  return std::make_unique<vote_count>(vote_rules{1, false, std::nullopt});
}

scatter first_success::asks() const noexcept {
  scatter result;
  result.asked = options_.asked;
  return result;
}

} // namespace libpool
