#include "libpool/actors/managed_options.hpp"

#include <chrono>
#include <stdexcept>
#include <string>

namespace libpool {

namespace {

void require_option(bool holds, const char* option, const char* bound) {
  if (!holds)
    throw std::invalid_argument(std::string{"libpool: managed_options: "}
                                + option + " must be " + bound);
}

std::string in_ms(duration time) {
  using std::chrono::milliseconds;
  return std::to_string(std::chrono::round<milliseconds>(time).count()) + " ms";
}

} // namespace

void check(const managed_options& options) {
  auto* again = std::get_if<retry>(&options.on_crash);
  auto& restart = options.restart;
  require_option(options.most_workers >= 1, "most_workers", "at least 1");
  require_option(options.workers <= options.most_workers, "workers",
                 "at most most_workers");
  require_option(!options.window || *options.window >= 1, "window",
                 "at least 1");
  require_option(!options.deadline || options.deadline->count() > 0, "deadline",
                 "above 0");
  require_option(again == nullptr || again->times >= 1,
                 "on_crash: retry: times", "at least 1");
  require_option(options.on_overflow == overflow::refuse || options.capacity,
                 "capacity", "given where on_overflow is drop_oldest");
  require_option(restart.period.count() > 0, "restart: period", "above 0");
  require_option(restart.pause.count() >= 0, "restart: pause", "at least 0");
  require_option(restart.longest_pause >= restart.pause,
                 "restart: longest_pause", "at least pause");
  require_option(!options.slow_after || options.slow_after->count() > 0,
                 "slow_after", "above 0");
  require_option(options.on_slow == nullptr || options.slow_after, "slow_after",
                 "given where on_slow is");
  require_option(!options.slow_after || options.measure_times, "measure_times",
                 "true where slow_after is given");
  require_option(!options.name.empty(), "name", "a name");
}

std::string describe(const slow_task& task) {
  auto result = "task " + std::to_string(task.number) + " (" + task.kind + ")";
  if (!task.flow.empty())
    result += " of " + task.flow;
  result += " has run for " + in_ms(task.settled - task.started);
  if (task.worker_number)
    result += " at worker " + std::to_string(*task.worker_number);
  if (!task.node.empty())
    result += ", node " + task.node;
  result += ", and waited for " + in_ms(task.started - task.accepted);
  if (task.untold > 0)
    result += "; so have " + std::to_string(task.untold)
              + " others since the last one that was told";
  return result;
}

} // namespace libpool
