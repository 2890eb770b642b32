#include "libpool/policies/stealing_options.hpp"

#include "libpool/policies/requirement.hpp"

namespace libpool {

void check(const stealing_options& options) {
  require(options.alpha > 0 && options.alpha <= 1, "alpha", // NaN is not
          "above 0, at most 1");
  require(options.initial_estimate > duration{0}, "initial_estimate",
          "above 0");
}

} // namespace libpool
