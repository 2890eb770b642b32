#include "libpool/policies/catalogue.hpp"

#include "libpool/policies/broadcast_all.hpp"
#include "libpool/policies/consistent_hash.hpp"
#include "libpool/policies/cost_aware_stealing.hpp"
#include "libpool/policies/fair_queuing.hpp"
#include "libpool/policies/fair_share.hpp"
#include "libpool/policies/fifo.hpp"
#include "libpool/policies/first_success.hpp"
#include "libpool/policies/gather_parts.hpp"
#include "libpool/policies/interleaved_weighted_round_robin.hpp"
#include "libpool/policies/least_busy.hpp"
#include "libpool/policies/least_used.hpp"
#include "libpool/policies/peak_ewma.hpp"
#include "libpool/policies/power_of_two_choices.hpp"
#include "libpool/policies/priority.hpp"
#include "libpool/policies/quorum.hpp"
#include "libpool/policies/random.hpp"
#include "libpool/policies/requirement.hpp"
#include "libpool/policies/round_robin.hpp"
#include "libpool/policies/weighted_round_robin.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace libpool {

namespace {

std::unique_ptr<order> make_fifo(const order_options&) {
  return std::make_unique<fifo>();
}

std::unique_ptr<order> make_priority(const order_options& options) {
  return std::make_unique<priority>(options.age_step);
}

std::unique_ptr<stealing> make_cost_aware(const stealing_options& options) {
  return std::make_unique<cost_aware_stealing>(options);
}

template <class Plan>
std::unique_ptr<gather_plan> make_of_all(const gather_settings& from) {
  return std::make_unique<Plan>(
    gather_options{from.timeout, from.join_what_came, false});
}

std::unique_ptr<gather_plan> make_first_success(const gather_settings& from) {
  return std::make_unique<first_success>(first_success_options{from.asked});
}

std::unique_ptr<gather_plan> make_quorum(const gather_settings& from) {
  return std::make_unique<quorum>(
    quorum_options{from.asked, from.needed, from.timeout});
}

std::unique_ptr<gather_plan> make_hedged(const gather_settings& from) {
  return std::make_unique<hedged>(hedged_options{from.after, from.budget});
}

/// A placement that takes no options, a seed, or what it likes of them all.
template <class Placement>
std::unique_ptr<placement> make(const placement_options& options) {
  if constexpr (std::is_constructible_v<Placement, const placement_options&>)
    return std::make_unique<Placement>(options);
  else if constexpr (std::is_constructible_v<Placement, std::uint64_t>)
    return std::make_unique<Placement>(options.seed);
  else
    return std::make_unique<Placement>();
}

using names = std::vector<std::string_view>;

names of_estimates() {
  return {"history", "statistic", "measure", "initial_estimate", "probe_every"};
}

/// The entry of that name; otherwise the error says which there are.
template <class Entry>
const Entry& entry_named(const std::vector<Entry>& all, std::string_view name,
                         const std::string& kind) {
  for (const auto& each : all)
    if (each.name == name)
      return each;
  std::string choices;
  for (const auto& each : all)
    choices += (choices.empty() ? "" : ", ") + std::string{each.name};
  throw option_error(kind + ": unknown " + kind + " '" + std::string{name}
                     + "', choose from: " + choices);
}

/// What a pool calls the placement: some names are those of direct policies.
std::string_view managed_name(std::string_view placement) {
  if (placement == "round_robin")
    return "managed_round_robin";
  return placement == "random" ? "managed_random" : placement;
}

std::string name_of(assignment how) {
  return how == assignment::lazy ? "lazy" : "eager";
}

bool is_shared_queue(const recipe& how) {
  return how.order == "fifo" && how.placement == "least_used"
         && how.assignment == assignment::lazy;
}

/// Throws if the part needs another assignment.
void check_assignment(const policy_entry& part,
                      std::optional<assignment> needed, assignment is) {
  if (needed && *needed != is)
    throw option_error("assignment: " + std::string{part.name}
                       + " needs tasks to be bound " + name_of(*needed)
                       + ", not " + name_of(is));
}

} // namespace

const std::vector<policy_entry>& direct_policies() {
  static const std::vector<policy_entry> entries{
    {"round_robin", "each worker in turn"},
    {"random", "a worker drawn uniformly, from a seed"},
    {"broadcast", "every worker; the client sees the first answer"},
    {"split_join", "a task per worker, the results joined into one answer"},
  };
  return entries;
}

const std::vector<gather_entry>& gathering_policies() {
  static const std::vector<gather_entry> entries{
    {{"managed_split_join", "any number of parts; the results are joined"},
     {"timeout", "join_what_came"},
     make_of_all<gather_parts>},
    {{"broadcast_all", "every worker; all results are joined"},
     {"timeout", "join_what_came"},
     make_of_all<broadcast_all>},
    {{"first_success", "n workers; the first success is the answer"},
     {"asked"},
     make_first_success},
    {{"quorum", "n workers; k successes are enough"},
     {"asked", "needed", "timeout"},
     make_quorum},
    {{"hedged", "one worker, and another one if that takes long"},
     {"after", "budget"},
     make_hedged},
  };
  return entries;
}

const std::vector<order_entry>& orders() {
  static const std::vector<order_entry> entries{
    {{"fifo", "first come, first served"}, {}, std::nullopt, make_fifo},
    {{"priority", "the highest priority first, with ageing if wanted"},
     {"age_step"},
     assignment::lazy,
     make_priority},
    {{"fair_queuing", "flows take turns, by what their tasks have cost"},
     {"mode", "guess", "shares", "queue_limit", "debt_memory", "most_flows",
      "queues", "hand_size"},
     assignment::lazy,
     make_fair_queuing},
  };
  return entries;
}

const std::vector<placement_entry>& placements() {
  constexpr auto any = std::nullopt;
  static const std::vector<placement_entry> entries{
    {{"round_robin", "each worker in turn"}, {}, any, false, make<round_robin>},
    {{"random", "a worker drawn uniformly"},
     {"seed"},
     any,
     false,
     make<random>},
    {{"least_used", "the fewest tasks in flight"},
     {},
     any,
     false,
     make<least_used>},
    {{"least_busy", "the least time worked so far"},
     of_estimates(),
     any,
     false,
     make<least_busy>},
    {{"power_of_two_choices", "of two drawn, the one with fewer in flight"},
     {"seed"},
     any,
     false,
     make<power_of_two_choices>},
    {{"fair_share", "who would have ended the task first, by estimates"},
     of_estimates(),
     any,
     false,
     make<fair_share>},
    {{"weighted_round_robin", "each worker in turn, for as long as it weighs"},
     of_estimates(),
     any,
     true,
     make<weighted_round_robin>},
    {{"interleaved_weighted_round_robin",
      "the same in small portions, the lightest share first"},
     of_estimates(),
     any,
     true,
     make<interleaved_weighted_round_robin>},
    {{"peak_ewma", "of two drawn, the smaller of latency times load"},
     {"seed", "measure", "decay", "floor", "failure_penalty"},
     any,
     false,
     make<peak_ewma>},
    {{"consistent_hash", "tasks of a key to one worker, loads bounded"},
     {"balance"},
     assignment::eager,
     false,
     make<consistent_hash>},
  };
  return entries;
}

const std::vector<stealing_entry>& stealings() {
  static const std::vector<stealing_entry> entries{
    {{"cost_aware", "idle workers take over what is worth moving"},
     {"alpha", "initial_estimate"},
     make_cost_aware},
  };
  return entries;
}

const std::vector<managed_entry>& managed_policies() {
  static const std::vector<managed_entry> entries = [] {
    std::vector<managed_entry> result{
      {{"shared_queue", "one queue; an idle worker takes the next"},
       {"fifo", {}, "least_used", {}, assignment::lazy, {}, {}}},
      {{"priority", "the shared queue, the highest priority first"},
       {"priority", {}, "least_used", {}, assignment::lazy, {}, {}}},
      {{"fair_queuing", "the shared queue, with turns for each flow"},
       {"fair_queuing", {}, "least_used", {}, assignment::lazy, {}, {}}},
    };
    result.push_back(
      {{"work_stealing", "where its data is; idle workers take over"},
       {"fifo", {}, "least_used", {}, assignment::eager, "cost_aware", {}}});
    for (const auto& each : placements()) {
      recipe how;
      how.placement = each.name;
      result.push_back({{managed_name(each.name), each.summary}, how});
    }
    return result;
  }();
  return entries;
}

const gather_entry& gathering_policy_named(std::string_view name) {
  return entry_named(gathering_policies(), name, "gather");
}

const order_entry& order_named(std::string_view name) {
  return entry_named(orders(), name, "order");
}

const placement_entry& placement_named(std::string_view name) {
  return entry_named(placements(), name, "placement");
}

const stealing_entry& stealing_named(std::string_view name) {
  return entry_named(stealings(), name, "stealing");
}

const managed_entry& managed_policy_named(std::string_view name) {
  return entry_named(managed_policies(), name, "policy");
}

assignment assignment_of(const recipe& how) {
  return how.assignment.value_or(
    order_named(how.order).needs.value_or(assignment::eager));
}

std::size_t default_window(const recipe& how, std::size_t seats) {
  auto has_no_second = is_shared_queue(how) || !how.stealing.empty()
                       || order_named(how.order).needs == assignment::lazy;
  return has_no_second ? seats : std::max<std::size_t>(2, seats);
}

composition compose(const recipe& how) {
  const auto& order = order_named(how.order);
  const auto& placement = placement_named(how.placement);
  auto when = assignment_of(how);
  check_assignment(order, order.needs, when);
  check_assignment(placement, placement.needs, when);
  composition result;
  if (!how.stealing.empty()) {
    const auto& stealing = stealing_named(how.stealing);
    check_assignment(stealing, assignment::eager, when);
    result.stealing = stealing.make(how.stealing_with);
  }
  result.order = order.make(how.order_with);
  result.placement = placement.make(how.placement_with);
  result.assignment = when;
  return result;
}

} // namespace libpool
