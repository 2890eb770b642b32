#include "recommend.hpp"

#include <algorithm>
#include <cstddef>

namespace poolsim {

namespace {

constexpr std::size_t most_flows = 64;

/// Change of the numbers of tasks of a flow that are in the pool, and that run.
struct change {
  duration at;
  std::size_t flow;
  double open;
  double running;
};

struct flow_state {
  double open = 0;
  double running = 0;
  double served = 0;
  double fair = 0;
};

std::vector<change> changes_in(const result& result,
                               const std::vector<task_run>& runs) {
  std::vector<change> changes;
  auto add = [&](duration begin, duration end, std::size_t flow, double open) {
    changes.push_back({begin, flow, open, 1 - open});
    changes.push_back({end, flow, -open, open - 1});
  };
  for (const auto& each : result.tasks)
    if (each.is != fate::refused)
      add(each.submitted, each.finished == not_yet ? result.now : each.finished,
          each.flow, 1);
  for (const auto& each : runs)
    add(each.started, each.ended, result.tasks[each.task].flow, 0);
  std::sort(changes.begin(), changes.end(),
            [](const auto& x, const auto& y) { return x.at < y.at; });
  return changes;
}

/// Adds the time `lasted`: each flow that asks for less than an equal part gets
/// what it asks for, and leaves the rest to the others. The order of `flows`
/// changes.
void share(std::vector<flow_state*>& flows, double lasted) {
  auto demand = [](auto* x) { return std::max(x->open, x->running); };
  std::sort(flows.begin(), flows.end(),
            [&](auto* x, auto* y) { return demand(x) < demand(y); });
  double left = 0;
  for (auto* each : flows) {
    left += each->running;
    each->served += each->running * lasted;
  }
  auto sharing = static_cast<double>(flows.size());
  for (auto* each : flows) {
    auto part = std::min(demand(each), left / sharing--);
    each->fair += part * lasted;
    left -= part;
  }
}

} // namespace

std::optional<double> fairness_of(const result& result,
                                  const std::vector<task_run>& runs) {
  if (result.flows.size() < 2 || result.flows.size() > most_flows)
    return std::nullopt;
  std::vector<flow_state> flows(result.flows.size());
  std::vector<flow_state*> order;
  for (auto& each : flows)
    order.push_back(&each);
  duration last{0};
  for (const auto& each : changes_in(result, runs)) {
    if (each.at > last)
      share(order, static_cast<double>((each.at - last).count()));
    last = each.at;
    flows[each.flow].open += each.open;
    flows[each.flow].running += each.running;
  }
  double sum = 0;
  double squares = 0;
  double count = 0;
  for (const auto& each : flows)
    if (each.fair > 0) {
      auto x = each.served / each.fair;
      sum += x;
      squares += x * x;
      ++count;
    }
  if (count < 2)
    return std::nullopt;
  return sum * sum / (count * squares);
}

} // namespace poolsim
