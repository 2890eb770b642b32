#include "libpool/policies/catalogue.hpp"
#include "libpool/core/composition.hpp"

#include "libpool/policies/gather/broadcast_all.hpp"
#include "libpool/policies/gather/first_success.hpp"
#include "libpool/policies/gather/gather_parts.hpp"
#include "libpool/policies/gather/hedged.hpp"
#include "libpool/policies/gather/quorum.hpp"
#include "libpool/policies/order/earliest_deadline.hpp"
#include "libpool/policies/order/fair_queuing.hpp"
#include "libpool/policies/order/fifo.hpp"
#include "libpool/policies/order/make_fair_queuing.hpp"
#include "libpool/policies/order/priority.hpp"
#include "libpool/policies/placement/consistent_hash.hpp"
#include "libpool/policies/placement/fair_share.hpp"
#include "libpool/policies/placement/interleaved_weighted_round_robin.hpp"
#include "libpool/policies/placement/join_shortest_estimated_queue.hpp"
#include "libpool/policies/placement/least_busy.hpp"
#include "libpool/policies/placement/least_used.hpp"
#include "libpool/policies/placement/peak_ewma.hpp"
#include "libpool/policies/placement/power_of_two_choices.hpp"
#include "libpool/policies/placement/random.hpp"
#include "libpool/policies/placement/round_robin.hpp"
#include "libpool/policies/placement/weighted_round_robin.hpp"
#include "libpool/policies/requirement.hpp"
#include "libpool/policies/stealing/cost_aware_stealing.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace libpool {

namespace {

/// Options of a part that has no options.
using no_options = std::monostate;

template <class Seam, class Policy, class Options>
std::unique_ptr<Seam> make_with(const Options& options) {
  if constexpr (std::is_same_v<Policy, fair_queuing>) // a class for each mode
    return make_fair_queuing(options);
  else if constexpr (std::is_same_v<Options, no_options>)
    return std::make_unique<Policy>();
  else if constexpr (std::is_same_v<Options, draw_options>)
    return std::make_unique<Policy>(options.seed);
  else
    return std::make_unique<Policy>(options);
}

/// Returns the catalogue entry of a part with this struct of options.
template <class Seam, class Policy, class Options = no_options>
part_entry<Seam> part(std::string_view name, std::string_view summary,
                      std::optional<assignment> needs = std::nullopt,
                      asked asks = asked::nothing) {
  part_entry<Seam> result;
  result.name = name;
  result.summary = summary;
  result.needs = needs;
  result.asks = asks;
  result.defaults = Options{};
  result.options_in = [](std::any& options) {
    return libpool::options_in(std::any_cast<Options&>(options));
  };
  result.make = [](const std::any& given) -> std::unique_ptr<Seam> {
    if (!given.has_value())
      return make_with<Seam, Policy>(Options{});
    if (const auto* options = std::any_cast<Options>(&given))
      return make_with<Seam, Policy>(*options);
    throw option_error("the given options belong to another policy");
  };
  return result;
}

/// Returns the entry `name`. If there is none, the error lists the known names.
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

/// Returns the name of the managed policy with this placement. Some names of
/// placements are already names of direct policies.
std::string_view managed_name(std::string_view placement) {
  if (placement == "round_robin")
    return "managed_round_robin";
  return placement == "random" ? "managed_random" : placement;
}

std::string name_of(assignment assignment) {
  return assignment == assignment::lazy ? "lazy" : "eager";
}

/// Throws if the part requires another assignment.
void check_assignment(const policy_entry& part,
                      std::optional<assignment> needed, assignment is) {
  if (needed && *needed != is)
    throw option_error("assignment: " + std::string{part.name} + " requires "
                       + name_of(*needed) + " assignment, got " + name_of(is));
}

} // namespace

const std::vector<policy_entry>& direct_policies() {
  static const std::vector<policy_entry> entries{
    {"round_robin", "each worker in turn"},
    {"random", "a worker drawn uniformly at random, from a seed"},
    {"broadcast", "every worker is asked; the client gets the first answer"},
    {"split_join", "each worker gets one part; the results are joined"},
  };
  return entries;
}

const std::vector<gather_entry>& gathering_policies() {
  static const std::vector<gather_entry> entries{
    part<gather_plan, gather_parts, gather_options>(
      "managed_split_join",
      "each part is a task for any worker; the results are joined"),
    part<gather_plan, broadcast_all, gather_options>(
      "broadcast_all", "every worker gets the message; all results are joined"),
    part<gather_plan, first_success, first_success_options>(
      "first_success",
      "n workers get the message; the first success is the answer"),
    part<gather_plan, quorum, quorum_options>(
      "quorum", "n workers get the message; the answer needs k successes"),
    part<gather_plan, hedged, hedged_options>(
      "hedged", "one worker gets the message, and a second worker if the first "
                "one is slow"),
  };
  return entries;
}

const std::vector<order_entry>& orders() {
  static const std::vector<order_entry> entries{
    part<order, fifo>("fifo", "first come, first served"),
    part<order, priority, priority_options>(
      "priority",
      "the highest priority first; optionally, waiting raises the priority",
      assignment::lazy, asked::priority),
    part<order, earliest_deadline>("earliest_deadline",
                                   "the task with the earliest deadline first",
                                   assignment::lazy),
    part<order, fair_queuing, fair_queuing_options>(
      "fair_queuing",
      "flows, such as clients, take turns by the time that their tasks take",
      assignment::lazy, asked::flow),
  };
  return entries;
}

const std::vector<placement_entry>& placements() {
  static const std::vector<placement_entry> entries{
    part<placement, round_robin>("round_robin", "each worker in turn"),
    part<placement, random, draw_options>("random",
                                          "a worker drawn uniformly at random"),
    part<placement, least_used>("least_used",
                                "the worker with the fewest tasks in flight"),
    part<placement, least_busy, estimate_options>(
      "least_busy", "the worker that has worked for the least time"),
    part<placement, power_of_two_choices, draw_options>(
      "power_of_two_choices",
      "of two workers drawn at random, the one with fewer tasks in flight"),
    part<placement, join_shortest_estimated_queue, shortest_queue_options>(
      "join_shortest_estimated_queue",
      "the worker with the least work in flight, estimated for each kind of "
      "task"),
    part<placement, fair_share, estimate_options>(
      "fair_share", "the worker that is estimated to end the task first"),
    part<placement, weighted_round_robin, estimate_options>(
      "weighted_round_robin",
      "each worker in turn, until its tasks have "
      "taken the time that is its weight",
      std::nullopt, asked::weight),
    part<placement, interleaved_weighted_round_robin, estimate_options>(
      "interleaved_weighted_round_robin",
      "weighted round robin in which workers get their time in small portions",
      std::nullopt, asked::weight),
    part<placement, peak_ewma, peak_ewma_options>(
      "peak_ewma", "of two workers drawn at random, the one with the smaller "
                   "product of latency and load"),
    part<placement, consistent_hash, consistent_hash_options>(
      "consistent_hash",
      "the same worker for all tasks with the same key, unless it has too many "
      "tasks",
      assignment::eager, asked::key),
  };
  return entries;
}

const std::vector<stealing_entry>& stealings() {
  static const std::vector<stealing_entry> entries{
    part<stealing, cost_aware_stealing, cost_aware_options>(
      "cost_aware",
      "an idle worker takes over a task if moving the task costs less than "
      "waiting",
      assignment::eager),
  };
  return entries;
}

const std::vector<recipe>& managed_policies() {
  static const std::vector<recipe> entries = [] {
    auto shared = [](const policy_entry& entry, const char* order) {
      return recipe{entry, order, "least_used", assignment::lazy, std::nullopt};
    };
    std::vector<recipe> result{
      shared({"shared_queue", "one queue; an idle worker gets the next task"},
             "fifo"),
      shared({"priority", "the shared queue with the highest priority first"},
             "priority"),
      shared({"earliest_deadline",
              "the shared queue with the earliest deadline first"},
             "earliest_deadline"),
      shared({"fair_queuing",
              "the shared queue, in which flows, such as clients, take turns"},
             "fair_queuing"),
      {{"work_stealing",
        "the worker that has the data; idle workers take over waiting tasks"},
       "fifo",
       "least_used",
       assignment::eager,
       "cost_aware"},
    };
    for (const auto& each : placements()) {
      auto& placed = result.emplace_back();
      placed.name = managed_name(each.name);
      placed.summary = each.summary;
      placed.placement = each.name;
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

const recipe& managed_policy_named(std::string_view name) {
  return entry_named(managed_policies(), name, "policy");
}

template <>
chosen<order>::chosen(std::string_view name)
  : entry_(&order_named(name)), options_(entry_->defaults) {
  // nop
}

template <>
chosen<placement>::chosen(std::string_view name)
  : entry_(&placement_named(name)), options_(entry_->defaults) {
  // nop
}

template <>
chosen<stealing>::chosen(std::string_view name)
  : entry_(&stealing_named(name)), options_(entry_->defaults) {
  // nop
}

template <>
chosen<gather_plan>::chosen(std::string_view name)
  : entry_(&gathering_policy_named(name)), options_(entry_->defaults) {
  // nop
}

assignment assignment_of(const recipe& recipe) {
  return recipe.assignment.value_or(
    recipe.order.entry().needs.value_or(assignment::eager));
}

recipe without_homes(recipe manner) {
  if (manner.stealing && manner.placement.make()->lets_workers_go_on()) {
    manner.stealing = std::nullopt;
    manner.assignment = assignment::lazy;
  }
  return manner;
}

composition compose(const recipe& recipe) {
  composition result;
  result.assignment = assignment_of(recipe);
  auto make = [&](const auto& part) {
    check_assignment(part.entry(), part.entry().needs, result.assignment);
    return part.make();
  };
  result.order = make(recipe.order);
  result.placement = make(recipe.placement);
  if (recipe.stealing)
    result.stealing = make(*recipe.stealing);
  return result;
}

} // namespace libpool
