#include "reading_parts.hpp"

#include <algorithm>
#include <chrono>

namespace poolsim {

namespace {

bool is_of_poolifier(const element& element) {
  auto rule = element.find("rule");
  return rule && rule->one_of({"libpool", "poolifier"}) == "poolifier";
}

sizing_settings read_autoscale(const element& element) {
  sizing_settings result;
  if (is_of_poolifier(element)) {
    element.expect_keys({"rule", "least", "most", "idle", "one_by_one"});
    result.idle = std::chrono::minutes{1};
  } else {
    element.expect_keys(
      {"rule", "least", "most", "target_wait", "cooldown", "interval"});
  }
  if (auto x = element.find("least"))
    result.least = x->count(0, most_workers);
  result.most = element.at("most").count(1, most_workers);
  if (auto x = element.find("target_wait"))
    result.target_wait = x->time();
  if (auto x = element.find("cooldown"))
    result.cooldown = x->time();
  if (auto x = element.find("interval"))
    result.interval = x->time();
  if (auto x = element.find("idle"))
    result.idle = x->time_above_zero();
  if (auto x = element.find("one_by_one"))
    result.one_by_one = x->truth();
  if (auto why = libpool::objection_to(result))
    element.fail(*why);
  return result;
}

} // namespace

/// The pool begins with the workers of the scenario if the bounds permit it,
/// otherwise with fewer or more.
void read_sizing(const element& root, scenario& scenario) {
  auto element = root.find("autoscale");
  auto startup = root.find("startup");
  if (startup && !element)
    startup->fail("has no effect without autoscale");
  if (!element)
    return;
  if (root.find("nodes"))
    element->fail("must not be given with nodes");
  scenario.autoscale = read_autoscale(*element);
  if (startup)
    scenario.autoscale->startup = startup->time();
  auto& workers = scenario.workers;
  workers.resize(std::clamp(workers.size(), scenario.autoscale->least,
                            scenario.autoscale->most),
                 worker_settings{workers.front()});
}

} // namespace poolsim
