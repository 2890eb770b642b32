#include "libpool/core/recorder.hpp"

#include "libpool/core/task.hpp"
#include "libpool/core/worker.hpp"

#include <algorithm>
#include <cstddef>

namespace libpool {

void recorder::ran(const task& task, worker_number on, instant ended,
                   outcome how, errc why) {
  auto& run = next();
  describe(run, task);
  run.worker = on;
  run.started = task.started;
  run.ended = ended;
  run.how = how;
  run.why = why;
}

void recorder::dropped(const task& task, instant now, outcome how, errc why) {
  auto& run = next();
  describe(run, task);
  run.worker = std::nullopt;
  run.started = never;
  run.ended = now;
  run.how = how;
  run.why = why;
}

recording recorder::since(instant since, instant now) const {
  recording result;
  result.flows = flows_;
  result.taken = now;
  auto oldest = now - instant{} > limits_.last ? now - limits_.last : instant{};
  result.since = std::max({since, oldest, complete_since_});
  result.forgotten = noted_;
  for (auto i = noted_ - runs_.size(); i < noted_; ++i) {
    const auto& each = runs_[i % limits_.runs];
    if (each.ended < oldest)
      continue;
    --result.forgotten;
    if (each.ended >= since)
      result.runs.push_back(each);
  }
  auto sooner = [](const recorded_run& x, const recorded_run& y) {
    return x.ended < y.ended;
  };
  std::stable_sort(result.runs.begin(), result.runs.end(), sooner);
  return result;
}

bool recorder::add_open(const task& task, instant started, recording& to) {
  if (to.open.size() >= limits_.runs)
    return false;
  auto& run = to.open.emplace_back();
  describe(run, task);
  run.started = started;
  if (started != never)
    run.worker = task.on->number;
  add_flows(to);
  return true;
}

bool recorder::add_waiting(const flow_key& flow, instant accepted,
                           recording& to) {
  if (to.open.size() >= limits_.runs)
    return false;
  auto& run = to.open.emplace_back();
  run.accepted = accepted;
  run.flow = number_of(flow);
  add_flows(to);
  return true;
}

/// Adds the names of flows that came after the recording was made.
void recorder::add_flows(recording& to) const {
  auto known = static_cast<std::ptrdiff_t>(to.flows.size());
  to.flows.insert(to.flows.end(), flows_.begin() + known, flows_.end());
}

recorded_run& recorder::next() {
  if (runs_.size() < limits_.runs) {
    ++noted_;
    return runs_.emplace_back();
  }
  auto& oldest = runs_[noted_++ % limits_.runs];
  complete_since_ = std::max(complete_since_, oldest.ended);
  return oldest;
}

void recorder::describe(recorded_run& run, const task& task) {
  run.task = task.known_as;
  run.accepted = task.accepted;
  run.flow = number_of(task.flow);
  run.steals = static_cast<std::uint16_t>(std::min(task.steals, 0xffffU));
  if (task.trace != nullptr)
    run.trace = *task.trace;
  else
    run.trace.clear();
}

std::uint32_t recorder::number_of(const flow_key& flow) {
  if (flow.hash() == last_hash_)
    return last_number_;
  last_hash_ = flow.hash();
  auto is_known = numbers_.find(last_hash_);
  if (is_known != numbers_.end())
    return last_number_ = is_known->second;
  if (flow.name().empty())
    return last_number_ = 0;
  auto is_full = flows_.size() > limits_.flows;
  if (flows_.size() <= limits_.flows)
    flows_.push_back(flows_.size() < limits_.flows ? flow.name() : "(others)");
  last_number_ = static_cast<std::uint32_t>(flows_.size() - 1);
  if (!is_full)
    numbers_.emplace(last_hash_, last_number_);
  return last_number_;
}

} // namespace libpool
