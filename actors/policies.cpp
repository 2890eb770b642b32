/// The policies that pools are made with.

#include "libpool/actors/actor_pool.hpp"

#include <cstdint>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>

namespace libpool {

namespace {

void require(bool holds, const std::string& who, const std::string& bound) {
  if (!holds)
    throw std::invalid_argument("libpool: " + who + ": " + bound);
}

void check(const hedge_delay& after, double budget) {
  require(budget > 0 && budget <= 100, "hedged",
          "budget must be above 0 and at most 100 percent, is "
            + std::to_string(budget));
  if (const auto* rank = std::get_if<percentile>(&after))
    require(rank->percent > 0 && rank->percent < 100, "hedged",
            "the percentile must be above 0 and below 100, is "
              + std::to_string(rank->percent));
  else
    require(std::get<duration>(after).count() > 0, "hedged",
            "the delay must be more than 0 ns");
}

} // namespace

// -- of direct pools ----------------------------------------------------------

policy actor_pool::round_robin() {
  return policy{make_round_robin()};
}

policy actor_pool::broadcast() {
  return policy{make_broadcast()};
}

policy actor_pool::random() {
  std::random_device entropy;
  std::uint64_t high = entropy();
  return random(high << 32 | entropy());
}

policy actor_pool::random(std::uint64_t seed) {
  return policy{make_random(seed)};
}

// -- of managed pools ---------------------------------------------------------

policy actor_pool::managed(recipe how, managed_options options,
                           message_functions asked) {
  check(options);
  compose(how); // throws what it has to say here, not in each pool
  managed_setup told{std::move(options), std::move(asked)};
  check(how, told);
  auto window = default_window(how, 1);
  auto parts = [how = std::move(how)] { return compose(how); };
  return policy{managed_policy{parts, window, std::move(told)}};
}

policy actor_pool::managed(std::function<composition()> parts,
                           managed_options options, message_functions asked) {
  check(options);
  if (parts == nullptr)
    throw std::invalid_argument("libpool: actor_pool::managed: no parts");
  managed_setup told{std::move(options), std::move(asked)};
  return policy{managed_policy{std::move(parts), 1, std::move(told)}};
}

policy actor_pool::shared_queue(managed_options options) {
  return managed(managed_policy_named("shared_queue").how, std::move(options));
}

policy actor_pool::priority(rank_options how, managed_options options) {
  auto parts = managed_policy_named("priority").how;
  parts.order = {"priority", static_cast<priority_options&>(how)};
  message_functions asked;
  asked.priority_of = std::move(how.priority_of);
  return managed(std::move(parts), std::move(options), std::move(asked));
}

policy actor_pool::fair_queuing(flow_options how, managed_options options) {
  auto parts = managed_policy_named("fair_queuing").how;
  parts.order = {"fair_queuing", static_cast<fair_queuing_options&>(how)};
  message_functions asked;
  static_cast<flow_functions&>(asked) = std::move(how);
  return managed(std::move(parts), std::move(options), std::move(asked));
}

policy actor_pool::work_stealing(home_options how, managed_options options) {
  auto parts = managed_policy_named("work_stealing").how;
  parts.stealing = {"cost_aware", static_cast<cost_aware_options&>(how)};
  message_functions asked;
  static_cast<home_functions&>(asked) = std::move(how);
  return managed(std::move(parts), std::move(options), std::move(asked));
}

policy actor_pool::join_shortest_estimated_queue(kind_options how,
                                                 managed_options options) {
  recipe parts;
  parts.placement = {"join_shortest_estimated_queue",
                     static_cast<shortest_queue_options&>(how)};
  message_functions asked;
  static_cast<kind_functions&>(asked) = std::move(how);
  return managed(std::move(parts), std::move(options), std::move(asked));
}

policy actor_pool::consistent_hash(key_options how, managed_options options) {
  recipe parts;
  parts.placement = {"consistent_hash",
                     static_cast<consistent_hash_options&>(how)};
  message_functions asked;
  asked.key_of = std::move(how.key_of);
  return managed(std::move(parts), std::move(options), std::move(asked));
}

policy actor_pool::by_weight(const char* name, weight_options how,
                             managed_options options) {
  recipe parts;
  parts.placement = {name, static_cast<estimate_options&>(how)};
  message_functions asked;
  asked.weight_of = std::move(how.weight_of);
  return managed(std::move(parts), std::move(options), std::move(asked));
}

// -- of managed pools that ask several workers --------------------------------

policy actor_pool::gathered(const char* name, gathering how,
                            const policy& over) {
  check(how.options);
  require(over.managed() != nullptr, name, "needs a managed policy");
  auto result = *over.managed();
  auto& options = result.options;
  if (how.how != gathering::scatter::parts) {
    require(options.may_run_on == nullptr, name,
            "chooses workers itself: "
            "may_run_on means nothing to it");
    require(options.home_of == nullptr && options.key_of == nullptr, name,
            "chooses workers itself: home_of and key_of mean nothing to it");
  }
  if (how.hedge_after) // or a worker that answers later were never hedged
    options.busy_until = busy_until::answer;
  require(result.gathers == nullptr, name,
          "the policy below it gathers already: use a pool of pools");
  result.gathers = std::make_shared<const gathering>(std::move(how));
  return policy{std::move(result)};
}

policy actor_pool::first_success(std::size_t n, const policy& over) {
  require(n > 0, "first_success", "n must be at least 1");
  gathering how;
  how.how = gathering::scatter::some;
  how.asked = n;
  how.needed = 1;
  how.join = make_first_joiner();
  return gathered("first_success", std::move(how), over);
}

policy actor_pool::hedged(hedge_delay after, double budget,
                          const policy& over) {
  check(after, budget);
  gathering how;
  how.how = gathering::scatter::some;
  how.needed = 1;
  how.join = make_first_joiner();
  how.hedge_after = after;
  how.hedge_budget = budget;
  return gathered("hedged", std::move(how), over);
}

policy actor_pool::quorum(std::size_t n, std::size_t k, const policy& over) {
  return make_quorum(n, k, make_first_joiner(), {}, over);
}

policy actor_pool::make_quorum(std::size_t n, std::size_t k,
                               std::unique_ptr<joiner> join,
                               const gather_options& options,
                               const policy& over) {
  require(k > 0 && k <= n, "quorum",
          "k must be from 1 to n, is " + std::to_string(k) + " of "
            + std::to_string(n));
  require(!options.join_what_came && !options.ordered, "quorum",
          "join_what_came and ordered mean nothing to it");
  gathering how;
  how.how = gathering::scatter::some;
  how.asked = n;
  how.needed = k;
  how.stops_rest = false; // a replica that is late must not miss anything
  how.join = std::move(join);
  how.options = options;
  return gathered("quorum", std::move(how), over);
}

} // namespace libpool
