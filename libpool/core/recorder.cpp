#include "libpool/core/recorder.hpp"

#include "libpool/core/task.hpp"
#include "libpool/core/worker.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>

namespace libpool {

void recorder::ran(const task& task, worker_number number, instant ended,
                   outcome outcome, errc why) {
  auto& run = next();
  describe(run, task);
  run.worker = number;
  run.started = task.started;
  run.ended = ended;
  run.how = outcome;
  run.why = why;
}

void recorder::dropped(const task& task, instant now, outcome outcome,
                       errc why) {
  auto& run = next();
  describe(run, task);
  run.worker = std::nullopt;
  run.started = never;
  run.ended = now;
  run.how = outcome;
  run.why = why;
}

recording recorder::since(instant since, instant now) const {
  recording result;
  result.flows = flows_.all();
  result.kinds = kinds_.all();
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

bool recorder::add_open(const task& task, std::uint32_t client, instant started,
                        const std::string* kind, recording& recording) {
  if (recording.open.size() >= limits_.runs)
    return false;
  auto& run = recording.open.emplace_back();
  describe(run, task);
  if (client != 0)
    run.flow = client;
  run.kind = number_of(kind);
  run.started = started;
  if (started != never)
    run.worker = task.on->number;
  add_names(recording);
  return true;
}

/// Adds names that came after the recording was made.
void recorder::add_names(recording& recording) const {
  flows_.add_new(recording.flows);
  kinds_.add_new(recording.kinds);
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
  const auto& notes = task.notes();
  run.task = task.number;
  run.accepted = task.accepted;
  run.flow = notes.recorded_client != 0 ? notes.recorded_client
                                        : number_of(task.flow.key());
  run.kind = number_of(notes.kind_name);
  run.steals = static_cast<std::uint16_t>(std::min(notes.steals, 0xffffU));
  if (notes.trace != nullptr)
    run.trace = *notes.trace;
  else
    run.trace.clear();
}

std::uint32_t recorder::number_of(const flow_key& flow) {
  return flow.name().empty()
           ? 0
           : flows_.number_of(flow.hash(), [&] { return flow.name(); });
}

std::uint32_t recorder::number_of(const std::string* kind) {
  return kind == nullptr || kind->empty()
           ? 0
           : kinds_.number_of(std::hash<std::string>{}(*kind),
                              [&] { return *kind; });
}

std::uint32_t recorder::names::add(std::uint64_t hash, std::string name) {
  all_.push_back(all_.size() < most_ ? std::move(name) : "(others)");
  numbers_.emplace(hash, last_number());
  return last_number();
}

void recorder::names::add_new(std::vector<std::string>& targets) const {
  targets.insert(targets.end(),
                 all_.begin() + static_cast<std::ptrdiff_t>(targets.size()),
                 all_.end());
}

} // namespace libpool
