#include "libpool/core/errc.hpp"
#include "libpool/observability/timeline/timeline.hpp"

namespace libpool {

namespace {

/// Returns the outcome or the state of the task in words; the reason, if the
/// task has one.
std::string_view end_of(const recorded_run& run) {
  if (run.ended == never)
    return run.started == never ? "waiting" : "running";
  if (run.how == outcome::completed)
    return "completed";
  return run.why == errc{} ? "failed" : to_string(run.why);
}

timeline::span span_of(const recorded_run& run, const recording& recording) {
  timeline::span result;
  result.task = run.task;
  result.worker = run.worker;
  result.flow = recording.flows[run.flow];
  result.submitted = run.accepted;
  result.started = run.started;
  result.finished = run.ended;
  result.outcome = end_of(run);
  result.steals = run.steals;
  result.trace = run.trace;
  if (run.kind != 0)
    result.kind = recording.kinds[run.kind];
  return result;
}

} // namespace

timeline timeline_of(const recording& recorded,
                     const std::map<worker_number, std::string>& names) {
  timeline result;
  for (const auto& [number, name] : names)
    result.add_worker(number, name);
  for (const auto& each : recorded.runs)
    result.add(span_of(each, recorded));
  for (const auto& each : recorded.open)
    result.add(span_of(each, recorded));
  if (!recorded.open.empty())
    result.extend_to(recorded.taken);
  return result;
}

} // namespace libpool
