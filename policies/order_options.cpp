#include "libpool/policies/order_options.hpp"

#include "libpool/policies/requirement.hpp"
#include "libpool/policies/shuffle_sharding.hpp"

#include <cmath>

namespace libpool {

void check(const order_options& options) {
  constexpr duration zero{0};
  require(!options.age_step || *options.age_step > zero, "age_step", "above 0");
  require(options.guess > zero, "guess", "above 0");
  for (const auto& [flow, share] : options.shares)
    require(std::isfinite(share) && share > 0, "shares: " + flow,
            "a number above 0");
  require(!options.queue_limit || *options.queue_limit > 0, "queue_limit",
          "at least 1");
  require(options.debt_memory >= zero, "debt_memory", "at least 0");
  require(options.most_flows > 0, "most_flows", "at least 1");
  require(options.queues > 0 && options.queues <= shuffle_sharding::most_cards,
          "queues", "from 1 to 65536");
  require(options.hand_size > 0 && options.hand_size <= options.queues,
          "hand_size", "from 1 to queues");
  require(shuffle_sharding::can_deal(options.queues, options.hand_size),
          "hand_size", "smaller: a hash has too few bits for so many hands");
}

} // namespace libpool
