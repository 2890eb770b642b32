#include "reading_options.hpp"
#include "reading_parts.hpp"

#include "libpool/core/composition.hpp"
#include "libpool/policies/catalogue.hpp"
#include "libpool/policies/requirement.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace poolsim {

namespace {

/// Whether the options of a part go together.
template <class Seam>
void check_options(const element& element, const libpool::chosen<Seam>& part) {
  try {
    part.make();
  } catch (const libpool::option_error& why) {
    throw invalid_scenario(element.path() + '/' + why.reason());
  }
}

/// The defaults of short scenarios: no probing, and draws by the seed of the
/// scenario, unless a policy is told otherwise.
void begin_with(libpool::chosen<libpool::placement>& part, std::uint64_t seed) {
  for (const auto& each : part.options()) {
    if (each.name == "probe_every")
      std::get<libpool::count_option>(each.value).value.set(0);
    if (const auto* option = std::get_if<libpool::seed_option>(&each.value))
      *option->value = seed;
  }
}

// -- parts --------------------------------------------------------------------

template <class Seam>
void read_part_options(const element& element, libpool::chosen<Seam>& part) {
  read_options(element, part.name(), part.options());
  check_options(element, part);
}

void read_order(const element& element, libpool::recipe& recipe) {
  recipe.order = policy_name(element, names_of(libpool::orders()));
  read_part_options(element, recipe.order);
}

void read_placement(const element& element, std::uint64_t seed,
                    libpool::recipe& recipe) {
  recipe.placement = policy_name(element, names_of(libpool::placements()));
  begin_with(recipe.placement, seed);
  read_part_options(element, recipe.placement);
}

void read_stealing(const element& element, libpool::recipe& recipe) {
  auto names = names_of(libpool::stealings());
  names.insert(names.begin(), "none");
  const auto& name = policy_name(element, names);
  if (name == "none") {
    recipe.stealing = std::nullopt;
    return read_options(element, name, {});
  }
  recipe.stealing = libpool::chosen<libpool::stealing>{name};
  read_part_options(element, *recipe.stealing);
}

void read_parts(const element& root, std::uint64_t seed,
                libpool::recipe& recipe) {
  if (auto x = root.find("order"))
    read_order(*x, recipe);
  begin_with(recipe.placement, seed);
  if (auto x = root.find("placement"))
    read_placement(*x, seed, recipe);
  if (auto x = root.find("stealing"))
    read_stealing(*x, recipe);
}

libpool::assignment read_assignment(const element& element) {
  return element.one_of({"eager", "lazy"}) == "eager"
           ? libpool::assignment::eager
           : libpool::assignment::lazy;
}

// -- policies by name ---------------------------------------------------------

/// The options of all parts that the policy is composed of.
std::vector<libpool::option> options_of_parts(libpool::recipe& recipe) {
  auto result = recipe.order.options();
  auto add = [&](std::vector<libpool::option> more) {
    result.insert(result.end(), more.begin(), more.end());
  };
  add(recipe.placement.options());
  if (recipe.stealing)
    add(recipe.stealing->options());
  return result;
}

/// A policy that requires lazy or eager assignment is not given the other one.
void check_assignment(const element& root, const libpool::recipe& recipe) {
  auto given = root.find("assignment");
  if (!given || !recipe.assignment
      || read_assignment(*given) == *recipe.assignment)
    return;
  auto is_lazy = *recipe.assignment == libpool::assignment::lazy;
  given->fail(std::string{recipe.name} + " requires "
              + (is_lazy ? "lazy" : "eager") + " assignment");
}

void read_managed_policy(const element& root, const element& element,
                         std::uint64_t seed, libpool::recipe& recipe) {
  for (const char* part : {"order", "placement", "stealing"})
    if (auto x = root.find(part))
      x->fail("must not be given with policy, which sets it");
  const auto& basis = libpool::managed_policy_named(
    policy_name(element, names_of(libpool::managed_policies())));
  check_assignment(root, basis);
  recipe = basis;
  begin_with(recipe.placement, seed);
  read_options(element, basis.name, options_of_parts(recipe));
  check_options(element, recipe.order);
}

/// The shares of flows, under orders that have any.
void read_shares(const element& element, libpool::recipe& recipe) {
  std::map<std::string, double> shares;
  const libpool::option read{"shares", libpool::shares_option{&shares}, {}};
  read_option(element, read);
  for (const auto& each : recipe.order.options())
    if (const auto* its = std::get_if<libpool::shares_option>(&each.value)) {
      if (!its->value->empty())
        element.fail("must not be given, since the policy already has shares");
      *its->value = shares;
      return;
    }
  element.fail("has no effect without fair_queuing: the order is "
               + std::string{recipe.order.name()});
}

void check_share_names(const element& shares, const scenario& scenario) {
  const std::vector<std::string_view> flows{scenario.flows.begin(),
                                            scenario.flows.end()};
  for (auto name : shares.keys())
    if (std::find(flows.begin(), flows.end(), name) == flows.end())
      shares.fail_at(name, "has no effect, since no task has this flow"
                             + suggestion(name, flows));
}

/// Checks by composing them that the parts go together.
void check_composition(const libpool::recipe& recipe) {
  try {
    libpool::compose(recipe);
  } catch (const libpool::option_error& why) {
    throw invalid_scenario('/' + why.reason()); // names the part
  }
}

} // namespace

void check_shares(const element& root, const scenario& scenario) {
  if (auto x = root.find("shares"))
    check_share_names(*x, scenario);
  for (const char* part : {"policy", "order"})
    if (auto x = root.find(part); x && x->is_object())
      if (auto shares = x->find("shares"))
        check_share_names(*shares, scenario);
}

void read_policy(const element& root, scenario& scenario) {
  if (auto x = root.find("policy"))
    read_managed_policy(root, *x, scenario.seed, scenario.how);
  else
    read_parts(root, scenario.seed, scenario.how);
  if (auto x = root.find("assignment"))
    scenario.how.assignment = read_assignment(*x);
  if (auto x = root.find("shares"))
    read_shares(*x, scenario.how);
  check_composition(scenario.how);
}

} // namespace poolsim
