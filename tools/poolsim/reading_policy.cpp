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
void check_options(const element& from, const libpool::chosen<Seam>& part) {
  try {
    part.make();
  } catch (const libpool::option_error& why) {
    throw invalid_scenario(from.path() + '/' + why.reason());
  }
}

/// The defaults of short scenarios: no probing, and draws by the seed of the
/// scenario, unless a policy is told otherwise.
void begin_with(libpool::chosen<libpool::placement>& part, std::uint64_t seed) {
  for (const auto& each : part.options()) {
    if (each.name == "probe_every")
      std::get<libpool::count_option>(each.value).value.set(0);
    if (const auto* of = std::get_if<libpool::seed_option>(&each.value))
      *of->value = seed;
  }
}

// -- parts --------------------------------------------------------------------

template <class Seam>
void read_part_options(const element& from, libpool::chosen<Seam>& part) {
  read_options(from, part.name(), part.options());
  check_options(from, part);
}

void read_order(const element& from, libpool::recipe& to) {
  to.order = policy_name(from, names_of(libpool::orders()));
  read_part_options(from, to.order);
}

void read_placement(const element& from, std::uint64_t seed,
                    libpool::recipe& to) {
  to.placement = policy_name(from, names_of(libpool::placements()));
  begin_with(to.placement, seed);
  read_part_options(from, to.placement);
}

void read_stealing(const element& from, libpool::recipe& to) {
  auto names = names_of(libpool::stealings());
  names.insert(names.begin(), "none");
  const auto& name = policy_name(from, names);
  if (name == "none") {
    to.stealing = std::nullopt;
    return read_options(from, name, {});
  }
  to.stealing = libpool::chosen<libpool::stealing>{name};
  read_part_options(from, *to.stealing);
}

void read_parts(const element& root, std::uint64_t seed, libpool::recipe& to) {
  if (auto x = root.find("order"))
    read_order(*x, to);
  begin_with(to.placement, seed);
  if (auto x = root.find("placement"))
    read_placement(*x, seed, to);
  if (auto x = root.find("stealing"))
    read_stealing(*x, to);
}

libpool::assignment read_assignment(const element& from) {
  return from.one_of({"eager", "lazy"}) == "eager" ? libpool::assignment::eager
                                                   : libpool::assignment::lazy;
}

// -- policies by name ---------------------------------------------------------

/// The options of all parts that the policy is composed of.
std::vector<libpool::option> options_of_parts(libpool::recipe& how) {
  auto result = how.order.options();
  auto add = [&](std::vector<libpool::option> more) {
    result.insert(result.end(), more.begin(), more.end());
  };
  add(how.placement.options());
  if (how.stealing)
    add(how.stealing->options());
  return result;
}

/// A policy that requires lazy or eager assignment is not given the other one.
void check_assignment(const element& root, const libpool::recipe& by) {
  auto given = root.find("assignment");
  if (!given || !by.assignment || read_assignment(*given) == *by.assignment)
    return;
  auto is_lazy = *by.assignment == libpool::assignment::lazy;
  given->fail(std::string{by.name} + " requires " + (is_lazy ? "lazy" : "eager")
              + " assignment");
}

void read_managed_policy(const element& root, const element& from,
                         std::uint64_t seed, libpool::recipe& to) {
  for (const char* part : {"order", "placement", "stealing"})
    if (auto x = root.find(part))
      x->fail("must not be given with policy, which sets it");
  const auto& by = libpool::managed_policy_named(
    policy_name(from, names_of(libpool::managed_policies())));
  check_assignment(root, by);
  to = by;
  begin_with(to.placement, seed);
  read_options(from, by.name, options_of_parts(to));
  check_options(from, to.order);
}

/// The shares of flows, under orders that have any.
void read_shares(const element& from, libpool::recipe& to) {
  std::map<std::string, double> shares;
  const libpool::option read{"shares", libpool::shares_option{&shares}, {}};
  read_option(from, read);
  for (const auto& each : to.order.options())
    if (const auto* its = std::get_if<libpool::shares_option>(&each.value)) {
      if (!its->value->empty())
        from.fail("must not be given, since the policy already has shares");
      *its->value = shares;
      return;
    }
  from.fail("has no effect without fair_queuing: the order is "
            + std::string{to.order.name()});
}

void check_share_names(const element& shares, const scenario& of) {
  const std::vector<std::string_view> flows{of.flows.begin(), of.flows.end()};
  for (auto name : shares.keys())
    if (std::find(flows.begin(), flows.end(), name) == flows.end())
      shares.fail_at(name, "has no effect, since no task has this flow"
                             + suggestion(name, flows));
}

/// Checks by composing them that the parts go together.
void check_composition(const libpool::recipe& how) {
  try {
    libpool::compose(how);
  } catch (const libpool::option_error& why) {
    throw invalid_scenario('/' + why.reason()); // names the part
  }
}

} // namespace

void check_shares(const element& root, const scenario& of) {
  if (auto x = root.find("shares"))
    check_share_names(*x, of);
  for (const char* part : {"policy", "order"})
    if (auto x = root.find(part); x && x->is_object())
      if (auto shares = x->find("shares"))
        check_share_names(*shares, of);
}

void read_policy(const element& root, scenario& to) {
  if (auto x = root.find("policy"))
    read_managed_policy(root, *x, to.seed, to.how);
  else
    read_parts(root, to.seed, to.how);
  if (auto x = root.find("assignment"))
    to.how.assignment = read_assignment(*x);
  if (auto x = root.find("shares"))
    read_shares(*x, to.how);
  check_composition(to.how);
}

} // namespace poolsim
