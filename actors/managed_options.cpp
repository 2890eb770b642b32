#include "libpool/actors/managed_options.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>

namespace libpool {

namespace {

void require_option(bool holds, const char* option, const std::string& bound) {
  if (!holds)
    throw std::invalid_argument(std::string{"libpool: managed_options: "}
                                + option + " must be " + bound);
}

void require_at_least_one(const char* option,
                          std::optional<std::size_t> given) {
  require_option(!given || *given >= 1, option, "at least 1, got 0");
}

std::string in_ns(duration time) {
  return std::to_string(time.count()) + " ns";
}

void require_above_zero(const char* option, std::optional<duration> given) {
  require_option(!given || given->count() > 0, option,
                 "above 0, got " + in_ns(given.value_or(duration{0})));
}

std::string in_ms(duration time) {
  using std::chrono::milliseconds;
  return std::to_string(std::chrono::round<milliseconds>(time).count()) + " ms";
}

void check(const autoscale& rule, const managed_options& options) {
  if (auto why = objection_to(rule))
    throw std::invalid_argument("libpool: managed_options: autoscale: " + *why);
  require_option(options.measure_times, "measure_times",
                 "true if autoscale is set");
  require_option(rule.most <= options.most_workers, "autoscale: most",
                 "at most most_workers (" + std::to_string(options.most_workers)
                   + "), got " + std::to_string(rule.most));
}

void check_shared_runs(const managed_options& options) {
  require_option(!options.batch || options.same_as.key_of == nullptr, "batch",
                 "unset if same_as is set");
  if (auto why = options.batch ? objection_to(*options.batch) : std::nullopt)
    throw std::invalid_argument("libpool: managed_options: batch: " + *why);
  require_at_least_one("same_as: most", options.same_as.most);
}

} // namespace

void check(const managed_options& options) {
  auto* again = std::get_if<retry>(&options.on_crash);
  auto& restart = options.restart;
  require_at_least_one("most_workers", options.most_workers);
  require_option(options.workers <= options.most_workers, "workers",
                 "at most most_workers (" + std::to_string(options.most_workers)
                   + "), got " + std::to_string(options.workers));
  require_at_least_one("window", options.window);
  require_above_zero("deadline", options.deadline);
  require_above_zero("time_limit", options.time_limit);
  require_option(!options.drop_hopeless || options.deadline
                   || options.deadline_of != nullptr,
                 "drop_hopeless",
                 "false if neither deadline nor deadline_of is set");
  if (again != nullptr)
    require_at_least_one("on_crash: retry: times", again->times);
  auto backoff = options.backoff.value_or(libpool::retry_backoff{});
  require_option(backoff.first.count() >= 0, "backoff: first",
                 "at least 0, got " + in_ns(backoff.first));
  require_option(backoff.factor >= 1, "backoff: factor",
                 "at least 1, got " + std::to_string(backoff.factor));
  require_option(backoff.most >= backoff.first, "backoff: most",
                 "at least first (" + in_ns(backoff.first) + "), got "
                   + in_ns(backoff.most));
  require_at_least_one("backoff: times", backoff.times);
  require_option(!options.backoff || again != nullptr
                   || options.retry_on != nullptr,
                 "backoff",
                 "unset if neither on_crash is retry nor retry_on "
                 "is set");
  auto budget = options.retry_budget.value_or(libpool::retry_budget{});
  require_option(budget.share > 0 && budget.share <= 1, "retry_budget: share",
                 "above 0 and at most 1, got " + std::to_string(budget.share));
  require_option(!options.retry_budget || options.retry_on != nullptr,
                 "retry_budget", "unset if retry_on is unset");
  require_option(options.on_overflow == overflow::refuse || options.capacity,
                 "capacity", "set if on_overflow is drop_oldest");
  if (auto why = objection_to(options.throttles))
    throw std::invalid_argument("libpool: managed_options: throttles: " + *why);
  require_above_zero("restart: period", restart.period);
  require_option(restart.pause.count() >= 0, "restart: pause",
                 "at least 0, got " + in_ns(restart.pause));
  require_option(restart.longest_pause >= restart.pause,
                 "restart: longest_pause",
                 "at least pause (" + in_ns(restart.pause) + "), got "
                   + in_ns(restart.longest_pause));
  if (auto why = options.shed ? objection_to(*options.shed) : std::nullopt)
    throw std::invalid_argument("libpool: managed_options: shed: " + *why);
  require_option(!options.shed || options.measure_times, "measure_times",
                 "true if shed is set");
  check_shared_runs(options);
  if (options.autoscale)
    check(*options.autoscale, options);
  require_above_zero("slow_after", options.slow_after);
  require_option(options.on_slow == nullptr || options.slow_after, "slow_after",
                 "set if on_slow is set");
  require_option(!options.slow_after || options.measure_times, "measure_times",
                 "true if slow_after is set");
  require_option(!options.name.empty(), "name", "non-empty");
}

std::string describe(const slow_task& task) {
  auto result = "task " + std::to_string(task.number) + " (" + task.kind + ")";
  if (!task.flow.empty())
    result += " of flow " + task.flow;
  result += " ran for " + in_ms(task.settled - task.started);
  if (task.worker_number)
    result += " on worker " + std::to_string(*task.worker_number);
  if (!task.node.empty())
    result += ", node " + task.node;
  result += ", after waiting for " + in_ms(task.started - task.accepted);
  if (task.untold > 0)
    result += "; " + std::to_string(task.untold)
              + " more slow tasks since the last report";
  return result;
}

} // namespace libpool
