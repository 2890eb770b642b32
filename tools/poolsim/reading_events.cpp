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

action read_action(const element& from) {
  const auto& name = from.one_of({"pause", "resume", "set_limits", "cancel"});
  if (name == "pause")
    return action::pause;
  if (name == "resume")
    return action::resume;
  return name == "cancel" ? action::cancel : action::set_limits;
}

void expect_keys_of(const element& from, action is) {
  switch (is) {
    case action::set_limits:
      return from.expect_keys({"do", "at", "every", "count", "throttles"});
    case action::cancel:
      return from.expect_keys({"do", "at", "every", "count", "flow", "kind"});
    default:
      return from.expect_keys({"do", "at", "every", "count", "flow", "worker"});
  }
}

std::size_t flow_in(const element& from, const scenario& of) {
  const auto& name = from.text();
  if (name.empty())
    from.fail("must not be empty");
  auto i = std::find(of.flows.begin(), of.flows.end(), name);
  if (i == of.flows.end())
    from.fail("no task has the flow '" + name + "'"
              + suggestion(name, {of.flows.begin(), of.flows.end()}));
  return static_cast<std::size_t>(i - of.flows.begin());
}

std::string kind_in(const element& from, const scenario& of) {
  const auto& name = from.text();
  std::vector<std::string_view> kinds;
  for (const auto& each : of.tasks)
    kinds.push_back(each.kind);
  if (std::find(kinds.begin(), kinds.end(), name) == kinds.end())
    from.fail("no task has the kind '" + name + "'" + suggestion(name, kinds));
  return name;
}

user_event read_event(const element& from, const scenario& of) {
  user_event result;
  result.is = read_action(from.at("do"));
  expect_keys_of(from, result.is);
  result.at = from.at("at").time();
  if (auto x = from.find("flow"))
    result.flow = flow_in(*x, of);
  if (auto x = from.find("kind"))
    result.kind = kind_in(*x, of);
  if (auto x = from.find("worker")) {
    if (result.flow)
      x->fail("must not be given with the member flow");
    result.worker = x->number_of(of.workers.size());
  }
  if (result.is == action::set_limits) {
    auto throttles = from.at("throttles");
    check_throttles(throttles, of);
    result.within =
      std::make_shared<libpool::throttles>(read_throttles(throttles));
  }
  return result;
}

/// Adds the event as often as its entry says.
void add_event(const element& from, std::size_t entry, scenario& to) {
  auto event = read_event(from, to);
  event.entry = entry;
  auto count = from.find("count");
  auto every = from.find("every");
  if (every && !count)
    every->fail("has no effect without the member 'count'");
  if (count && !every)
    from.fail_at("every", "is missing: required with the member count");
  auto step = every ? every->time_above_zero() : duration{0};
  auto many = count ? count->count(1, most_events) : 1;
  if (every)
    check_last(*every, event.at, step, many);
  if (to.events.size() + many > most_events)
    from.fail("the scenario must have at most " + std::to_string(most_events)
              + " events in total");
  for (; many > 0; --many, event.at += step)
    to.events.push_back(event);
}

/// A worker must be there to be paused or resumed.
void check_presence(const element& entry, const user_event& event,
                    const scenario& of) {
  const auto& worker = of.workers[*event.worker];
  auto name = "worker " + std::to_string(*event.worker);
  if (event.at < worker.join)
    entry.fail_at("at", "must not be before " + name + " joins");
  auto departure = departure_of(worker);
  if (departure && event.at >= *departure)
    entry.fail_at("at", "must be before " + name + " leaves");
}

std::string scope_of(const user_event& event, const scenario& of) {
  if (event.flow)
    return "the flow '" + of.flows[*event.flow] + "'";
  return event.worker ? "worker " + std::to_string(*event.worker) : "the pool";
}

/// Rejects a pause of what is paused already, and a resumption of what is not
/// paused.
void check_pauses(const element& from, const scenario& of) {
  std::set<std::string> paused;
  for (const auto& each : of.events) {
    if (each.is != action::pause && each.is != action::resume)
      continue;
    auto entry = from.at(each.entry);
    if (each.worker)
      check_presence(entry, each, of);
    auto scope = scope_of(each, of);
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

void read_events(const element& root, scenario& to) {
  auto from = root.find("events");
  if (!from)
    return;
  for (std::size_t i = 0; i < from->size(); ++i)
    add_event(from->at(i), i, to);
  std::stable_sort(to.events.begin(), to.events.end(),
                   [](const auto& x, const auto& y) { return x.at < y.at; });
  check_pauses(*from, to);
}

} // namespace poolsim
