#include "from_trace.hpp"

#include "document.hpp"
#include "element.hpp"
#include "times.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace poolsim {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

/// A task of the trace.
struct traced_task {
  duration came = duration::max();
  duration started{-1};
  std::optional<duration> service; ///< of the last run
  std::string flow;
  std::string kind;
};

/// Returns a time that the trace states in microseconds.
duration time_in(const json& event, const char* key) {
  auto us = event.at(key).get<double>();
  return duration{static_cast<std::int64_t>(std::llround(us * 1000))};
}

/// Tasks and workers of a trace.
class trace_reader {
public:
  void read(const json& event) {
    auto phase = event.value("ph", "");
    auto process = event.value("pid", 0);
    if (phase == "M" && process == 1
        && event.value("name", "") == "thread_name")
      add_thread(event.at("args").at("name"));
    auto args = event.find("args");
    if (args == event.end() || args->find("task") == args->end())
      return;
    auto& task = tasks_[args->at("task")];
    task.came = std::min(task.came, time_in(event, "ts"));
    if (phase == "i") // named after the outcome
      return;
    task.flow = event.at("name");
    if (task.flow == "task") // of a task without a flow
      task.flow.clear();
    task.kind = args->value("kind", task.kind);
    if (phase == "X" && process == 1)
      add_run(event, task);
  }

  void write(std::ostream& out) const {
    if (seats_.empty() || runs_ == 0)
      throw invalid_scenario{
        "/traceEvents: must have a worker and a task that ran"};
    out << "{\"policy\":\"shared_queue\",\n \"workers\":" << workers()
        << ",\n \"tasks\":[";
    std::multimap<duration, const traced_task*> order;
    for (const auto& [number, task] : tasks_)
      order.emplace(task.came, &task);
    const auto* separator = "\n  ";
    for (const auto& [came, task] : order)
      out << std::exchange(separator, ",\n  ") << json_of(*task);
    out << "]}\n";
  }

private:
  /// A worker that ran several tasks at once has several threads, the second
  /// one with the name "worker 0 (2)".
  void add_thread(const std::string& name) {
    if (!seats_.empty()
        && name == worker_ + " (" + std::to_string(seats_.back() + 1) + ")") {
      ++seats_.back();
      return;
    }
    worker_ = name;
    seats_.push_back(1);
  }

  void add_run(const json& event, traced_task& task) {
    auto started = time_in(event, "ts");
    if (started < task.started)
      return;
    task.started = started;
    task.service = time_in(event, "dur");
    sum_ += *task.service;
    ++runs_;
  }

  ordered_json workers() const {
    auto result = ordered_json::array();
    for (auto seats : seats_)
      result.push_back({{"seats", seats}});
    return result;
  }

  ordered_json json_of(const traced_task& task) const {
    ordered_json result{
      {"at", task.came.count()},
      {"service", task.service.value_or(sum_ / runs_).count()}};
    if (!task.flow.empty())
      result["flow"] = task.flow;
    if (!task.kind.empty())
      result["kind"] = task.kind;
    return result;
  }

  std::map<std::uint64_t, traced_task> tasks_;
  std::vector<std::size_t> seats_; // by worker
  std::string worker_;             // the last one
  duration sum_{0};                // of all runs
  std::int64_t runs_ = 0;
};

} // namespace

void write_scenario(std::ostream& out, std::string_view trace) {
  const auto document = document_of(trace);
  trace_reader reader;
  try {
    for (const auto& each : document.at("traceEvents"))
      reader.read(each);
  } catch (const json::exception&) {
    throw invalid_scenario{"the text is not a trace that poolctl record, the "
                           "live page or poolsim --trace has written"};
  }
  reader.write(out);
}

} // namespace poolsim
