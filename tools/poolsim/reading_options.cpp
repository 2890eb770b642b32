#include "reading_options.hpp"

#include "scenario.hpp"

#include <algorithm>
#include <array>

namespace poolsim {

namespace {

constexpr std::size_t most_queues = 65'536;

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
     to.history = from.count(1, libpool::most_history);
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

/// Of the options that poolsim knows how to read, a part takes those that the
/// catalogue lists for it.
template <class Options, std::size_t N>
std::vector<option_reader>
readers_of(const std::vector<std::string_view>& listed,
           const std::array<known_option<Options>, N>& knobs, Options& to) {
  std::vector<option_reader> result;
  for (const auto& each : knobs)
    if (std::find(listed.begin(), listed.end(), each.name) != listed.end())
      result.push_back({each.name, [read = each.read, &to](
                                     const element& from) { read(from, to); }});
  return result;
}

} // namespace

const std::string& policy_name(const element& from,
                               const std::vector<std::string_view>& choices) {
  if (from.is_object()) {
    auto name = from.at("name");
    return name.one_of(choices);
  }
  return from.one_of(choices);
}

std::vector<option_reader> options_of(const libpool::order_entry& part,
                                      libpool::order_options& to) {
  return readers_of(part.options, order_knobs, to);
}

std::vector<option_reader> options_of(const libpool::placement_entry& part,
                                      libpool::placement_options& to) {
  return readers_of(part.options, placement_knobs, to);
}

std::vector<option_reader> options_of(const libpool::stealing_entry& part,
                                      libpool::stealing_options& to) {
  return readers_of(part.options, stealing_knobs, to);
}

void read_options(const element& from, std::string_view policy,
                  const std::vector<option_reader>& known) {
  if (!from.is_object())
    return;
  std::vector<std::string_view> names;
  for (const auto& each : known)
    names.push_back(each.name);
  for (auto key : from.keys()) {
    auto i = std::find(names.begin(), names.end(), key);
    if (i != names.end())
      known[static_cast<std::size_t>(i - names.begin())].read(from.at(key));
    else if (key != "name")
      from.fail_at(key, "unknown key; options of " + std::string{policy} + ": "
                          + (names.empty() ? "none" : listed(names)));
  }
}

} // namespace poolsim
