#include "libpool/policies/fair_queuing_options.hpp"

#include "libpool/policies/requirement.hpp"
#include "libpool/policies/shuffle_sharding.hpp"

namespace libpool {

std::vector<option> options_in(fair_queuing_options& options) {
  return {
    {"mode", choice(options.mode, {"exact", "kubernetes"}),
     "a queue for each flow, or few queues among which flows are dealt"},
    {"guess", time_option{options.guess},
     "what a task is taken to cost until it has ended"},
    {"shares", shares_option{&options.shares},
     "by the names of flows, the share of each compared with the others",
     "1 for each flow"},
    {"queue_limit", count_option{options.queue_limit, 1},
     "how many tasks may wait in a flow, or in one of the queues",
     "no limit in mode exact, 50 in mode kubernetes"},
    {"debt_memory", time_option{options.debt_memory, true},
     "mode exact: how long a flow without tasks is remembered for having had "
     "too much"},
    {"most_flows", count_option{options.most_flows, 1},
     "mode exact: how many flows have queues of their own; further ones share "
     "some"},
    {"queues", count_option{options.queues, 1, shuffle_sharding::most_cards},
     "mode kubernetes: how many queues there are"},
    {"hand_size", count_option{options.hand_size, 1},
     "mode kubernetes: among how many of the queues a flow chooses; at most "
     "all, and so few that a hash of 60 bits has a number for each hand"},
  };
}

void check(const fair_queuing_options& options) {
  check_each(options);
  require(options.hand_size <= options.queues, "hand_size", "from 1 to queues");
  require(shuffle_sharding::can_deal(options.queues, options.hand_size),
          "hand_size", "smaller: a hash has too few bits for so many hands");
}

} // namespace libpool
