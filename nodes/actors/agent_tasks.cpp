/// How the agent of a node runs tasks.

#include "libpool/actors/caf/error_words.hpp"
#include "libpool/actors/caf/handles.hpp"
#include "libpool/actors/caf/inner_pool.hpp"
#include "libpool/actors/caf/packing.hpp"
#include "libpool/actors/caf/port/alarm.hpp"
#include "libpool/actors/caf/port/elements.hpp"
#include "libpool/actors/caf/port/errors.hpp"
#include "libpool/actors/error.hpp"
#include "libpool/actors/this_task.hpp"
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

/// Whether a pool that gives messages up for this reason runs no more of them.
bool is_end_of_pool(errc why) noexcept {
  return why == errc::pool_closed || why == errc::no_workers;
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
    runs_.at(held->handler).number_outside = task;
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
  while (auto next = is_full_ ? std::nullopt : end_.start(now()))
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
  auto& run = runs_[last_request_];
  run.number = last_request_;
  run.number_outside = task;
  run.taking = taking;
  if (taking != 0)
    held_.began(taking, last_request_, task);
  if (!how_.is_for_client)
    return submit(run, std::move(work), part.facts, host);
  run.ends = ending::completed;
  actor_behind(pool_).enqueue(std::move(work), host);
}

/// Sends the message to the local pool of the node.
void node_agent::submit(local_task& run, caf::mailbox_element_ptr work,
                        std::shared_ptr<const task_facts> facts,
                        host_ptr host) {
  run.sent = std::make_shared<passage>();
  run.sent->owner = address();
  run.sent->way = return_path_of(*work);
  run.sent->content = copy_content(*work);
  run.sent->task = &run;
  run.sent->facts = std::move(facts);
  run.carrier = &carriers_.take([this] {
    return std::make_unique<tracked_element>(*this, nullptr, false);
  });
  ++carriers_out_;
  run.carrier->load(run, std::move(work), *trackable(actor_behind(pool_)),
                    false);
  run.carrier->announce(run.sent);
  run.carrier->send(host);
}

/// Returns those of the tasks that the local pool has.
std::vector<node_agent::local_task*>
node_agent::runs_of(std::vector<task_number> tasks) {
  std::sort(tasks.begin(), tasks.end());
  std::vector<local_task*> result;
  for (auto& [number, each] : runs_)
    if ((how_.is_for_client || each.carrier != nullptr)
        && std::binary_search(tasks.begin(), tasks.end(), each.number_outside))
      result.push_back(&each);
  return result;
}

/// Has the local pool ask the handlers of the tasks to stop. A handler of a
/// distributed pool keeps its slot until it has ended.
void node_agent::stop(const std::vector<local_task*>& runs, host_ptr host) {
  if (!how_.is_for_client)
    return take_back(runs, true, host);
  client_requests requests{self_, {}};
  for (const auto* each : runs)
    requests.numbers.push_back(each->number);
  if (auto* local = pool_behind<inner_pool>(pool_))
    local->cancel_requests(requests, host);
}

/// Takes the messages back that no handler has begun. If `stops`, has the
/// handlers of the others asked to stop.
void node_agent::take_back(const std::vector<local_task*>& runs, bool stops,
                           host_ptr host) {
  if (how_.is_for_client)
    return;
  inner_messages needless;
  for (auto* each : runs) {
    auto is_back = each->carrier->recall()
                   == element_record::recall_result::done;
    if (is_back || stops)
      needless.announced.push_back(each->sent);
    if (is_back)
      never_began(*each);
  }
  pool_behind<inner_pool>(pool_)->cancel_messages(needless, false, host);
  carry_out(host);
}

void node_agent::ask_begun(const std::vector<local_task*>& runs,
                           host_ptr host) {
  for (const auto* each : runs)
    if (each->carrier != nullptr)
      pool_behind<inner_pool>(pool_)->tells_begin(*each->carrier, host);
}

// -- facts of the local pool --------------------------------------------------

void node_agent::began_inside(const std::shared_ptr<passage>& sent,
                              instant began, host_ptr host) {
  auto note_begin = [this, sent, began](host_ptr) {
    if (const auto* begun = static_cast<local_task*>(sent->task))
      begun_.push_back(
        {begun->number_outside, clock_of(home_system()).now() - began});
  };
  act(note_begin, host);
}

void node_agent::settled_inside(const std::shared_ptr<passage>& sent, errc why,
                                host_ptr host) {
  auto await_answer = [this, sent, why](host_ptr here) {
    auto* settled = static_cast<local_task*>(sent->task);
    if (settled == nullptr)
      return;
    settled->ends = is_end_of_pool(why) ? ending::crashed : ending::completed;
    leave_if_ended(why, here);
  };
  act(await_answer, host);
}

void node_agent::worker_has_room(worker_number, const room_report&,
                                 host_ptr host) {
  act([this](host_ptr) { is_full_ = false; }, host);
}

void node_agent::ended(tracked_element& carrier, host_ptr host) noexcept {
  const auto me = reach(address()); // which the call may let go of
  tell([this, &carrier](host_ptr here) { came_back(carrier, here); }, host);
}

/// The local pool has answered before, if the message is not given back.
void node_agent::came_back(tracked_element& carrier, host_ptr host) {
  auto* of_task = static_cast<local_task*>(carrier.task());
  if (of_task != nullptr && !has_ended_)
    conclude(*of_task, carrier, host);
  carrier.unload();
  carriers_.give_back(carrier);
  --carriers_out_;
  let_go();
}

/// A task that the local pool has begun and not ended counts as crashed:
/// another node can retry it.
void node_agent::conclude(local_task& run, const tracked_element& carrier,
                          host_ptr host) {
  const auto& inside = carrier.inside();
  auto why = inside ? inside->why : errc{};
  if (carrier.used() != element_record::use::handled) {
    is_full_ = why == errc::queue_full || why == errc::flow_full;
    leave_if_ended(is_full_ ? errc{} : errc::pool_closed, host);
    never_began(run);
    return carry_out(host);
  }
  leave_if_ended(why, host);
  run.sent->task = nullptr;
  auto has_crashed = is_end_of_pool(why)
                     || (inside && inside->how == outcome::failed);
  auto task = runs_.extract(run.number);
  if (run.carrier != nullptr)
    settle(run, has_crashed ? ending::crashed : ending::completed, host,
           run.sent->took);
}

void node_agent::never_began(local_task& run) {
  run.sent->task = nullptr;
  held_.never_began(run.taking);
  end_.never_began(run.number_outside);
  runs_.erase(run.number);
}

void node_agent::leave_if_ended(errc why, host_ptr host) {
  if (is_end_of_pool(why)) // the pool sends this node no more tasks
    leave(make_error(errc::pool_closed, "the local pool has ended"), host);
}

// -- answers ------------------------------------------------------------------

void node_agent::answered(caf::mailbox_element& element, host_ptr host) {
  auto found = runs_.find(element.mid.request_id().integer_value());
  if (found == runs_.end())
    return;
  auto& run = found->second;
  run.answer = bytes_of_result(home_system(), element);
  if (!run.ends)
    return; // its element tells how the task ends
  if (!how_.is_for_client)
    return settle(run, *std::exchange(run.ends, std::nullopt), host);
  auto task = runs_.extract(found);
  settle(run, *run.ends, host);
}

void node_agent::settle(local_task& run, ending how, host_ptr host,
                        std::optional<duration> took) {
  task_end end{how, std::move(run.answer)};
  run.carrier = nullptr;
  held_.ended(run.taking, how, end, now());
  finish(run.number_outside, std::move(end), host, took);
}

void node_agent::finish(task_number task, task_end with, host_ptr host,
                        std::optional<duration> took) {
  ++done_;
  auto most = line_ != nullptr ? line_->most_bytes() : 0;
  if (with.bytes.size() + room_for_batch > most && most > 0)
    with.bytes = bytes_of_error(
      home_system(),
      make_error(errc::too_large,
                 too_large_text(with.bytes.size(), most - room_for_batch)));
  auto size = with.bytes.size();
  results_[task] = std::move(with.bytes);
  if (!end_.finished(task, with.how, size, now(), took))
    results_.erase(task);
  carry_out(host);
}

} // namespace libpool
