#include "libpool/actors/split_join.hpp"

#include "libpool/actors/error.hpp"
#include "libpool/actors/watch.hpp"

#include <caf/actor_addr.hpp>
#include <caf/actor_cast.hpp>
#include <caf/actor_clock.hpp>
#include <caf/actor_config.hpp>
#include <caf/actor_system.hpp>
#include <caf/exit_reason.hpp>
#include <caf/make_actor.hpp>
#include <caf/make_message.hpp>
#include <caf/monitorable_actor.hpp>
#include <caf/system_messages.hpp>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>

namespace libpool {

namespace {

/// Where the answer to a message goes.
struct return_path {
  caf::strong_actor_ptr sender;
  caf::message_id id;
  caf::mailbox_element::forwarding_stack stages;
};

/// Tells a collector that its time is up. The clock keeps the timer, the timer
/// does not keep the collector.
class timer final : public caf::monitorable_actor {
public:
  timer(caf::actor_config& cfg, caf::actor_addr collector)
    : caf::monitorable_actor(cfg), collector_(std::move(collector)) {
    // nop
  }

  using caf::monitorable_actor::enqueue;

  void enqueue(caf::mailbox_element_ptr, caf::execution_unit* host) override;

  const char* name() const override {
    return "libpool::timer";
  }

private:
  caf::actor_addr collector_;
};

/// Collects the results of one split message and answers it.
///
/// What reaches it, in whatever thread, becomes an event in a queue, and one
/// thread at a time handles events: whoever puts one in while nobody does. So
/// the state below needs no lock, `join` never runs twice at a time, and
/// nothing of the user's runs under a lock. Requests that are still out refer
/// to the collector, the collector refers to nobody: when the last of them is
/// dropped it is destroyed, and answers for those that did not.
class collector final : public watcher {
public:
  collector(caf::actor_config& cfg, std::unique_ptr<split_task> task,
            split_join_options options, return_path client)
    : watcher(cfg),
      task_(std::move(task)),
      options_(options),
      client_(std::move(client)) {
    // nop
  }

  using watcher::enqueue;

  /// Sends the tasks, none of which is empty.
  void begin(worker_tasks tasks, caf::execution_unit* host);

  /// The time is up.
  void expired(caf::execution_unit* host) {
    tell({event::expired, 0, {}, {}}, host);
  }

  void enqueue(caf::mailbox_element_ptr what,
               caf::execution_unit* host) override;

  void worker_died(worker_number number, const caf::error& reason,
                   caf::execution_unit* host) override;

  const char* name() const override {
    return "libpool::split_join";
  }

  void on_destroy() override;

private:
  struct event {
    enum kind { result, sent, acknowledged, failed, died, expired } what;
    std::size_t part;
    caf::message content;
    std::string reason;
  };

  /// One worker's part.
  struct assignment {
    caf::actor_addr worker;
    bool open = true;
    bool acknowledged = false; // answered, but with nothing
  };

  void start_timer();
  void stop_timer(caf::execution_unit* host);
  void send(std::size_t part, const caf::actor& worker, caf::message task,
            caf::execution_unit* host);
  void receive_answer(std::size_t part, caf::mailbox_element& what,
                      caf::execution_unit* host);

  void tell(event what, caf::execution_unit* host);
  void drain(caf::execution_unit* host);
  void handle(event& what, caf::execution_unit* host);
  std::size_t first_open_part_like(std::size_t part) const;
  void close(std::size_t part);
  void join(caf::message& result, caf::execution_unit* host);
  void miss(errc code, std::string why, caf::execution_unit* host);
  void expire(caf::execution_unit* host);

  void succeed(caf::execution_unit* host);
  void fail(errc code, std::string why, caf::execution_unit* host);
  void answer(caf::message content, caf::execution_unit* host);
  caf::strong_actor_ptr me() const;
  std::string names_of_missing() const;

  std::mutex events_mutex_;
  std::deque<event> events_;
  bool draining_ = true; // nobody handles events before all tasks are sent

  std::unique_ptr<split_task> task_;
  split_join_options options_;
  return_path client_;
  std::vector<assignment> parts_; // grows in `begin` only
  std::size_t open_ = 0;
  caf::actor timer_;
  bool done_ = false;
};

void timer::enqueue(caf::mailbox_element_ptr, caf::execution_unit* host) {
  if (auto ptr = caf::actor_cast<caf::strong_actor_ptr>(collector_))
    static_cast<collector*>(ptr->get())->expired(host);
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
  caf::actor_config cfg;
  auto& system = home_system();
  timer_ = caf::make_actor<timer, caf::actor>(
    system.next_actor_id(), system.node(), &system, cfg, address());
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
    tell({event::failed, part, {}, e.what()}, host);
  } catch (...) {
    tell({event::failed, part, {}, "it threw"}, host);
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
      return tell({event::sent, i, what->move_content_to_message(), {}}, host);
}

void collector::receive_answer(std::size_t part, caf::mailbox_element& what,
                               caf::execution_unit* host) {
  auto& content = what.content();
  if (content.empty())
    tell({event::acknowledged, part, {}, {}}, host);
  else if (content.match_elements<caf::error>())
    tell({event::failed,
          part,
          {},
          home_system().render(content.get_as<caf::error>(0))},
         host);
  else
    tell({event::result, part, what.move_content_to_message(), {}}, host);
}

void collector::worker_died(worker_number number, const caf::error& reason,
                            caf::execution_unit* host) {
  auto part = static_cast<std::size_t>(number);
  tell({event::died,
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
  if (what.what == event::expired)
    return expire(host);
  if (what.what == event::sent)
    what.part = first_open_part_like(what.part);
  auto& part = parts_[what.part];
  if (!part.open)
    return;
  if (what.what == event::acknowledged) {
    part.acknowledged = true; // and may still send a result
    return;
  }
  auto name = to_string(part.worker);
  close(what.part);
  if (what.what == event::result || what.what == event::sent)
    join(what.content, host);
  else if (what.what == event::failed)
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
  auto [receiver, id, stages] = std::exchange(client_, return_path{});
  if (!stages.empty()) {
    auto next = std::move(stages.back());
    stages.pop_back();
    next->enqueue(caf::make_mailbox_element(std::move(receiver), id,
                                            std::move(stages),
                                            std::move(content)),
                  host);
  } else if (receiver != nullptr) {
    receiver->enqueue(
      caf::make_mailbox_element(me(), id.response_id(), {}, std::move(content)),
      host);
  }
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

// -- the policy ---------------------------------------------------------------

/// Who gets what: only workers that exist and have something to do.
worker_tasks split(split_task& task, const actor_vec& workers,
                   caf::message& what) {
  worker_tasks tasks;
  tasks.reserve(workers.size());
  for (auto& worker : workers)
    tasks.emplace_back(worker, caf::message{});
  task.split(tasks, what);
  auto is_idle = [](const auto& each) {
    return each.second.empty() || !each.first;
  };
  tasks.erase(std::remove_if(tasks.begin(), tasks.end(), is_idle), tasks.end());
  return tasks;
}

class split_join final : public direct_policy {
public:
  split_join(std::unique_ptr<split_task> task, split_join_options options)
    : task_(std::move(task)), options_(options) {
    // nop
  }

  std::unique_ptr<direct_policy> clone() const override {
    return std::make_unique<split_join>(task_->clone(), options_);
  }

  void dispatch(turns&, const actor_vec& workers,
                caf::mailbox_element_ptr& what,
                caf::execution_unit* host) override {
    auto task = task_->clone();
    auto content = what->move_content_to_message();
    worker_tasks tasks;
    try {
      tasks = split(*task, workers, content);
    } catch (...) { // the pool refuses the message, with its content
      what = caf::make_mailbox_element(what->sender, what->mid, what->stages,
                                       std::move(content));
      throw;
    }
    auto& system = workers.front()->home_system();
    caf::actor_config cfg{host};
    auto handle = caf::make_actor<collector, caf::actor>(
      system.next_actor_id(), system.node(), &system, cfg, std::move(task),
      options_, return_path{what->sender, what->mid, what->stages});
    auto* self = caf::actor_cast<caf::abstract_actor*>(handle);
    static_cast<collector*>(self)->begin(std::move(tasks), host);
  }

private:
  std::unique_ptr<split_task> task_;
  split_join_options options_;
};

} // namespace

std::unique_ptr<direct_policy> make_split_join(std::unique_ptr<split_task> task,
                                               split_join_options options) {
  if (options.timeout && *options.timeout <= std::chrono::nanoseconds{0})
    throw std::invalid_argument("libpool: split_join: timeout must be more "
                                "than 0");
  return std::make_unique<split_join>(std::move(task), options);
}

} // namespace libpool
