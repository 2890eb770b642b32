#include "libpool/actors/collector.hpp"

#include "libpool/actors/timer.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_clock.hpp>
#include <caf/actor_system.hpp>
#include <caf/exit_reason.hpp>
#include <caf/make_message.hpp>
#include <caf/system_messages.hpp>

#include <exception>
#include <utility>

namespace libpool {

collector::collector(caf::actor_config& cfg, std::unique_ptr<split_task> task,
                     split_join_options options, return_path client)
  : watcher(cfg),
    task_(std::move(task)),
    options_(options),
    client_(std::move(client)) {
  // nop
}

// -- sending ------------------------------------------------------------------

void collector::begin(worker_tasks tasks, caf::execution_unit* host) {
  for (auto& task : tasks)
    parts_.push_back({task.first->address()});
  open_ = parts_.size();
  if (open_ == 0)
    succeed(host);
  else
    start_timer();
  for (std::size_t i = 0; i < tasks.size(); ++i)
    send(i, tasks[i].first, std::move(tasks[i].second), host);
  drain(host);
}

void collector::start_timer() {
  if (!options_.timeout)
    return;
  auto& clock = home_system().clock();
  auto now = clock.now();
  if (*options_.timeout > caf::actor_clock::time_point::max() - now)
    return; // for ever
  timer_ = make_timer(*this);
  clock.set_request_timeout(now + *options_.timeout,
                            caf::actor_cast<caf::abstract_actor*>(timer_),
                            caf::make_message_id(1).response_id());
}

/// Takes the timer off the clock. Not in a thread that may be the clock's own:
/// clocks for tests do not bear that. The timer costs little until it is due.
void collector::stop_timer(caf::execution_unit* host) {
  if (timer_ && host != nullptr)
    home_system().clock().cancel_timeouts(
      caf::actor_cast<caf::abstract_actor*>(timer_));
  timer_ = nullptr;
}

void collector::send(std::size_t part, const caf::actor& worker,
                     caf::message task, caf::execution_unit* host) {
  auto& receiver = *caf::actor_cast<caf::abstract_actor*>(worker);
  auto id = caf::make_message_id(part + 1);
  if (client_.id.is_urgent_message())
    id = id.with_high_priority();
  try {
    watch(receiver, *this, worker_number{part});
    receiver.enqueue(caf::make_mailbox_element(ctrl(), id, {}, std::move(task)),
                     host);
  } catch (const std::exception& e) {
    tell({event::kind::failed, part, {}, e.what()}, host);
  } catch (...) {
    tell({event::kind::failed, part, {}, "it threw"}, host);
  }
}

// -- what comes back ----------------------------------------------------------

void collector::enqueue(caf::mailbox_element_ptr what,
                        caf::execution_unit* host) {
  if (what->mid.is_response()) {
    auto part = what->mid.request_id().integer_value() - 1;
    if (part < parts_.size())
      receive_answer(part, *what, host);
    return;
  }
  auto& content = what->content();
  if (content.match_elements<caf::exit_msg>()
      || content.match_elements<caf::down_msg>())
    return;
  // Not an answer, but as with CAF a worker may send its result instead.
  for (std::size_t i = 0; i < parts_.size(); ++i)
    if (what->sender == parts_[i].worker)
      return tell({event::kind::sent, i, what->move_content_to_message(), {}},
                  host);
}

void collector::receive_answer(std::size_t part, caf::mailbox_element& what,
                               caf::execution_unit* host) {
  auto& content = what.content();
  if (content.empty())
    tell({event::kind::acknowledged, part, {}, {}}, host);
  else if (content.match_elements<caf::error>())
    tell({event::kind::failed,
          part,
          {},
          home_system().render(content.get_as<caf::error>(0))},
         host);
  else
    tell({event::kind::result, part, what.move_content_to_message(), {}}, host);
}

void collector::worker_died(worker_number number, const caf::error& reason,
                            caf::execution_unit* host) {
  auto part = static_cast<std::size_t>(number);
  tell({event::kind::died,
        part,
        {},
        reason ? home_system().render(reason) : std::string{"normal exit"}},
       host);
}

/// Nobody is left who could answer, or send what it has not answered.
void collector::on_destroy() {
  if (open_ > 0 && !done_) {
    auto missing = names_of_missing();
    if (missing.empty() || options_.join_what_came)
      succeed(nullptr);
    else
      fail(errc::worker_failed, missing + " dropped the request", nullptr);
  }
  cleanup(caf::exit_reason::unreachable, nullptr);
  watcher::on_destroy();
}

// -- joining ------------------------------------------------------------------

void collector::tell(event what, caf::execution_unit* host) {
  {
    std::lock_guard<std::mutex> guard{events_mutex_};
    events_.push_back(std::move(what));
    if (draining_)
      return;
    draining_ = true;
  }
  drain(host);
}

/// Handles all events. Only one thread at a time does.
void collector::drain(caf::execution_unit* host) {
  for (;;) {
    event next{};
    {
      std::lock_guard<std::mutex> guard{events_mutex_};
      if (events_.empty()) {
        draining_ = false;
        return;
      }
      next = std::move(events_.front());
      events_.pop_front();
    }
    if (!done_)
      handle(next, host);
  }
}

void collector::handle(event& what, caf::execution_unit* host) {
  if (what.what == event::kind::expired)
    return expire(host);
  if (what.what == event::kind::sent)
    what.part = first_open_part_like(what.part);
  auto& part = parts_[what.part];
  if (!part.open)
    return;
  if (what.what == event::kind::acknowledged) {
    part.acknowledged = true; // and may still send a result
    return;
  }
  auto name = to_string(part.worker);
  close(what.part);
  if (what.what == event::kind::result || what.what == event::kind::sent)
    join(what.content, host);
  else if (what.what == event::kind::failed)
    miss(errc::worker_failed, name + " failed: " + what.reason, host);
  else if (!part.acknowledged)
    miss(errc::worker_crashed, name + " died: " + what.reason, host);
  else if (open_ == 0)
    succeed(host);
}

/// The first open part of the worker that has `part`, or `part` itself.
std::size_t collector::first_open_part_like(std::size_t part) const {
  for (auto i = part; i < parts_.size(); ++i)
    if (parts_[i].open && parts_[i].worker == parts_[part].worker)
      return i;
  return part;
}

void collector::close(std::size_t part) {
  parts_[part].open = false;
  --open_;
  if (auto worker = caf::actor_cast<caf::strong_actor_ptr>(parts_[part].worker))
    unwatch(*worker->get(), *this, worker_number{part});
}

void collector::join(caf::message& result, caf::execution_unit* host) {
  try {
    task_->join(result);
  } catch (const std::exception& e) {
    return fail(errc::policy_failed, std::string{"join: "} + e.what(), host);
  } catch (...) {
    return fail(errc::policy_failed, "join failed", host);
  }
  if (open_ == 0)
    succeed(host);
}

/// A result will not come.
void collector::miss(errc code, std::string why, caf::execution_unit* host) {
  if (!options_.join_what_came)
    fail(code, std::move(why), host);
  else if (open_ == 0)
    succeed(host);
}

void collector::expire(caf::execution_unit* host) {
  auto missing = names_of_missing();
  if (options_.join_what_came || missing.empty())
    succeed(host);
  else
    fail(errc::timeout, missing + " did not answer in time", host);
}

// -- answering ----------------------------------------------------------------

void collector::succeed(caf::execution_unit* host) {
  caf::message content;
  try {
    content = task_->joined();
  } catch (const std::exception& e) {
    return fail(errc::policy_failed, e.what(), host);
  } catch (...) {
    return fail(errc::policy_failed, "the result cannot be copied", host);
  }
  answer(std::move(content), host);
}

void collector::fail(errc code, std::string why, caf::execution_unit* host) {
  if (!client_.id.is_request())
    client_ = {}; // nobody has asked, and CAF's actors die of stray errors
  answer(caf::make_message(make_error(code, std::move(why))), host);
}

void collector::answer(caf::message content, caf::execution_unit* host) {
  done_ = true;
  for (std::size_t i = 0; i < parts_.size(); ++i)
    if (parts_[i].open)
      close(i);
  stop_timer(host);
  libpool::answer(std::exchange(client_, return_path{}), me(),
                  std::move(content), host);
  cleanup(caf::exit_reason::normal, host);
}

/// A reference to the collector, or none while it is destroyed.
caf::strong_actor_ptr collector::me() const {
  return caf::actor_cast<caf::strong_actor_ptr>(address());
}

/// Who has not answered at all.
std::string collector::names_of_missing() const {
  std::string result;
  for (auto& part : parts_)
    if (part.open && !part.acknowledged)
      result += (result.empty() ? "" : ", ") + to_string(part.worker);
  return result;
}

} // namespace libpool
