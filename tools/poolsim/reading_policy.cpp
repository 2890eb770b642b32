#include "reading_options.hpp"
#include "reading_parts.hpp"

#include "libpool/policies/requirement.hpp"

#include <string>

namespace poolsim {

namespace {

template <class Entry>
std::vector<std::string_view> names_of(const std::vector<Entry>& entries) {
  std::vector<std::string_view> result;
  for (const auto& each : entries)
    result.push_back(each.name);
  return result;
}

/// The name of a policy that is given as `"name"` or `{"name": …, options…}`.
const std::string& policy_name(const element& from,
                               const std::vector<std::string_view>& choices) {
  if (from.is_object()) {
    auto name = from.at("name");
    return name.one_of(choices);
  }
  return from.one_of(choices);
}

/// The error names the option.
void check_order(const element& from, const libpool::order_options& options) {
  try {
    libpool::check(options);
  } catch (const libpool::option_error& why) {
    throw invalid_scenario(from.path() + '/' + why.reason());
  }
}

// -- parts --------------------------------------------------------------------

void read_order(const element& from, libpool::recipe& to) {
  to.order = policy_name(from, names_of(libpool::orders()));
  const auto& part = libpool::order_named(to.order);
  read_options(from, part.name, options_of(part, to.order_with));
  check_order(from, to.order_with);
}

void read_placement(const element& from, libpool::recipe& to) {
  to.placement = policy_name(from, names_of(libpool::placements()));
  const auto& part = libpool::placement_named(to.placement);
  read_options(from, part.name, options_of(part, to.placement_with));
}

void read_stealing(const element& from, libpool::recipe& to) {
  auto names = names_of(libpool::stealings());
  names.insert(names.begin(), "none");
  const auto& name = policy_name(from, names);
  if (name == "none") {
    to.stealing.clear();
    return read_options(from, name, {});
  }
  to.stealing = name;
  const auto& part = libpool::stealing_named(name);
  read_options(from, part.name, options_of(part, to.stealing_with));
}

void read_parts(const element& root, libpool::recipe& to) {
  if (auto x = root.find("order"))
    read_order(*x, to);
  if (auto x = root.find("placement"))
    read_placement(*x, to);
  if (auto x = root.find("stealing"))
    read_stealing(*x, to);
}

libpool::assignment read_assignment(const element& from) {
  return from.one_of({"eager", "lazy"}) == "eager" ? libpool::assignment::eager
                                                   : libpool::assignment::lazy;
}

// -- policies by name ---------------------------------------------------------

/// The options of all parts that the policy is composed of.
std::vector<option_reader> options_of_parts(libpool::recipe& how) {
  auto result = options_of(libpool::order_named(how.order), how.order_with);
  auto add = [&](std::vector<option_reader> more) {
    result.insert(result.end(), more.begin(), more.end());
  };
  add(options_of(libpool::placement_named(how.placement), how.placement_with));
  if (!how.stealing.empty())
    add(options_of(libpool::stealing_named(how.stealing), how.stealing_with));
  return result;
}

/// A policy that says how tasks are bound is not bound otherwise.
void check_assignment(const element& root, const libpool::managed_entry& by) {
  auto given = root.find("assignment");
  if (!given || !by.how.assignment
      || read_assignment(*given) == *by.how.assignment)
    return;
  auto is_lazy = *by.how.assignment == libpool::assignment::lazy;
  given->fail(std::string{by.name} + " binds tasks "
              + (is_lazy ? "lazy" : "eager"));
}

void read_managed_policy(const element& root, const element& from,
                         libpool::recipe& to) {
  for (const char* part : {"order", "placement", "stealing"})
    if (auto x = root.find(part))
      x->fail("must not be given with policy, which has one");
  const auto& by = libpool::managed_policy_named(
    policy_name(from, names_of(libpool::managed_policies())));
  check_assignment(root, by);
  to.order = by.how.order;
  to.placement = by.how.placement;
  to.stealing = by.how.stealing;
  to.assignment = by.how.assignment;
  read_options(from, by.name, options_of_parts(to));
  check_order(from, to.order_with);
}

/// The composition itself knows whether its parts go together.
void check_composition(const libpool::recipe& how) {
  try {
    libpool::compose(how);
  } catch (const libpool::option_error& why) {
    throw invalid_scenario('/' + why.reason()); // names the part
  }
}

} // namespace

void read_policy(const element& root, scenario& to) {
  to.how.placement_with.probe_every = 0;
  to.how.placement_with.seed = to.seed;
  if (auto x = root.find("policy"))
    read_managed_policy(root, *x, to.how);
  else
    read_parts(root, to.how);
  if (auto x = root.find("assignment"))
    to.how.assignment = read_assignment(*x);
  check_composition(to.how);
}

} // namespace poolsim
