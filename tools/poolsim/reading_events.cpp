/// Events of users: pauses, changed limits and cancels.

#include "reading_parts.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace poolsim {

namespace {

using action = user_event::action;

action read_action(const element& element) {
  const auto& name =
    element.one_of({"pause", "resume", "set_limits", "cancel"});
  if (name == "pause")
    return action::pause;
  if (name == "resume")
    return action::resume;
  return name == "cancel" ? action::cancel : action::set_limits;
}

void expect_keys_of(const element& element, action is) {
  switch (is) {
    case action::set_limits:
      return element.expect_keys({"do", "at", "every", "count", "throttles"});
    case action::cancel:
      return element.expect_keys(
        {"do", "at", "every", "count", "flow", "kind"});
    default:
      return element.expect_keys(
        {"do", "at", "every", "count", "flow", "worker"});
  }
}

std::size_t flow_in(const element& element, const scenario& scenario) {
  const auto& name = element.text();
  if (name.empty())
    element.fail("must not be empty");
  auto i = std::find(scenario.flows.begin(), scenario.flows.end(), name);
  if (i == scenario.flows.end())
    element.fail(
      "no task has the flow '" + name + "'"
      + suggestion(name, {scenario.flows.begin(), scenario.flows.end()}));
  return static_cast<std::size_t>(i - scenario.flows.begin());
}

std::string kind_in(const element& element, const scenario& scenario) {
  const auto& name = element.text();
  std::vector<std::string_view> kinds;
  for (const auto& each : scenario.tasks)
    kinds.push_back(each.kind);
  if (std::find(kinds.begin(), kinds.end(), name) == kinds.end())
    element.fail("no task has the kind '" + name + "'"
                 + suggestion(name, kinds));
  return name;
}

user_event read_event(const element& element, const scenario& scenario) {
  user_event result;
  result.is = read_action(element.at("do"));
  expect_keys_of(element, result.is);
  result.at = element.at("at").time();
  if (auto x = element.find("flow"))
    result.flow = flow_in(*x, scenario);
  if (auto x = element.find("kind"))
    result.kind = kind_in(*x, scenario);
  if (auto x = element.find("worker")) {
    if (result.flow)
      x->fail("must not be given with the member flow");
    result.worker = x->number_of(scenario.workers.size());
  }
  if (result.is == action::set_limits) {
    auto throttles = element.at("throttles");
    check_throttles(throttles, scenario);
    result.within =
      std::make_shared<libpool::throttles>(read_throttles(throttles));
  }
  return result;
}

/// Adds the event as often as its entry says.
void add_event(const element& element, std::size_t entry, scenario& scenario) {
  auto event = read_event(element, scenario);
  event.entry = entry;
  auto count = element.find("count");
  auto every = element.find("every");
  if (every && !count)
    every->fail("has no effect without the member 'count'");
  if (count && !every)
    element.fail_at("every", "is missing: required with the member count");
  auto step = every ? every->time_above_zero() : duration{0};
  auto many = count ? count->count(1, most_events) : 1;
  if (every)
    check_last(*every, event.at, step, many);
  if (scenario.events.size() + many > most_events)
    element.fail("the scenario must have at most " + std::to_string(most_events)
                 + " events in total");
  for (; many > 0; --many, event.at += step)
    scenario.events.push_back(event);
}

/// A worker must be there to be paused or resumed.
void check_presence(const element& entry, const user_event& event,
                    const scenario& scenario) {
  const auto& worker = scenario.workers[*event.worker];
  auto name = "worker " + std::to_string(*event.worker);
  if (event.at < worker.join)
    entry.fail_at("at", "must not be before " + name + " joins");
  auto departure = departure_of(worker);
  if (departure && event.at >= *departure)
    entry.fail_at("at", "must be before " + name + " leaves");
}

std::string scope_of(const user_event& event, const scenario& scenario) {
  if (event.flow)
    return "the flow '" + scenario.flows[*event.flow] + "'";
  return event.worker ? "worker " + std::to_string(*event.worker) : "the pool";
}

/// Rejects a pause of what is paused already, and a resumption of what is not
/// paused.
void check_pauses(const element& element, const scenario& scenario) {
  std::set<std::string> paused;
  for (const auto& each : scenario.events) {
    if (each.is != action::pause && each.is != action::resume)
      continue;
    auto entry = element.at(each.entry);
    if (each.worker)
      check_presence(entry, each, scenario);
    auto scope = scope_of(each, scenario);
    auto has_effect = each.is == action::pause ? paused.insert(scope).second
                                               : paused.erase(scope) > 0;
    if (!has_effect)
      entry.fail(
        "has no effect at " + std::to_string(each.at.count()) + " ns, since "
        + scope
        + (each.is == action::pause ? " is paused already" : " is not paused"));
  }
}

} // namespace

void read_events(const element& root, scenario& scenario) {
  auto element = root.find("events");
  if (!element)
    return;
  for (std::size_t i = 0; i < element->size(); ++i)
    add_event(element->at(i), i, scenario);
  std::stable_sort(scenario.events.begin(), scenario.events.end(),
                   [](const auto& x, const auto& y) { return x.at < y.at; });
  check_pauses(*element, scenario);
}

} // namespace poolsim
