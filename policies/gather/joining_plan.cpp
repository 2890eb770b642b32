#include "libpool/policies/gather/joining_plan.hpp"

#include "libpool/policies/gather/vote_count.hpp"

namespace libpool {

joining_plan::joining_plan(scatter::target target,
                           const gather_options& options)
  : to_(target), options_(options) {
  check(options);
}

std::unique_ptr<gather_plan> joining_plan::clone() const {
  return std::make_unique<joining_plan>(*this);
}

std::unique_ptr<gather_votes> joining_plan::make_votes() const {
  vote_rules rules;
  rules.is_lenient = options_.join_what_came;
  rules.timeout = options_.timeout;
  return std::make_unique<vote_count>(rules);
}

scatter joining_plan::asks() const noexcept {
  scatter result;
  result.to = to_;
  return result;
}

bool joining_plan::is_timed() const noexcept {
  return options_.timeout.has_value();
}

} // namespace libpool
