/// How the agent of a node runs tasks.

#include "libpool/actors/caf/error_words.hpp"
#include "libpool/actors/caf/handles.hpp"
#include "libpool/actors/caf/inner_pool.hpp"
#include "libpool/actors/caf/packing.hpp"
#include "libpool/actors/caf/port/alarm.hpp"
#include "libpool/actors/caf/port/elements.hpp"
#include "libpool/actors/caf/port/errors.hpp"
#include "libpool/actors/error.hpp"
#include "libpool/nodes/actors/node_agent.hpp"
#include "libpool/nodes/actors/task_result.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_clock.hpp>
#include <caf/actor_system.hpp>
#include <caf/message_id.hpp>
#include <caf/sec.hpp>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace libpool {

namespace {

/// Whether an error of the local pool means that the task crashed its worker.
bool is_end_of_worker(const caf::error& of_pool) noexcept {
  return of_pool == errc::worker_crashed || of_pool == errc::poisoned
         || of_pool == errc::retries_exhausted;
}

/// Whether an error of the local pool means that it has ended before the task
/// has begun.
bool never_began(const caf::error& of_pool) noexcept {
  return of_pool == errc::no_workers
         || of_pool == caf::sec::request_receiver_down;
}

/// Whether an error of the local pool means that it runs no more tasks.
bool is_end_of_pool(const caf::error& of_pool) noexcept {
  return of_pool == errc::pool_closed || never_began(of_pool);
}

/// Returns facts that have arrived; nullptr if nothing is known.
std::shared_ptr<const task_facts> facts_from(const sent_facts& sent,
                                             instant now) {
  if (sent.number == 0)
    return nullptr;
  auto result = std::make_shared<task_facts>();
  result->number = sent.number;
  result->attempt = sent.attempt;
  if (sent.left > duration{0})
    result->deadline = later(now, sent.left);
  result->id = sent.id;
  result->trace = sent.trace;
  return result;
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
      take(*sent, came, host);
  } else if (!is_of_session) { // the batch may have ended the session
    ++strays_;
  }
  carry_out(host);
}

/// Keeps the contents of tasks that have come. A task of the durable queue that
/// this node has begun for an earlier front does not begin again.
void node_agent::take(const tasks_sent& sent, const batch_to_agent& came,
                      host_ptr host) {
  held_.settled(sent.settled);
  drop_old_results();
  auto now = clock_of(home_system()).now();
  for (std::size_t i = 0; i < sent.tasks.size(); ++i) {
    auto taking = i < sent.takings.size() ? sent.takings[i] : 0;
    auto has_content = !came.read.contents[i].empty();
    if (adopt(sent.tasks[i], taking, has_content, host))
      continue;
    contents_[sent.tasks[i]] = {
      came.owner, came.read.contents[i], taking,
      i < sent.facts.size() ? facts_from(sent.facts[i], now) : nullptr};
  }
}

bool node_agent::adopt(task_number task, std::uint64_t taking, bool has_content,
                       host_ptr host) {
  const auto* held = held_.adopt(end_, task, taking, has_content, now());
  if (held == nullptr)
    return false;
  if (held->result)
    finish(task, *held->result, host);
  else
    runs_.at(held->handler).task = task;
  return true;
}

/// Drops results of the durable queue that no front has wanted for an hour.
void node_agent::drop_old_results() {
  constexpr duration longest = std::chrono::hours{1};
  held_.drop_old(longest, {ending::crashed, {}}, now());
}

introduction node_agent::introduced() const {
  auto result = how_.who;
  result.held = held_.takings(false);
  result.lost = held_.takings(true);
  return result;
}

/// Begins waiting tasks. The lease is checked before each task.
void node_agent::begin_tasks(host_ptr host) {
  while (auto next = end_.start(now()))
    begin(*next, host);
}

/// Begins a task. A message that manages pools is refused from a client:
/// another program must not manage the pool or its workers.
void node_agent::begin(task_number task, host_ptr host) {
  const auto part = std::exchange(contents_[task], {});
  contents_.erase(task);
  auto taking = part.taking;
  auto content = unpack(home_system(), part.bytes);
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
  runs_.emplace(last_request_, run{task, taking});
  if (part.facts != nullptr)
    facts_.add(last_request_, part.facts);
  if (taking != 0)
    held_.began(taking, last_request_, task);
  actor_behind(pool_).enqueue(std::move(work), host);
}

/// Has the local pool ask the handlers of the tasks to stop. A handler of a
/// distributed pool keeps its slot until it has ended.
void node_agent::ask_to_stop(std::vector<task_number> tasks, host_ptr host) {
  if (auto* local = pool_behind<inner_pool>(pool_)) {
    auto requests = requests_of(std::move(tasks));
    if (!how_.is_for_client)
      local->take_back_requests(requests, host);
    local->cancel_requests(requests, how_.is_for_client, host);
  }
}

/// Wants tasks back that wait in the local pool. Their answers are
/// `errc::not_needed`.
void node_agent::take_back(std::vector<task_number> tasks, host_ptr host) {
  auto* local = pool_behind<inner_pool>(pool_);
  if (local != nullptr && !how_.is_for_client)
    local->take_back_requests(requests_of(std::move(tasks)), host);
}

client_requests node_agent::requests_of(std::vector<task_number> tasks) const {
  std::sort(tasks.begin(), tasks.end());
  client_requests result{self_, {}};
  for (const auto& [number, each] : runs_)
    if (std::binary_search(tasks.begin(), tasks.end(), each.task))
      result.numbers.push_back(number);
  return result;
}

/// The local pool knows which handlers have begun: a task can wait there.
void node_agent::ask_begun(std::vector<task_number> tasks, host_ptr host) {
  auto* local = pool_behind<inner_pool>(pool_);
  if (local == nullptr)
    return;
  auto tell = [me = address()](const std::vector<begun_request>& requests,
                               host_ptr here) {
    if (auto self = reach(me))
      static_cast<node_agent*>(self->get())->tell_begun(requests, here);
  };
  local->ask_begun(requests_of(std::move(tasks)), tell, host);
}

void node_agent::tell_begun(const std::vector<begun_request>& requests,
                            host_ptr host) {
  auto have_begun = [this, requests](host_ptr here) {
    auto now = clock_of(home_system()).now();
    std::vector<begun_task> tasks;
    for (const auto& each : requests)
      if (auto found = runs_.find(each.number); found != runs_.end())
        tasks.push_back({found->second.task, now - each.began});
    end_.tell_begun(std::move(tasks));
    carry_out(here);
  };
  act(have_begun, host);
}

/// The local pool may run a message more than once for one attempt of the pool.
void node_agent::complete(caf::message_id request, task_facts& facts) const {
  const auto told = facts_.of(request.request_id().integer_value());
  if (told == nullptr)
    return;
  facts.number = told->number;
  facts.attempt += told->attempt - 1;
  facts.deadline = std::min(facts.deadline, told->deadline);
  if (!told->id.empty())
    facts.id = told->id;
  if (!told->trace.empty())
    facts.trace = told->trace;
}

// -- answers ------------------------------------------------------------------

void node_agent::answered(caf::mailbox_element& element, host_ptr host) {
  auto found = runs_.find(element.mid.request_id().integer_value());
  if (found == runs_.end())
    return;
  auto [task, taking] = found->second;
  facts_.remove(found->first);
  runs_.erase(found);
  auto why = error_of_pool(element);
  if (is_end_of_pool(why)) // the pool sends this node no more tasks
    leave(make_error(errc::pool_closed, "the local pool has ended"), host);
  if (never_began(why) || why == errc::not_needed) { // or was taken back
    held_.never_began(taking);
    end_.never_began(task);
    return carry_out(host);
  }
  // A task that may have begun counts as crashed: another node can retry it.
  task_end end{is_end_of_worker(why) || is_end_of_pool(why) ? ending::crashed
                                                            : ending::completed,
               bytes_of_result(home_system(), element)};
  held_.ended(taking, end.how, end, now());
  finish(task, std::move(end), host);
}

/// Returns the error of the local pool that the answer is; empty if the answer
/// is from a handler. An error from a handler is an answer, even if it has an
/// error code of libpool. So is an error of a pool that a client uses.
caf::error node_agent::error_of_pool(caf::mailbox_element& answer) const {
  auto is_of_pool = answer.sender == pool_ && !how_.is_for_client;
  return is_of_pool && content_of(answer).match_elements<caf::error>()
           ? content_of(answer).get_as<caf::error>(0)
           : caf::error{};
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
  if (!end_.finished(task, with.how, size, now(),
                     how_.is_for_client ? std::nullopt
                                        : how_.times->next_mean()))
    results_.erase(task);
  carry_out(host);
}

} // namespace libpool
