#include "libpool/policies/placement_options.hpp"

#include "libpool/policies/requirement.hpp"

namespace libpool {

void check(const placement_options& options) {
  constexpr duration zero{0};
  require(options.history > 0, "history", "at least 1");
  require(options.history <= most_history, "history", "at most 65536");
  require(!options.initial_estimate || *options.initial_estimate > zero,
          "initial_estimate", "above 0");
  require(options.decay > zero, "decay", "above 0");
  require(options.floor > zero, "floor", "above 0");
  require(options.failure_penalty >= zero, "failure_penalty", "at least 0");
  require(options.balance > 1, "balance", "above 1"); // NaN is not
}

} // namespace libpool
