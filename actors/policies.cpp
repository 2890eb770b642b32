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

recipe placed_by(const char* placement, const placement_options& how) {
  recipe result;
  result.placement = placement;
  result.placement_with = how;
  return result;
}

placement_options seeded(std::uint64_t seed) {
  placement_options result;
  result.seed = seed;
  return result;
}

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

policy actor_pool::managed(recipe how, managed_options options) {
  check(options);
  compose(how); // throws what it has to say here, not in each pool
  check(how, options);
  auto window = default_window(how, 1);
  auto parts = [how = std::move(how)] { return compose(how); };
  return policy{managed_policy{parts, window, std::move(options)}};
}

policy actor_pool::managed(std::function<composition()> parts,
                           managed_options options) {
  check(options);
  if (parts == nullptr)
    throw std::invalid_argument("libpool: actor_pool::managed: no parts");
  return policy{managed_policy{std::move(parts), 1, std::move(options)}};
}

policy actor_pool::shared_queue(managed_options options) {
  return managed(managed_policy_named("shared_queue").how, std::move(options));
}

policy actor_pool::priority(order_options how, managed_options options) {
  auto what = managed_policy_named("priority").how;
  what.order_with = std::move(how);
  return managed(std::move(what), std::move(options));
}

policy actor_pool::fair_queuing(order_options how, managed_options options) {
  auto what = managed_policy_named("fair_queuing").how;
  what.order_with = std::move(how);
  return managed(std::move(what), std::move(options));
}

policy actor_pool::work_stealing(stealing_options how,
                                 managed_options options) {
  auto what = managed_policy_named("work_stealing").how;
  what.stealing_with = how;
  return managed(std::move(what), std::move(options));
}

policy actor_pool::managed_round_robin(managed_options options) {
  return managed(placed_by("round_robin", {}), std::move(options));
}

policy actor_pool::managed_random(std::uint64_t seed, managed_options options) {
  return managed(placed_by("random", seeded(seed)), std::move(options));
}

policy actor_pool::least_used(managed_options options) {
  return managed(placed_by("least_used", {}), std::move(options));
}

policy actor_pool::least_busy(placement_options how, managed_options options) {
  return managed(placed_by("least_busy", how), std::move(options));
}

policy actor_pool::power_of_two_choices(std::uint64_t seed,
                                        managed_options options) {
  return managed(placed_by("power_of_two_choices", seeded(seed)),
                 std::move(options));
}

policy actor_pool::fair_share(placement_options how, managed_options options) {
  return managed(placed_by("fair_share", how), std::move(options));
}

policy actor_pool::weighted_round_robin(placement_options how,
                                        managed_options options) {
  return managed(placed_by("weighted_round_robin", how), std::move(options));
}

policy actor_pool::interleaved_weighted_round_robin(placement_options how,
                                                    managed_options options) {
  return managed(placed_by("interleaved_weighted_round_robin", how),
                 std::move(options));
}

policy actor_pool::peak_ewma(placement_options how, managed_options options) {
  return managed(placed_by("peak_ewma", how), std::move(options));
}

policy actor_pool::consistent_hash(placement_options how,
                                   managed_options options) {
  return managed(placed_by("consistent_hash", how), std::move(options));
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
