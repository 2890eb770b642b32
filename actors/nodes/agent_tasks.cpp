/// How the agent of a node runs tasks.

#include "libpool/actors/caf/handles.hpp"
#include "libpool/actors/caf/packing.hpp"
#include "libpool/actors/caf/port/elements.hpp"
#include "libpool/actors/caf/port/errors.hpp"
#include "libpool/actors/caf/words.hpp"
#include "libpool/actors/error.hpp"
#include "libpool/actors/nodes/node_agent.hpp"
#include "libpool/actors/nodes/task_result.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/message_id.hpp>
#include <caf/sec.hpp>

#include <chrono>
#include <optional>
#include <utility>
#include <variant>

namespace libpool {

namespace {

/// Whether an error of the local pool means that the task crashed its worker.
bool is_end_of_worker(const caf::error& of_pool) noexcept {
  return of_pool == errc::worker_crashed || of_pool == errc::poisoned
         || of_pool == errc::retries_exhausted;
}

/// Whether an error of the local pool means that it runs no more tasks.
bool is_end_of_pool(const caf::error& of_pool) noexcept {
  return of_pool == errc::pool_closed || of_pool == errc::no_workers
         || of_pool == caf::sec::request_receiver_down;
}

} // namespace

// -- tasks that come ----------------------------------------------------------

void node_agent::take(const batch_to_agent& came, host_ptr host) {
  const auto& batch = came.read.batch;
  const auto& contents = came.read.contents;
  std::size_t bytes = 0;
  for (auto each : contents)
    bytes += each.size();
  auto is_of_session = end_.link().session() == batch.session;
  if (end_.told(batch, bytes, now())) {
    if (const auto* sent = std::get_if<tasks_sent>(&batch.content))
      for (std::size_t i = 0; i < sent->tasks.size(); ++i)
        contents_[sent->tasks[i]] = {came.owner, contents[i]};
  } else if (!is_of_session) { // the batch may have ended the session
    ++strays_;
  }
  carry_out(host);
}

/// Begins waiting tasks. The lease is checked before each task.
void node_agent::begin_tasks(host_ptr host) {
  while (auto next = end_.start(now()))
    begin(*next, host);
}

/// Begins a task. A message that manages pools is refused from a client:
/// another program must not manage the pool or its workers.
void node_agent::begin(task_number task, host_ptr host) {
  auto content = unpack(home_system(), contents_[task].bytes);
  contents_.erase(task);
  if (const auto* why = std::get_if<caf::error>(&content)) {
    end_.unreadable(task, words_of(*why, home_system()));
    return carry_out(host);
  }
  auto work = make_work(self_, caf::make_message_id(++last_request_),
                        std::get<caf::message>(std::move(content)));
  if (how_.is_for_client && is_system_message(*work))
    return finish(task,
                  {ending::completed,
                   bytes_of_error(home_system(), make_error(errc::not_work))},
                  host);
  runs_.emplace(last_request_, task);
  actor_behind(pool_).enqueue(std::move(work), host);
}

// -- answers ------------------------------------------------------------------

void node_agent::answered(caf::mailbox_element& element, host_ptr host) {
  auto run = runs_.find(element.mid.request_id().integer_value());
  if (run == runs_.end())
    return;
  auto task = run->second;
  runs_.erase(run);
  if (content_of(element).match_elements<caf::error>())
    failed(task, element, host);
  else
    finish(task, {ending::completed, bytes_of_result(home_system(), element)},
           host);
}

/// Ends a task whose answer is an error. An error from a handler is an answer,
/// even if it has an error code of libpool. A task that the local pool did not
/// run because that pool has ended counts as crashed, so that another node can
/// retry it.
void node_agent::failed(task_number task, caf::mailbox_element& element,
                        host_ptr host) {
  auto& why = content_of(element).get_as<caf::error>(0);
  auto is_of_pool = element.sender == pool_;
  auto pool_is_over = is_of_pool && !how_.is_for_client && is_end_of_pool(why);
  auto has_crashed = pool_is_over
                     || (is_of_pool && !how_.is_for_client
                         && is_end_of_worker(why));
  finish(task,
         {has_crashed ? ending::crashed : ending::completed,
          bytes_of_error(home_system(), why)},
         host);
  if (pool_is_over)
    leave(make_error(errc::pool_closed, "the local pool has ended"), host);
}

/// Returns the mean duration of handlers since the last call; unset if unknown.
/// Tasks of a client count as short, so that their results travel together.
std::optional<duration> node_agent::time_of_handler() const {
  constexpr duration short_time = std::chrono::microseconds{1};
  return how_.is_for_client ? std::optional{short_time}
                            : how_.times->next_mean();
}

void node_agent::finish(task_number task, task_end with, host_ptr host) {
  ++done_;
  auto most = line_ != nullptr ? line_->most_bytes() : 0;
  if (with.bytes.size() + room_for_batch > most && most > 0)
    with.bytes = bytes_of_error(
      home_system(),
      make_error(errc::too_large,
                 too_large_text(with.bytes.size(), most - room_for_batch)));
  auto size = with.bytes.size();
  results_[task] = std::move(with.bytes);
  if (!end_.finished(task, with.how, size, now(), time_of_handler()))
    results_.erase(task);
  carry_out(host);
}

} // namespace libpool
