/// Deadlines, retries and limits.

#include "reading_parts.hpp"

#include "libpool/core/composition.hpp"
#include "libpool/core/order.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace poolsim {

namespace {

/// `"fail"`, `"retry"`, or `{"name": "retry", "times": …}`.
unsigned read_retries_of_crashes(const element& element) {
  constexpr std::size_t most = 1'000'000'000;
  auto is_object = element.is_object();
  auto name = is_object ? element.at("name") : element;
  if (name.one_of({"fail", "retry"}) == "fail") {
    if (is_object)
      element.expect_keys({"name"});
    return 0;
  }
  if (!is_object)
    return 1;
  element.expect_keys({"name", "times"});
  auto times = element.find("times");
  return times ? static_cast<unsigned>(times->count(1, most)) : 1;
}

libpool::throttle read_throttle(const element& element) {
  element.expect_keys(
    {"most_running", "per_second", "burst", "counts_retries"});
  libpool::throttle result;
  if (auto x = element.find("most_running"))
    result.most_running = x->count(0, most_tasks);
  auto of_rate = [&](const char* key) {
    auto x = element.find(key);
    if (x && !element.find("per_second"))
      x->fail("must be given together with per_second");
    return x;
  };
  auto burst = of_rate("burst");
  auto retries = of_rate("counts_retries");
  if (auto x = element.find("per_second"))
    result.most_begun = libpool::rate{x->factor(),
                                      burst ? burst->count(1, most_tasks) : 1,
                                      retries && retries->truth()};
  return result;
}

double read_backoff_factor(const element& element) {
  auto result = element.factor();
  if (result < 1)
    element.fail_bound("at least 1");
  return result;
}

libpool::retry_backoff read_backoff(const element& element) {
  element.expect_keys({"first", "factor", "most", "times"});
  libpool::retry_backoff result;
  if (auto x = element.find("first"))
    result.first = x->time();
  if (auto x = element.find("factor"))
    result.factor = read_backoff_factor(*x);
  result.most = std::max(result.most, result.first);
  if (auto x = element.find("most"))
    result.most = x->time();
  if (result.most < result.first)
    element.fail_at("most", "must be at least first");
  if (auto x = element.find("times"))
    result.times = static_cast<unsigned>(x->count(1, most_tasks));
  return result;
}

libpool::retry_budget read_budget(const element& element) {
  element.expect_keys({"share", "at_least"});
  libpool::retry_budget result;
  if (auto x = element.find("share"))
    result.share = x->factor();
  if (result.share > 1)
    element.at("share").fail_bound("at most 1");
  if (auto x = element.find("at_least"))
    result.at_least = x->count(0, most_tasks);
  return result;
}

/// Returns the index of the error in the scenario.
std::size_t error_named(const element& element, const scenario& scenario) {
  const auto& name = element.text();
  auto i = std::find(scenario.errors.begin(), scenario.errors.end(), name);
  if (i == scenario.errors.end())
    element.fail(
      "no task has the error '" + name + "'"
      + suggestion(name, {scenario.errors.begin(), scenario.errors.end()}));
  return static_cast<std::size_t>(i - scenario.errors.begin());
}

retry_rule read_rule(const element& element, const scenario& scenario) {
  element.expect_keys({"errors", "attempts", "after"});
  if (scenario.errors.empty())
    element.fail("has no effect, since no task has the member 'errors'");
  retry_rule result;
  if (auto x = element.find("errors")) {
    if (x->size() == 0)
      x->fail("must not be empty");
    for (std::size_t i = 0; i < x->size(); ++i)
      result.errors.push_back(error_named(x->at(i), scenario));
    std::sort(result.errors.begin(), result.errors.end());
  }
  if (auto x = element.find("attempts"))
    result.attempts = static_cast<unsigned>(x->count(2, most_tasks));
  if (auto x = element.find("after"))
    result.after = x->time();
  return result;
}

libpool::shed read_shed(const element& element) {
  element.expect_keys({"target", "interval", "exempt"});
  libpool::shed result;
  if (auto x = element.find("target"))
    result.target = x->time_above_zero();
  if (auto x = element.find("interval"))
    result.interval = x->time_above_zero();
  if (auto x = element.find("exempt"))
    for (std::size_t i = 0; i < x->size(); ++i)
      result.exempt.emplace(x->at(i).text());
  return result;
}

libpool::joint_rule read_batch(const element& element, scenario& scenario) {
  element.expect_keys({"most", "wait", "shared"});
  libpool::joint_rule result;
  result.is_batch = true;
  result.most = 16;
  result.wait = std::chrono::milliseconds{1};
  if (auto x = element.find("most"))
    result.most = x->count(1, most_tasks);
  if (auto x = element.find("wait"))
    result.wait = x->time();
  if (auto x = element.find("shared"))
    scenario.shared = x->time();
  return result;
}

libpool::joint_rule read_same(const element& element) {
  element.expect_keys({"joins", "most"});
  libpool::joint_rule result;
  if (auto x = element.find("joins"))
    result.joins_running = x->one_of({"waiting", "running"}) == "running";
  if (auto x = element.find("most"))
    result.most = x->count(1, most_tasks);
  return result;
}

/// How tasks share runs.
void read_joint(const element& root, scenario& scenario) {
  auto batch = root.find("batch");
  auto same = root.find("same_as");
  if (batch && same)
    same->fail("must not be given with batch");
  if ((batch || same) && root.find("gather"))
    (batch ? batch : same)->fail("must not be given with gather");
  if (batch)
    scenario.joint = read_batch(*batch, scenario);
  if (same)
    scenario.joint = read_same(*same);
}

} // namespace

libpool::throttles read_throttles(const element& element) {
  element.expect_keys({"all", "each_flow", "flows"});
  libpool::throttles result;
  if (auto x = element.find("all"))
    result.of_all = read_throttle(*x);
  if (auto x = element.find("each_flow"))
    result.of_each_flow = read_throttle(*x);
  if (auto flows = element.find("flows"))
    for (auto name : flows->keys())
      result.of_flows[std::string{name}] = read_throttle(flows->at(name));
  return result;
}

void check_throttles(const element& throttles, const scenario& scenario) {
  if (limits_rate(read_throttles(throttles))
      && assignment_of(scenario.how) == libpool::assignment::eager)
    throttles.fail("per_second requires lazy assignment");
  if (auto flows = throttles.find("flows"))
    for (auto name : flows->keys())
      if (std::find(scenario.flows.begin(), scenario.flows.end(), name)
          == scenario.flows.end())
        flows->fail_at(name, "has no effect, since no task has this flow"
                               + suggestion(name, {scenario.flows.begin(),
                                                   scenario.flows.end()}));
}

void read_failures(const element& root, scenario& scenario) {
  if (auto x = root.find("deadline"))
    scenario.deadline = x->time_above_zero();
  if (auto x = root.find("time_limit"))
    scenario.time_limit = x->time_above_zero();
  if (auto x = root.find("drop_hopeless"))
    scenario.drop_hopeless = x->truth();
  if (auto x = root.find("shed"))
    scenario.shed = read_shed(*x);
  read_joint(root, scenario);
  if (auto x = root.find("stand_ins"))
    scenario.stand_ins = x->count(0, most_workers);
  if (auto x = root.find("on_crash"))
    scenario.retries = read_retries_of_crashes(*x);
  if (auto x = root.find("poison_after"))
    scenario.poison_after = static_cast<unsigned>(x->count(0, most_tasks));
  if (auto x = root.find("throttles"))
    scenario.throttles = read_throttles(*x);
}

void check_shed(const element& shed, const scenario& scenario) {
  const auto policy = compose(scenario.how);
  if (policy.assignment == libpool::assignment::eager
      || !(policy.order->has_flows() || policy.order->is_by_arrival()))
    shed.fail("requires an order by arrival or by flows, as those of "
              "shared_queue and fair_queuing");
  for (const auto& name : scenario.shed->exempt)
    if (std::find(scenario.flows.begin(), scenario.flows.end(), name)
        == scenario.flows.end())
      shed.at("exempt").fail(
        "no task has the flow '" + name + "'"
        + suggestion(name, {scenario.flows.begin(), scenario.flows.end()}));
}

void check_lateness(const element& root, const scenario& scenario) {
  auto has_one = [](const work& each) {
    return each.deadline || each.deadline_of;
  };
  auto has_deadlines =
    std::any_of(scenario.tasks.begin(), scenario.tasks.end(), has_one)
    || std::any_of(scenario.clients.begin(), scenario.clients.end(), has_one);
  if (scenario.drop_hopeless && !has_deadlines)
    root.fail_at("drop_hopeless",
                 "has no effect, since no task has a deadline");
  if (scenario.stand_ins > 0 && !scenario.time_limit && !has_deadlines)
    root.fail_at("stand_ins", "has no effect, since there is neither a "
                              "time_limit nor a task with a deadline");
  if ((scenario.stand_ins > 0 || scenario.autoscale)
      && std::any_of(scenario.choices.begin(), scenario.choices.end(),
                     [](const auto& each) { return !each.loose; }))
    root.fail_at(scenario.autoscale ? "autoscale" : "stand_ins",
                 "must not be given with the member 'only' of tasks, unless "
                 "'loose' is true");
}

void read_retries(const element& root, scenario& scenario) {
  if (auto x = root.find("retry_on")) {
    scenario.retry_on = read_rule(*x, scenario);
    scenario.backoff = libpool::retry_backoff{};
  }
  if (auto x = root.find("retry_budget")) {
    scenario.budget = read_budget(*x);
    if (!scenario.retry_on)
      x->fail("has no effect without retry_on");
  }
  auto element = root.find("backoff");
  if (!element)
    return;
  scenario.backoff = read_backoff(*element);
  if (!scenario.retry_on && scenario.retries == 0)
    element->fail(
      "has no effect, since neither on_crash is retry nor retry_on is "
      "given");
  if (auto x = element->find("times"); x && !scenario.retry_on)
    x->fail("has no effect without retry_on");
}

std::vector<error_share> read_errors(const element& element,
                                     scenario& scenario) {
  if (!element.is_object() || element.keys().empty())
    element.fail("must be an object with the probability of each error");
  std::vector<error_share> result;
  double sum = 0;
  for (auto name : element.keys()) {
    auto share = element.at(name).factor();
    if (share > 1)
      element.at(name).fail_bound("at most 1");
    sum += share;
    auto i = std::find(scenario.errors.begin(), scenario.errors.end(), name);
    auto index = static_cast<std::size_t>(i - scenario.errors.begin());
    if (i == scenario.errors.end())
      scenario.errors.emplace_back(name);
    result.push_back({index, sum});
  }
  if (sum > 1 + 1e-9)
    element.fail("the sum of the probabilities must be at most 1");
  return result;
}

} // namespace poolsim
