#include "libpool/nodes/protocol/agent_connection.hpp"

#include "libpool/nodes/protocol/travelling.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <variant>

namespace libpool {

namespace {

constexpr auto weight_of_latest = 0.05;

/// Whether a window is still right that was demanded before: it is less than a
/// quarter too small, and not twice as large as needed. A window that is too
/// large for a while costs less than demands that go up and down.
bool is_close(std::size_t needed, std::size_t demanded) noexcept {
  return needed == demanded
         || (4 * needed < 5 * demanded && 2 * needed > demanded);
}

/// Whether neither of the times is twice as long as the other one. Measured
/// times of tiny tasks vary, and a demand costs more than such a task.
bool is_close(duration x, duration y) noexcept {
  return x == y || (x < 2 * y && y < 2 * x);
}

} // namespace

agent_connection::agent_connection(incarnation who,
                                   const node_offer& offer) noexcept
  : how_(offer),
    link_(who, offer.turn),
    credit_(offer.credit),
    receipts_(offer.credit),
    service_(weight_of_latest) {
  // nop
}

// -- facts --------------------------------------------------------------------

void agent_connection::came_up(instant now) {
  link_.came_up(now);
  collect_link();
}

bool agent_connection::told(const batch_to_node& batch, std::size_t bytes,
                            instant now) {
  if (const auto* back = std::get_if<beat>(&batch.content)) {
    measure(*back, now);
    link_.told(*back, now);
  } else if (const auto* in = std::get_if<welcome>(&batch.content)) {
    link_.told(*in, now);
  } else if (session_ != batch.session) {
    return false;
  } else if (const auto* over = std::get_if<gone>(&batch.content)) {
    link_.told(*over, now);
  } else if (std::holds_alternative<bye>(batch.content)) {
    is_dismissed_ = true;
    link_.give_up();
  } else if (const auto* sent = std::get_if<tasks_sent>(&batch.content)) {
    bytes_.add(sent->tasks.size(), bytes);
    take(*sent);
  } else if (const auto* asked = std::get_if<ask_back>(&batch.content)) {
    take(*asked);
  } else if (const auto* got = std::get_if<receipt>(&batch.content)) {
    take(*got, now);
  } else if (const auto* those = std::get_if<take_back_tasks>(&batch.content)) {
    take(*those);
  } else if (const auto* ended = std::get_if<cancel_tasks>(&batch.content)) {
    take(*ended);
  } else if (const auto* tells = std::get_if<ask_begun>(&batch.content)) {
    take(*tells);
  }
  collect_link();
  if (auto total = session_ ? receipts_.received(bytes) : std::nullopt)
    send(*session_, receipt{*total});
  return session_ == batch.session;
}

void agent_connection::ticked(instant now) {
  link_.ticked(now);
  collect_link();
}

bool agent_connection::finished(task_number task, ending ending,
                                std::size_t bytes, instant now,
                                std::optional<duration> took) {
  auto found = began_.find(task);
  if (found == began_.end())
    return false;
  auto [began, is_told] = found->second;
  began_.erase(found);
  if (ending == ending::completed)
    service_.add(took.value_or(now - began));
  if (is_told) {
    --running_;
    unsent_ += bytes;
    results_.push_back({task_done{task, ending}, bytes});
    ship_if_due(now);
    if (!has_to_flush_ && !results_.empty()) {
      has_to_flush_ = true;
      waits_since_ = now;
    }
  }
  leave_if_done();
  if (!is_told && session_)
    state_demand(); // one more slot is free
  return is_told;
}

bool agent_connection::adopt(task_number task, std::optional<task_number> older,
                             instant now) {
  auto found = std::find(queue_.begin(), queue_.end(), task);
  auto before = older ? began_.find(*older) : began_.end();
  if (found == queue_.end()
      || (before != began_.end() && before->second.is_of_session))
    return false;
  queue_.erase(found);
  if (before != began_.end())
    began_.erase(before);
  began_[task] = run{now, true};
  ++running_;
  return true;
}

void agent_connection::unreadable(task_number task, std::string why) {
  return_unbegun(task, unread{task, std::move(why)});
}

void agent_connection::never_began(task_number task) {
  return_unbegun(task, given_back{false, {task}});
  if (session_)
    state_demand(); // one more slot may be free
}

/// Gives back a task that `start` has returned.
template <class Content>
void agent_connection::return_unbegun(task_number task, Content told) {
  auto found = began_.find(task);
  if (found == began_.end())
    return;
  if (found->second.is_of_session) {
    --running_;
    send(*session_, std::move(told));
  }
  began_.erase(found);
  leave_if_done();
}

void agent_connection::tell_begun(std::vector<begun_task> tasks) {
  auto is_other = [this](const auto& each) { return !has_begun(each.task); };
  auto others = std::remove_if(tasks.begin(), tasks.end(), is_other);
  tasks.erase(others, tasks.end());
  if (!tasks.empty())
    send(*session_, begun{std::move(tasks)});
}

void agent_connection::leave() {
  is_leaving_ = true;
  give_back_waiting();
  state_demand();
  leave_if_done();
}

/// Notes the round-trip time of a beat. Beats can wait behind contents, so only
/// the shortest round trip is the one of the link itself.
void agent_connection::measure(const beat& back, instant now) {
  if (session_ != back.session)
    return;
  auto took = std::max(now - back.sent, duration{0});
  round_trip_ = round_trip_ ? std::min(*round_trip_, took) : took;
}

// -- batches ------------------------------------------------------------------

void agent_connection::take(const tasks_sent& sent) {
  queue_.insert(queue_.end(), sent.tasks.begin(), sent.tasks.end());
  supply_ = running_ + queue_.size() + results_.size();
  if (is_leaving_)
    give_back_waiting();
}

/// Gives back the last tasks of the queue, which would wait longest.
void agent_connection::take(const ask_back& request) {
  auto count = std::min(request.max, queue_.size());
  auto first = queue_.end() - static_cast<std::ptrdiff_t>(count);
  std::vector<task_number> given{first, queue_.end()};
  queue_.erase(first, queue_.end());
  give_back(std::move(given), true);
}

void agent_connection::take(const receipt& confirmed, instant now) {
  credit_.confirmed(confirmed.bytes);
  ship(now);
  leave_if_done();
}

void agent_connection::take(const take_back_tasks& taken_back) {
  give_back_waiting_of(taken_back.tasks);
  for (auto each : taken_back.tasks)
    if (has_begun(each))
      wanted_back_.push_back(each);
}

void agent_connection::take(const cancel_tasks& cancelled) {
  give_back_waiting_of(cancelled.tasks);
  for (auto each : cancelled.tasks)
    if (has_begun(each))
      stopping_.push_back(each);
}

void agent_connection::take(const ask_begun& asked) {
  for (auto each : asked.tasks)
    if (has_begun(each))
      asked_begun_.push_back(each);
}

/// Gives back those of the tasks that have not begun.
void agent_connection::give_back_waiting_of(std::vector<task_number> tasks) {
  std::sort(tasks.begin(), tasks.end());
  std::vector<task_number> given;
  std::deque<task_number> kept;
  for (auto each : queue_)
    if (std::binary_search(tasks.begin(), tasks.end(), each))
      given.push_back(each);
    else
      kept.push_back(each);
  queue_ = std::move(kept);
  if (!given.empty())
    give_back(std::move(given), false);
}

void agent_connection::give_back(std::vector<task_number> tasks,
                                 bool was_asked) {
  forgotten_.insert(forgotten_.end(), tasks.begin(), tasks.end());
  send(*session_, given_back{was_asked, std::move(tasks)});
}

void agent_connection::give_back_waiting() {
  if (!queue_.empty())
    give_back({queue_.begin(), queue_.end()}, false);
  queue_.clear();
}

// -- sessions -----------------------------------------------------------------

void agent_connection::collect_link() {
  if (link_.session() != session_)
    session_changed();
  if (!session_)
    leave_if_done();
  send_link_messages();
  if (session_ && told_.window == 0)
    state_demand();
}

void agent_connection::send_link_messages() {
  for (const auto& each : std::exchange(link_.messages(), {}))
    std::visit(
      [&](const auto& message) {
        send(session_.value_or(worker_number{}), message);
      },
      each);
}

/// Drops the tasks and results of the older session.
void agent_connection::session_changed() {
  session_ = link_.session();
  forgotten_.insert(forgotten_.end(), queue_.begin(), queue_.end());
  queue_.clear();
  for (auto& each : began_)
    each.second.is_of_session = false;
  stopping_.clear();
  wanted_back_.clear();
  asked_begun_.clear();
  running_ = 0;
  results_.clear();
  unsent_ = supply_ = 0;
  credit_ = byte_credit{how_.credit};
  receipts_ = byte_receipts{how_.credit};
  told_ = {};
  round_trip_.reset();
  bytes_ = {};
  has_to_flush_ = false;
}

void agent_connection::leave_if_done() {
  if (!is_leaving_)
    return;
  if (!session_) {
    has_left_ = true;
    link_.give_up(); // a welcome would come too late
    link_.messages().clear();
  } else if (!says_bye_ && running_ == 0 && results_.empty()) {
    says_bye_ = true;
    link_.leave();
    send_link_messages();
  }
}

// -- results ------------------------------------------------------------------

/// Sends the results if they fill a message batch, if the node has a free slot,
/// or if the pool should send the next tasks when it knows them.
void agent_connection::ship_if_due(instant now) {
  auto left = running_ + queue_.size();
  auto low = std::min(supply_ / 2, how_.portion);
  auto is_free = left < std::min(told_.slots, how_.portion);
  auto is_low = left < low && left + results_.size() >= low;
  if (results_.size() >= how_.portion || unsent_ >= bytes_of_full_batch
      || (!is_leaving_ && (is_free || is_low))
      || (running_ == 0 && (queue_.empty() || has_to_wait_for_credit())))
    ship(now);
}

void agent_connection::ship(instant now) {
  has_to_flush_ = false;
  while (!results_.empty() && credit_.allows(results_.front().bytes)) {
    tasks_done portion;
    std::size_t bytes = 0;
    while (!results_.empty() && portion.ends.size() < how_.portion
           && fits(bytes, results_.front().bytes)
           && credit_.allows(results_.front().bytes)) {
      bytes += results_.front().bytes;
      unsent_ -= results_.front().bytes;
      credit_.sent(results_.front().bytes);
      portion.ends.push_back(results_.front().end);
      results_.pop_front();
    }
    send(*session_, std::move(portion));
    shipped_ = now;
  }
  state_demand();
}

instant agent_connection::flush_at() const noexcept {
  if (!has_to_flush_)
    return never;
  return is_leaving_ ? waits_since_
                     : std::max(waits_since_, later(shipped_, longest_wait));
}

void agent_connection::flush(instant now) {
  ship(now);
  leave_if_done();
}

// -- how much the node wants --------------------------------------------------

/// Returns the number of tasks that the node wants: one for each free slot, and
/// the tasks that run while a result waits, travels to the pool, and a new task
/// travels back. If contents are small, it is at least the tasks of
/// `work_ahead` beyond the slots, at most two full message batches.
std::size_t agent_connection::window() const noexcept {
  if (is_leaving_)
    return 0;
  auto slots = free_slots();
  if (service_.empty() || slots == 0)
    return 2 * slots;
  auto away = round_trip_.value_or(duration{0});
  auto rounds = (away + service() - duration{1}) / service();
  auto tasks = slots * (1 + static_cast<std::size_t>(rounds));
  auto ahead = slots * (1 + static_cast<std::size_t>(work_ahead / service()));
  return bytes_.value() <= most_bytes_ahead
           ? std::max(tasks, std::min(ahead, 2 * how_.portion))
           : tasks;
}

/// Returns the number of slots in which no handler of an older session runs.
std::size_t agent_connection::free_slots() const noexcept {
  return how_.slots - std::min(how_.slots, began_.size() - running_);
}

/// Sends the demand to the pool, unless the last demand was almost the same.
void agent_connection::state_demand() {
  demand now{window(), free_slots(), service(),
             round_trip_.value_or(duration{0})};
  if (!session_
      || (now.slots == told_.slots && is_close(now.window, told_.window)
          && (is_leaving_ || is_close(now.service, told_.service))))
    return;
  told_ = now;
  send(*session_, now);
}

// -- questions ----------------------------------------------------------------

/// Whether the results that were not sent are as large as the credit: the pool
/// does not take them at present, and further ones would need more memory.
bool agent_connection::has_to_wait_for_credit() const noexcept {
  return unsent_ >= how_.credit;
}

std::optional<task_number> agent_connection::start(instant now) {
  if (queue_.empty() || began_.size() >= how_.slots || has_to_wait_for_credit()
      || !link_.may_begin(now) || began_.count(queue_.front()) > 0)
    return std::nullopt;
  auto next = queue_.front();
  queue_.pop_front();
  began_.emplace(next, run{now, true});
  ++running_;
  return next;
}

} // namespace libpool
