#include "books.hpp"

#include "latency.hpp"

#include <algorithm>
#include <utility>

namespace poolsim {

namespace {

/// Adds the task to the counts of its flow, or of all tasks.
template <class Counts>
void note_answers(const task_row& row, Counts& target) {
  if (row.is == fate::failed)
    target.failed_by.note(row.why);
  if (row.is == fate::cancelled)
    target.cancelled_by.note(row.why);
  target.errors.answered += row.is == fate::completed && row.error > 0 ? 1U
                                                                       : 0U;
  target.errors.retried += row.retried_errors;
  target.errors.refused += row.is_over_budget ? 1U : 0U;
  if (row.attempts == 0)
    return;
  auto& tasks = target.attempts.tasks;
  if (tasks.size() < row.attempts)
    tasks.resize(row.attempts);
  ++tasks[row.attempts - 1];
}

/// Computes mean and maximum from the numbers of tasks.
void sum_up(attempt_counts& counts) {
  std::uint64_t tasks = 0;
  std::uint64_t attempts = 0;
  for (std::size_t i = 0; i < counts.tasks.size(); ++i) {
    tasks += counts.tasks[i];
    attempts += counts.tasks[i] * (i + 1);
  }
  counts.most = static_cast<std::uint32_t>(counts.tasks.size());
  if (tasks > 0)
    counts.mean = static_cast<double>(attempts) / static_cast<double>(tasks);
}

} // namespace

books::books(const scenario& scenario, const run_listener& listener)
  : scenario_(scenario),
    listener_(listener),
    meter_(scenario),
    ranks_(scenario.flows.size()) {
  // nop
}

std::size_t books::submitted(std::size_t flow, duration now) {
  auto& row = rows_.emplace_back();
  row.submitted = now;
  row.flow = static_cast<std::uint32_t>(rank(flow) - 1);
  return rows_.size() - 1;
}

std::size_t books::rank(std::size_t flow) {
  auto& result = ranks_[flow];
  if (result == 0) {
    flows_.push_back(flow);
    result = flows_.size();
  }
  return result;
}

void books::refused(std::size_t task, libpool::errc why) {
  rows_[task].is = fate::refused;
  rows_[task].why = why;
}

void books::answered(std::size_t task, fate is, libpool::errc why,
                     duration now) {
  rows_[task].is = is;
  rows_[task].why = why;
  rows_[task].finished = now;
  makespan_ = std::max(makespan_, now);
}

void books::note(const task_run& run) {
  meter_.add(run);
  if (listener_)
    listener_(run);
}

result books::close(duration now) {
  result result;
  result.now = now;
  result.makespan = makespan_;
  result.flows = flow_rows(now);
  result.error_names = scenario_.errors;
  count_fates(result);
  result.tasks = std::move(rows_);
  for (const auto& each : result.tasks)
    result.steals += each.moves;
  measure_latencies(result);
  return result;
}

std::vector<flow_row> books::flow_rows(duration now) {
  for (std::size_t i = 0; i < scenario_.flows.size(); ++i)
    rank(i);
  std::vector<flow_row> result;
  for (auto flow : flows_) {
    auto& row = result.emplace_back();
    row.name = scenario_.flows[flow];
    row.mean_seats = meter_.means(flow, now);
  }
  return result;
}

void books::count_fates(result& result) const {
  for (const auto& each : rows_) {
    auto& flow = result.flows[each.flow];
    ++flow.submitted;
    flow.completed += each.is == fate::completed ? 1 : 0;
    flow.failed += each.is == fate::failed ? 1 : 0;
    flow.cancelled += each.is == fate::cancelled ? 1 : 0;
    flow.refused += each.is == fate::refused ? 1 : 0;
    flow.waiting += each.is == fate::waiting ? 1 : 0;
    note_answers(each, flow);
    note_answers(each, result);
  }
  for (auto& each : result.flows)
    sum_up(each.attempts);
  sum_up(result.attempts);
}

} // namespace poolsim
