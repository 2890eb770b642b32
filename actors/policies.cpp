/// The policies that pools are made with.

#include "libpool/actors/actor_pool.hpp"
#include "libpool/core/composition.hpp"
#include "libpool/policies/gather/first_success.hpp"
#include "libpool/policies/gather/hedged.hpp"
#include "libpool/policies/gather/quorum.hpp"

#include <cstdint>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>

namespace libpool {

namespace {

void demand(bool holds, const std::string& name, const std::string& bound) {
  if (!holds)
    throw std::invalid_argument("libpool: " + name + ": " + bound);
}

/// Whether no option differs from its default. An option that is missing here
/// does not compile.
bool are_defaults(const managed_options& given) {
  const managed_options usual;
  const auto& [workers, most_workers, window, capacity, throttles, throttled_by,
               on_overflow, deadline, deadline_of, time_limit, drop_hopeless,
               shed, on_crash, retry_on, backoff, budget, poison_after, until,
               restart, stand_ins, autoscale, empty, measure_times, leases,
               batch, may_run_on, same_as, on_settled, trace_of, id_of,
               slow_after, on_slow, name] = given;
  auto has_functions = deadline_of || throttled_by || retry_on || may_run_on
                       || same_as.key_of || on_settled || trace_of || id_of
                       || on_slow;
  auto has_limits = backoff || budget || window || capacity || deadline
                    || time_limit || drop_hopeless || slow_after || autoscale
                    || shed || batch || !throttles.is_empty();
  return !has_functions && !has_limits && workers == usual.workers
         && most_workers == usual.most_workers
         && on_overflow == usual.on_overflow
         && on_crash.index() == usual.on_crash.index()
         && poison_after == usual.poison_after && until == usual.busy_until
         && restart == usual.restart && stand_ins == usual.stand_ins
         && empty == usual.when_empty && measure_times == usual.measure_times
         && leases == usual.leases && name == usual.name;
}

/// Checks that the policy, which is made for one pool, can drop waiting
/// messages by the rule of the options, if they have one.
void check_shed(const managed_options& given, const composition& policy) {
  if (!given.shed)
    return;
  const auto has_flows = policy.order->has_flows();
  demand(policy.assignment == assignment::lazy
           && (has_flows || policy.order->is_by_arrival()),
         "managed_options: shed",
         "requires a policy that sends messages in the order of arrival or by "
         "flows, such as shared_queue or fair_queuing");
  demand(given.shed->exempt.empty() || has_flows
           || given.throttled_by != nullptr || !given.throttles.is_empty(),
         "managed_options: shed: exempt",
         "requires flows: fair_queuing, throttles or throttled_by");
}

managed_setup setup_of(recipe recipe, managed_options options,
                       message_functions asked) {
  check(options);
  check_shed(options, compose(recipe)); // throws here, not in each pool
  managed_setup told{std::move(options), std::move(asked)};
  check(recipe, told);
  told.has_options = !are_defaults(told);
  told.with = [recipe, functions = static_cast<message_functions&>(told)](
                managed_options other) {
    return setup_of(recipe, std::move(other), functions);
  };
  told.policy = recipe.name.empty() ? recipe.placement.name() : recipe.name;
  told.compose = [how = std::move(recipe)](bool has_places) {
    return compose(has_places ? how : without_homes(how));
  };
  return told;
}

managed_setup setup_of(std::function<composition()> parts,
                       managed_options options, message_functions asked) {
  check(options);
  if (parts == nullptr)
    throw std::invalid_argument("libpool: actor_pool::managed: the function "
                                "that makes the parts is empty");
  if (options.shed)
    check_shed(options, parts());
  managed_setup told{std::move(options), std::move(asked)};
  told.has_options = !are_defaults(told);
  told.with = [parts, functions = static_cast<message_functions&>(told)](
                managed_options other) {
    return setup_of(parts, std::move(other), functions);
  };
  told.compose = [parts = std::move(parts)](bool) { return parts(); };
  return told;
}

void check_gather(const gathering& gathering, const managed_setup& over,
                  const char* name) {
  auto has_parts = gathering.plan->asks().to == scatter::target::parts;
  demand(has_parts == (gathering.split != nullptr), name,
         has_parts
           ? "a plan with one task for each part of a message requires a "
             "split function"
           : "a split function requires a plan with one task for each part "
             "of a message");
  if (!has_parts) {
    demand(
      over.may_run_on == nullptr, name,
      "may_run_on has no effect, since this policy chooses the workers itself");
    demand(over.home_of == nullptr && over.key_of == nullptr, name,
           "home_of and key_of have no effect, since this policy chooses the "
           "workers itself");
  }
}

managed_setup gathering_over(managed_setup over,
                             const std::shared_ptr<const gathering>& gathering,
                             const char* name) {
  check_gather(*gathering, over, name);
  if (gathering->plan
        ->has_patience()) // or a worker that answers later had answered
    over.busy_until = busy_until::answer;
  demand(!over.batch, name,
         "batch: must be unset, since each message makes several tasks; set it "
         "in the pools that are the workers");
  demand(over.gathers == nullptr, name,
         "the underlying policy already asks several workers: use a pool of "
         "pools");
  demand(over.same_as.key_of == nullptr, name,
         "same_as has no effect, since several workers handle each message: "
         "use a pool of pools");
  demand(!over.autoscale || over.autoscale->least > 0, name,
         "autoscale: least must be at least 1, since the message asks the "
         "workers that there are");
  over.gathers = gathering;
  over.with = [below = std::move(over.with), gathering,
               name](managed_options other) {
    return gathering_over(below(std::move(other)), gathering, name);
  };
  return over;
}

managed_setup distributed_over(managed_setup over, node_options options) {
  demand(!over.nodes, "distributed",
         "the underlying policy is already distributed");
  demand(!over.batch, "distributed",
         "batch: must be unset; set it in the pools of the nodes");
  demand(options.wants_of == nullptr || over.may_run_on == nullptr,
         "distributed: wants_of",
         "cannot be combined with may_run_on, which already restricts where "
         "messages run");
  if (over.when_empty == when_empty::end)
    over.when_empty = when_empty::wait;
  over.nodes = options;
  over.with = [below = std::move(over.with),
               how = std::move(options)](managed_options other) {
    return distributed_over(below(std::move(other)), how);
  };
  return over;
}

/// A gather of which the first result is the answer.
gathering first_of(std::unique_ptr<gather_plan> plan) {
  gathering result;
  result.plan = std::move(plan);
  result.join = make_first_joiner();
  return result;
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

policy actor_pool::managed(recipe recipe, managed_options options,
                           message_functions asked) {
  return policy{
    setup_of(std::move(recipe), std::move(options), std::move(asked))};
}

policy actor_pool::managed(std::function<composition()> parts,
                           managed_options options, message_functions asked) {
  return policy{
    setup_of(std::move(parts), std::move(options), std::move(asked))};
}

policy actor_pool::shared_queue(managed_options options) {
  return managed(managed_policy_named("shared_queue"), std::move(options));
}

policy actor_pool::earliest_deadline(managed_options options) {
  return managed(managed_policy_named("earliest_deadline"), std::move(options));
}

policy actor_pool::priority(rank_options manner, managed_options options) {
  auto parts = managed_policy_named("priority");
  parts.order = {"priority", static_cast<priority_options&>(manner)};
  message_functions asked;
  asked.priority_of = std::move(manner.priority_of);
  return managed(std::move(parts), std::move(options), std::move(asked));
}

policy actor_pool::fair_queuing(flow_options manner, managed_options options) {
  auto parts = managed_policy_named("fair_queuing");
  parts.order = {"fair_queuing", static_cast<fair_queuing_options&>(manner)};
  message_functions asked;
  static_cast<flow_functions&>(asked) = std::move(manner);
  return managed(std::move(parts), std::move(options), std::move(asked));
}

policy actor_pool::work_stealing(home_options manner, managed_options options) {
  auto parts = managed_policy_named("work_stealing");
  parts.stealing = {"cost_aware", static_cast<cost_aware_options&>(manner)};
  message_functions asked;
  static_cast<home_functions&>(asked) = std::move(manner);
  return managed(std::move(parts), std::move(options), std::move(asked));
}

policy actor_pool::join_shortest_estimated_queue(kind_options manner,
                                                 managed_options options) {
  recipe parts;
  parts.placement = {"join_shortest_estimated_queue",
                     static_cast<shortest_queue_options&>(manner)};
  message_functions asked;
  static_cast<kind_functions&>(asked) = std::move(manner);
  return managed(std::move(parts), std::move(options), std::move(asked));
}

policy actor_pool::consistent_hash(key_options manner,
                                   managed_options options) {
  recipe parts;
  parts.placement = {"consistent_hash",
                     static_cast<consistent_hash_options&>(manner)};
  message_functions asked;
  asked.key_of = std::move(manner.key_of);
  return managed(std::move(parts), std::move(options), std::move(asked));
}

policy actor_pool::by_weight(const char* name, weight_options manner,
                             managed_options options) {
  recipe parts;
  parts.placement = {name, static_cast<estimate_options&>(manner)};
  message_functions asked;
  asked.weight_of = std::move(manner.weight_of);
  return managed(std::move(parts), std::move(options), std::move(asked));
}

// -- of managed pools that ask several workers --------------------------------

policy actor_pool::make_gathered(const char* name, gathering manner,
                                 const policy& over) {
  demand(manner.plan != nullptr, name, "requires a plan");
  demand(manner.join != nullptr, name, "requires a joiner");
  demand(over.managed() != nullptr, name, "requires a policy of managed pools");
  auto shared = std::make_shared<const gathering>(std::move(manner));
  return policy{gathering_over(*over.managed(), shared, name)};
}

policy actor_pool::distributed(node_options options, const policy& over) {
  check(options);
  demand(over.managed() != nullptr, "distributed",
         "requires a policy of managed pools");
  return policy{distributed_over(*over.managed(), std::move(options))};
}

policy actor_pool::first_success(std::size_t n, const policy& over) {
  auto plan =
    std::make_unique<libpool::first_success>(first_success_options{n});
  return make_gathered("first_success", first_of(std::move(plan)), over);
}

policy actor_pool::hedged(hedge_delay after, double budget,
                          const policy& over) {
  auto plan = std::make_unique<libpool::hedged>(hedged_options{after, budget});
  return make_gathered("hedged", first_of(std::move(plan)), over);
}

policy actor_pool::quorum(std::size_t n, std::size_t k, const policy& over) {
  return make_quorum(n, k, make_first_joiner(), {}, over);
}

policy actor_pool::make_quorum(std::size_t n, std::size_t k,
                               std::unique_ptr<joiner> join,
                               const gather_options& options,
                               const policy& over) {
  demand(!options.join_what_came && !options.ordered, "quorum",
         "join_what_came and ordered have no effect with this policy");
  gathering gathering;
  gathering.plan =
    std::make_unique<libpool::quorum>(quorum_options{n, k, options.timeout});
  gathering.join = std::move(join);
  return make_gathered("quorum", std::move(gathering), over);
}

policy actor_pool::gathered(std::unique_ptr<gather_plan> plan,
                            std::unique_ptr<joiner> join, const policy& over) {
  gathering gathering;
  gathering.plan = std::move(plan);
  gathering.join = std::move(join);
  return make_gathered("gathered", std::move(gathering), over);
}

} // namespace libpool
