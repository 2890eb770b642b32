#include "chart.hpp"

#include <cstddef>
#include <string>

namespace poolsim {

namespace {

libpool::instant moment(duration since_start) {
  return libpool::instant{since_start};
}

const char* name_of(task_run::ending ending) {
  switch (ending) {
    case task_run::ending::completed:
      return "completed";
    case task_run::ending::interrupted:
      return "interrupted";
    case task_run::ending::crashed:
      return "crashed";
    case task_run::ending::overdue:
      return "overdue";
    case task_run::ending::stopped:
      return "stopped";
    case task_run::ending::error:
      return "error";
    default:
      return "running";
  }
}

const char* name_of(fate is) {
  switch (is) {
    case fate::refused:
      return "refused";
    case fate::assigned:
      return "assigned";
    case fate::cancelled:
      return "cancelled";
    default:
      return "waiting";
  }
}

} // namespace

chart::chart(const scenario& scenario) : scenario_(scenario) {
  for (std::size_t i = 0; i < scenario.workers.size(); ++i)
    all_.add_worker(libpool::worker_number{i});
  all_.extend_to(moment(duration{0}));
}

void chart::add(const task_run& run) {
  libpool::timeline::span added;
  added.task = run.task;
  added.worker = libpool::worker_number{run.worker};
  if (run.worker >= scenario_.workers.size()) // a stand-in
    all_.add_worker(*added.worker);
  added.flow = scenario_.flows[run.flow];
  added.submitted = moment(run.submitted);
  added.started = moment(run.started);
  if (run.how != task_run::ending::still_running)
    added.finished = moment(run.ended);
  added.outcome = name_of(run.how);
  added.steals = run.steals;
  all_.add(added);
}

void chart::finish(const result& end) {
  all_.extend_to(moment(end.now));
  for (std::size_t i = 0; i < end.tasks.size(); ++i) {
    const auto& row = end.tasks[i];
    if (row.started != not_yet || row.submitted == not_yet)
      continue;
    libpool::timeline::span added;
    added.task = i;
    added.flow = end.flows[row.flow].name;
    added.submitted = moment(row.submitted);
    if (row.is == fate::refused)
      added.finished = added.submitted;
    else if (row.finished != not_yet)
      added.finished = moment(row.finished);
    added.outcome = name_of(row.is);
    all_.add(added);
  }
}

} // namespace poolsim
