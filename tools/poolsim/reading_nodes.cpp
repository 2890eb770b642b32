#include "reading_parts.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <string_view>

namespace poolsim {

namespace {

/// Maximum for one task, so that the sum over all tasks does not overflow.
constexpr std::size_t most_bytes = std::size_t{1} << 36U;

struct nodes_of_group : worker_settings {
  std::size_t count = 1;
  node_group rest;
};

// -- losses -------------------------------------------------------------------

node_loss::kind read_kind(const element& element) {
  const auto& name = element.one_of({"killed", "stands_still", "cut"});
  if (name == "killed")
    return node_loss::kind::killed;
  return name == "cut" ? node_loss::kind::cut : node_loss::kind::stands;
}

/// A loss that comes once may last for ever.
node_loss read_loss(const element& element) {
  element.expect_keys({"is", "at", "every", "for"});
  node_loss result;
  result.is = read_kind(element.at("is"));
  auto every = element.find("every");
  if (auto x = element.find("at")) {
    if (every)
      every->fail("must not be given with the member at");
    result.at = x->time();
  } else if (!every) {
    element.fail_at("at",
                    "is missing: one of the members at and every is required");
  } else {
    result.every = read_time_choice(*every);
    if (!result.every.draws)
      every->time_above_zero();
  }
  if (auto x = element.find("for"))
    result.lasts = x->time_above_zero();
  else if (every)
    element.fail_at("for", "is missing: required with the member every");
  return result;
}

// -- groups -------------------------------------------------------------------

void read_stay_of_nodes(const element& element, worker_settings& settings) {
  if (auto x = element.find("join"))
    settings.join = x->time();
  if (auto x = element.find("leave")) {
    settings.leave = x->time();
    if (*settings.leave < settings.join)
      x->fail("must not be before join");
  }
}

nodes_of_group read_nodes_of_group(const element& element) {
  element.expect_keys({"count", "slots", "speed", "join", "leave", "latency",
                       "bandwidth", "losses"});
  nodes_of_group result;
  if (auto x = element.find("count"))
    result.count = x->count(1, most_workers);
  if (auto x = element.find("slots"))
    result.seats = x->count(1, most_workers);
  if (auto x = element.find("speed"))
    result.speed = x->factor();
  read_stay_of_nodes(element, result);
  if (auto x = element.find("latency"))
    result.rest.latency = read_time_choice(*x);
  if (auto x = element.find("bandwidth"))
    result.rest.bandwidth = x->factor();
  if (auto x = element.find("losses"))
    for (std::size_t i = 0; i < x->size(); ++i)
      result.rest.losses.push_back(read_loss(x->at(i)));
  return result;
}

void add_nodes(const nodes_of_group& group, const element& element,
               scenario& scenario) {
  if (scenario.workers.size() + group.count > most_workers)
    element.fail("must have at most " + std::to_string(most_workers)
                 + " nodes");
  auto& nodes = *scenario.nodes;
  scenario.workers.insert(scenario.workers.end(), group.count, group);
  nodes.group_of.insert(nodes.group_of.end(), group.count, nodes.groups.size());
  nodes.groups.push_back(group.rest);
}

/// Numbers nodes as workers are numbered: in the order in which they join.
void sort_by_join(scenario& scenario) {
  std::vector<std::size_t> order(scenario.workers.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto x, auto y) {
    return joins_sooner(scenario.workers[x], scenario.workers[y]);
  });
  auto workers = scenario.workers;
  auto groups = scenario.nodes->group_of;
  for (std::size_t i = 0; i < order.size(); ++i) {
    scenario.workers[i] = workers[order[i]];
    scenario.nodes->group_of[i] = groups[order[i]];
  }
}

// -- terms --------------------------------------------------------------------

void read_terms(const element& element, libpool::node_terms& terms) {
  element.expect_keys({"lease", "portion", "credit"});
  if (auto x = element.find("lease")) {
    terms.lease = x->time();
    if (terms.lease < std::chrono::milliseconds{1})
      x->fail_bound("at least 1ms");
  }
  if (auto x = element.find("portion"))
    terms.portion = x->count(1, most_tasks);
  if (auto x = element.find("credit"))
    terms.credit = x->count(1024, most_bytes);
}

/// What a pool with nodes does not have.
void check_rest(const element& root) {
  for (const char* key :
       {"workers", "gather", "leases", "deadline", "time_limit",
        "drop_hopeless", "stand_ins", "shed", "batch", "same_as"})
    if (auto x = root.find(key))
      x->fail("must not be given with nodes");
}

} // namespace

void read_nodes(const element& root, scenario& scenario) {
  auto element = root.find("nodes");
  if (auto x = root.find("terms"); x && !element)
    x->fail("must not be given without nodes");
  if (!element)
    return;
  check_rest(root);
  if (element->size() == 0)
    element->fail("must not be empty");
  scenario.nodes.emplace();
  scenario.workers.clear();
  for (std::size_t i = 0; i < element->size(); ++i)
    add_nodes(read_nodes_of_group(element->at(i)), *element, scenario);
  sort_by_join(scenario);
  if (auto x = root.find("terms"))
    read_terms(*x, scenario.nodes->terms);
  if (scenario.window)
    scenario.nodes->terms.most_in_flight = *scenario.window;
}

void check_work_of_nodes(const element& element) {
  for (const char* key : {"home", "only", "loose", "move", "width", "deadline",
                          "deadline_of", "obeys_stop"})
    if (auto x = element.find(key))
      x->fail("must not be given with nodes");
  if (auto x = element.find("think"); x && x->time_of_any_sign() < duration{0})
    x->fail_bound("at least 0 with nodes");
}

time_choice read_time_choice(const element& element) {
  if (element.is_object())
    return {duration{0}, read_distribution(element)};
  return {element.time(), std::nullopt};
}

/// Times are what can be drawn, but a size has no unit.
size_choice read_size(const element& element) {
  if (!element.is_object())
    return {element.count(0, most_bytes), std::nullopt};
  for (const char* key : {"mean", "low", "high"})
    if (auto x = element.find(key))
      x->count(0, most_bytes);
  auto result = read_distribution(element);
  result.most = duration{static_cast<std::int64_t>(most_bytes)};
  return {0, result};
}

} // namespace poolsim
