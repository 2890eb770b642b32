#include "reading.hpp"

#include "document.hpp"
#include "reading_parts.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace poolsim {

namespace {

constexpr auto any_count =
  static_cast<std::size_t>(std::numeric_limits<std::int64_t>::max());

std::pair<duration, duration> read_span(const element& element) {
  if (element.size() != 2)
    element.fail("must have two times: from and to");
  std::pair<duration, duration> result{element.at(0).time(),
                                       element.at(1).time()};
  if (result.second <= result.first)
    element.fail("the second time must be after the first");
  return result;
}

void read_measure(const element& element, scenario& scenario) {
  scenario.measures_all = false;
  for (std::size_t i = 0; i < element.size(); ++i)
    scenario.measure.push_back(read_span(element.at(i)));
}

void read_settings(const element& root, scenario& scenario) {
  if (auto x = root.find("seed"))
    scenario.seed = x->bits();
  if (auto x = root.find("until"))
    scenario.until = x->time();
  if (auto x = root.find("window"))
    scenario.window = x->count(1, any_count);
  if (auto x = root.find("capacity"))
    scenario.capacity = x->count(0, any_count);
  if (auto x = root.find("pay_moves"))
    scenario.pay_moves = x->truth();
  if (auto x = root.find("leases"))
    scenario.leases = x->truth();
  if (auto x = root.find("measure"))
    read_measure(*x, scenario);
}

bool has_moves(const scenario& in) {
  return std::any_of(in.tasks.begin(), in.tasks.end(),
                     [](const auto& each) { return !each.move.empty(); });
}

void read_work(const element& root, scenario& scenario) {
  work_reader reader{scenario};
  if (auto x = root.find("tasks"))
    reader.read_tasks(*x);
  if (auto x = root.find("clients"))
    reader.read_clients(*x);
  reader.bound_draws();
  if (auto x = root.find("pay_moves");
      x && scenario.pay_moves && !has_moves(scenario))
    x->fail("has no effect, since no task has the member 'move'");
}

/// Checks a gather that is given beside the scenario.
void check_gather(const element& root, const scenario& scenario) {
  if (scenario.gather != nullptr
      && scenario.gather->asks().to != libpool::scatter::target::parts
      && scenario.how.placement.entry().asks == libpool::asked::key)
    root.fail(
      "a gather that chooses workers cannot be combined with consistent_hash");
}

void expect_none(const element& root, std::initializer_list<const char*> keys) {
  for (const char* key : keys)
    if (auto x = root.find(key))
      x->fail("must not be given, since the program sets it");
}

} // namespace

scenario read_scenario(std::string_view text) {
  return read_scenario(text, given::nothing);
}

scenario read_scenario(std::string_view text, given beside,
                       std::shared_ptr<const libpool::gather_plan> gather) {
  auto document = document_of(text);
  const element root{document};
  root.expect_keys(
    {"seed",      "until",      "workers",       "policy",    "assignment",
     "window",    "capacity",   "order",         "placement", "stealing",
     "shares",    "pay_moves",  "tasks",         "clients",   "measure",
     "deadline",  "on_crash",   "poison_after",  "gather",    "leases",
     "nodes",     "terms",      "backoff",       "throttles", "retry_on",
     "events",    "time_limit", "drop_hopeless", "stand_ins", "retry_budget",
     "autoscale", "startup",    "shed",          "batch",     "same_as"});
  if (beside == given::parts)
    expect_none(root, {"policy", "order", "placement", "stealing", "assignment",
                       "shares", "shed"});
  if (gather != nullptr)
    expect_none(root, {"gather", "nodes"});
  scenario result;
  result.gather = std::move(gather);
  if (auto x = root.find("workers"))
    result.workers = read_workers(*x);
  read_settings(root, result);
  read_sizing(root, result);
  read_nodes(root, result);
  read_failures(root, result);
  read_policy(root, result);
  check_gather(root, result);
  read_gather(root, result);
  read_work(root, result);
  check_shares(root, result);
  if (auto x = root.find("throttles"))
    check_throttles(*x, result);
  if (auto x = root.find("shed"))
    check_shed(*x, result);
  read_retries(root, result);
  check_lateness(root, result);
  read_events(root, result);
  return result;
}

} // namespace poolsim
