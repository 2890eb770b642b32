/// Workers that live on nodes. Each session of a node is a worker that is a
/// pool: it says how many tasks it takes.

#include "machine.hpp"

namespace poolsim {

using fate_of_try = libpool::node_connections::fate;

// -- time ---------------------------------------------------------------------

void machine::have_nodes_happen() {
  if (nodes_ != nullptr)
    nodes_->happen(now_);
}

void machine::let_time_pass(duration until) {
  if (nodes_ != nullptr)
    nodes_->time_passes(until, pool_.books().open() - begun_);
  meter(until - now_);
  now_ = until;
}

/// Nodes go on beating when there is nothing left to do.
bool machine::is_over() {
  if (nodes_ == nullptr || scenario_.until || arrivals_.next()
      || events_.next())
    return false;
  return pool_.books().open() == 0 || nodes_->is_stuck(now_);
}

// -- sessions -----------------------------------------------------------------

void machine::admitted(server& session) {
  pool_.joined(session, now());
  if (events_.is_paused(session.id))
    pool_.suspended(session, now());
}

void machine::resized(server& session, std::size_t window) {
  pool_.resized(session, window, false, now());
  carry_out();
}

void machine::dismissed(server& session) {
  pool_.left(session, now());
  carry_out();
}

// -- tasks --------------------------------------------------------------------

void machine::began(job& task, std::size_t node) {
  auto& row = books_.row(task.id);
  row.started = now_;
  ++row.attempts;
  row.worker = static_cast<std::uint32_t>(node);
  task.run = ++runs_;
  ++begun_;
}

bool machine::released(job& task, fate_of_try fate) {
  auto& row = books_.row(task.id);
  auto has_completed = false;
  begun_ -= std::exchange(task.run, 0) != 0 ? 1U : 0U;
  row.worker = static_cast<std::uint32_t>(static_cast<server&>(*task.on).id);
  if (fate == fate_of_try::given_back) {
    pool_.unhandled(task, now());
  } else if (fate == fate_of_try::completed) {
    note_answer(task);
    has_completed = report_end(task);
  } else {
    pool_.finished(task, libpool::ending::crashed, now());
  }
  if (task.is == libpool::task::condition::waiting)
    row.started = not_yet;
  carry_out();
  return has_completed;
}

/// The node is asked for a task that was cancelled. It keeps other tasks.
void machine::recall_from_node(job& task, server& session) {
  if (task.on != &session || task.is != libpool::task::condition::sent)
    return; // has come back by itself
  if (task.cancel_reason == libpool::errc{})
    return pool_.kept(task);
  pool_.started(task, now()); // the client is answered now
  nodes_->cancel(task, session, now_);
}

void machine::ran(const task_run& run) {
  books_.note(run);
}

} // namespace poolsim
