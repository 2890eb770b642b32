/// The policies that pools are made with.

#include "libpool/actors/actor_pool.hpp"
#include "libpool/policies/first_success.hpp"
#include "libpool/policies/hedged.hpp"
#include "libpool/policies/quorum.hpp"

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

policy actor_pool::make_gathered(const char* name, gathering how,
                                 const policy& over) {
  require(how.plan != nullptr, name, "needs a plan");
  require(how.join != nullptr, name, "needs a joiner");
  require(over.managed() != nullptr, name, "needs a managed policy");
  auto result = *over.managed();
  auto& options = result.options;
  auto has_parts = how.plan->asks().to == scatter::target::parts;
  require(has_parts == (how.split != nullptr), name,
          has_parts ? "a plan that asks for parts needs a split"
                    : "a split means nothing to a plan that asks for no parts");
  if (!has_parts) {
    require(options.may_run_on == nullptr, name,
            "chooses workers itself: "
            "may_run_on means nothing to it");
    require(options.home_of == nullptr && options.key_of == nullptr, name,
            "chooses workers itself: home_of and key_of mean nothing to it");
  }
  if (how.plan->has_patience()) // or a worker that answers later had answered
    options.busy_until = busy_until::answer;
  require(result.gathers == nullptr, name,
          "the policy below it gathers already: use a pool of pools");
  result.gathers = std::make_shared<const gathering>(std::move(how));
  return policy{std::move(result)};
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
  require(!options.join_what_came && !options.ordered, "quorum",
          "join_what_came and ordered mean nothing to it");
  gathering how;
  how.plan =
    std::make_unique<libpool::quorum>(quorum_options{n, k, options.timeout});
  how.join = std::move(join);
  return make_gathered("quorum", std::move(how), over);
}

policy actor_pool::gathered(std::unique_ptr<gather_plan> plan,
                            std::unique_ptr<joiner> join, const policy& over) {
  gathering how;
  how.plan = std::move(plan);
  how.join = std::move(join);
  return make_gathered("gathered", std::move(how), over);
}

} // namespace libpool
