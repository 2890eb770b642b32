#include "reading_parts.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace poolsim {

namespace {

constexpr std::size_t most_history = 100'000'000;
constexpr std::size_t most_queues = 65'536;

// -- choices by name ----------------------------------------------------------

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

// -- options ------------------------------------------------------------------

libpool::statistic read_statistic(const element& from) {
  return from.one_of({"mean", "median"}) == "mean" ? libpool::statistic::mean
                                                   : libpool::statistic::median;
}

libpool::measure read_measured(const element& from) {
  const auto& name = from.one_of({"service_time", "cpu_time", "wait_time"});
  if (name == "service_time")
    return libpool::measure::service_time;
  return name == "cpu_time" ? libpool::measure::cpu_time
                            : libpool::measure::wait_time;
}

libpool::fair_mode read_mode(const element& from) {
  return from.one_of({"exact", "kubernetes"}) == "exact"
           ? libpool::fair_mode::exact
           : libpool::fair_mode::kubernetes;
}

double read_balance(const element& from) {
  auto result = from.factor();
  if (result <= 1)
    from.fail("must be above 1");
  return result;
}

double read_alpha(const element& from) {
  auto result = from.factor();
  if (result > 1)
    from.fail("must be at most 1");
  return result;
}

/// How an option of that name is read.
template <class Options>
struct known_option {
  std::string_view name;
  void (*read)(const element& from, Options& to);
};

using order_knob = known_option<libpool::order_options>;

constexpr std::array<order_knob, 8> order_knobs{{
  {"age_step",
   [](const element& from, libpool::order_options& to) {
     to.age_step = from.time_above_zero();
   }},
  {"mode", [](const element& from,
              libpool::order_options& to) { to.mode = read_mode(from); }},
  {"guess",
   [](const element& from, libpool::order_options& to) {
     to.guess = from.time_above_zero();
   }},
  {"debt_memory",
   [](const element& from, libpool::order_options& to) {
     to.debt_memory = from.time();
   }},
  {"queue_limit",
   [](const element& from, libpool::order_options& to) {
     to.queue_limit = from.count(1, most_tasks);
   }},
  {"most_flows",
   [](const element& from, libpool::order_options& to) {
     to.most_flows = from.count(1, most_tasks);
   }},
  {"queues",
   [](const element& from, libpool::order_options& to) {
     to.queues = from.count(1, most_queues);
   }},
  {"hand_size",
   [](const element& from, libpool::order_options& to) {
     to.hand_size = from.count(1, most_queues);
   }},
}};

using stealing_knob = known_option<libpool::stealing_options>;

constexpr std::array<stealing_knob, 2> stealing_knobs{{
  {"alpha", [](const element& from,
               libpool::stealing_options& to) { to.alpha = read_alpha(from); }},
  {"initial_estimate",
   [](const element& from, libpool::stealing_options& to) {
     to.initial_estimate = from.time_above_zero();
   }},
}};

using placement_knob = known_option<libpool::placement_options>;

constexpr std::array<placement_knob, 9> placement_knobs{{
  {"history",
   [](const element& from, libpool::placement_options& to) {
     to.history = from.count(1, most_history);
   }},
  {"statistic",
   [](const element& from, libpool::placement_options& to) {
     to.statistic = read_statistic(from);
   }},
  {"measure",
   [](const element& from, libpool::placement_options& to) {
     to.measure = read_measured(from);
   }},
  {"initial_estimate",
   [](const element& from, libpool::placement_options& to) {
     to.initial_estimate = from.time_above_zero();
   }},
  {"probe_every",
   [](const element& from, libpool::placement_options& to) {
     to.probe_every = from.count(0, most_tasks);
   }},
  {"decay",
   [](const element& from, libpool::placement_options& to) {
     to.decay = from.time_above_zero();
   }},
  {"floor",
   [](const element& from, libpool::placement_options& to) {
     to.floor = from.time_above_zero();
   }},
  {"failure_penalty",
   [](const element& from, libpool::placement_options& to) {
     to.failure_penalty = from.time();
   }},
  {"balance",
   [](const element& from, libpool::placement_options& to) {
     to.balance = read_balance(from);
   }},
}};

/// Of the options that poolsim knows how to read, a policy takes those that the
/// catalogue lists for it.
template <class Knobs>
std::vector<std::string_view>
options_of(const std::vector<std::string_view>& listed, const Knobs& knobs) {
  std::vector<std::string_view> result;
  for (const auto& each : knobs)
    if (std::find(listed.begin(), listed.end(), each.name) != listed.end())
      result.push_back(each.name);
  return result;
}

template <class Knobs, class Options>
void read_option(const element& from, std::string_view name, const Knobs& knobs,
                 Options& to) {
  for (const auto& each : knobs)
    if (each.name == name)
      each.read(from, to);
}

template <class Knobs, class Options>
void read_options(const element& from, const libpool::policy_entry& policy,
                  const std::vector<std::string_view>& listed_options,
                  const Knobs& knobs, Options& to) {
  if (!from.is_object())
    return;
  auto known = options_of(listed_options, knobs);
  for (auto key : from.keys()) {
    auto value = from.at(key);
    if (key == "name")
      continue;
    if (std::find(known.begin(), known.end(), key) == known.end())
      value.fail("unknown key; options of " + std::string{policy.name} + ": "
                 + (known.empty() ? "none" : listed(known)));
    read_option(value, key, knobs, to);
  }
}

// -- the seams ----------------------------------------------------------------

void read_order(const element& from, libpool::recipe& to) {
  to.order = policy_name(from, names_of(libpool::orders()));
  const auto& entry = libpool::order_named(to.order);
  read_options(from, entry, entry.options, order_knobs, to.order_with);
  try {
    libpool::check(to.order_with); // names the option
  } catch (const std::invalid_argument& why) {
    throw invalid_scenario(from.path() + '/' + why.what());
  }
}

void read_placement(const element& from, libpool::recipe& to) {
  to.placement = policy_name(from, names_of(libpool::placements()));
  const auto& entry = libpool::placement_named(to.placement);
  read_options(from, entry, entry.options, placement_knobs, to.placement_with);
}

void read_stealing(const element& from, libpool::recipe& to) {
  auto names = names_of(libpool::stealings());
  names.insert(names.begin(), "none");
  const auto& name = policy_name(from, names);
  const libpool::stealing_entry none{{"none", {}}, {}, nullptr};
  const auto& entry = name == "none" ? none : libpool::stealing_named(name);
  to.stealing = name == "none" ? "" : name;
  read_options(from, entry, entry.options, stealing_knobs, to.stealing_with);
}

libpool::assignment read_assignment(const element& from) {
  return from.one_of({"eager", "lazy"}) == "eager" ? libpool::assignment::eager
                                                   : libpool::assignment::lazy;
}

/// Whether the parts go together is known by whoever composes them.
void check_composition(const libpool::recipe& how) {
  try {
    libpool::compose(how);
  } catch (const std::invalid_argument& why) {
    throw invalid_scenario(std::string{"/"} + why.what()); // names the part
  }
}

} // namespace

void read_policy(const element& root, scenario& to) {
  to.how.placement_with.probe_every = 0;
  to.how.placement_with.seed = to.seed;
  if (auto x = root.find("order"))
    read_order(*x, to.how);
  if (auto x = root.find("placement"))
    read_placement(*x, to.how);
  if (auto x = root.find("stealing"))
    read_stealing(*x, to.how);
  if (auto x = root.find("assignment"))
    to.how.assignment = read_assignment(*x);
  check_composition(to.how);
}

} // namespace poolsim
