#include "libpool/policies/order/fair_queuing_options.hpp"

#include "libpool/policies/order/shuffle_sharding.hpp"
#include "libpool/policies/requirement.hpp"

namespace libpool {

std::vector<option> options_in(fair_queuing_options& options) {
  return {
    {"mode", choice(options.mode, {"exact", "kubernetes"}),
     "exact: a queue for each flow, such as a client; kubernetes: a fixed "
     "number of queues that flows share"},
    {"guess", time_option{options.guess},
     "assumed service time of a task until the task has ended"},
    {"shares", shares_option{&options.shares},
     "share of the workers' time that each flow gets, by the name of the flow, "
     "relative to the other flows",
     "1 for each flow"},
    {"queue_limit", count_option{options.queue_limit, 1},
     "maximum number of waiting tasks of a flow, or of a queue in mode "
     "kubernetes",
     "no limit in mode exact, 50 in mode kubernetes"},
    {"debt_memory", time_option{options.debt_memory, true},
     "mode exact: time for which the pool remembers that a flow without tasks "
     "has had more than its share"},
    {"most_flows", count_option{options.most_flows, 1},
     "mode exact: maximum number of flows that have a queue each; further "
     "flows share queues"},
    {"queues", count_option{options.queues, 1, shuffle_sharding::most_cards},
     "mode kubernetes: number of queues"},
    {"hand_size", count_option{options.hand_size, 1},
     "mode kubernetes: number of queues that the tasks of one flow may use; at "
     "most the number of queues, and small enough that a hash of 60 bits can "
     "number all choices"},
  };
}

void check(const fair_queuing_options& options) {
  check_each(options);
  auto given = std::to_string(options.hand_size);
  auto queues = std::to_string(options.queues);
  require(options.hand_size <= options.queues, "hand_size",
          "at most queues (" + queues + ")", given);
  require(shuffle_sharding::can_deal(options.queues, options.hand_size),
          "hand_size",
          "small enough that a hash of 60 bits can number all choices among "
            + queues + " queues",
          given);
}

} // namespace libpool
