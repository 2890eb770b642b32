#include "libpool/actors/split_join.hpp"

#include "libpool/actors/error.hpp"
#include "libpool/actors/watch.hpp"

#include <caf/actor_addr.hpp>
#include <caf/actor_cast.hpp>
#include <caf/actor_clock.hpp>
#include <caf/actor_config.hpp>
#include <caf/actor_system.hpp>
#include <caf/make_actor.hpp>
#include <caf/make_message.hpp>

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

/// Collects the results of one split message and answers it.
///
/// What reaches it, in whatever thread, becomes an event in a queue, and one
/// thread at a time handles events: whoever puts one in while nobody does. So
/// the state below needs no lock, `join` never runs twice at a time, and
/// nothing of the user's runs under a lock. Requests that are still out refer
/// to the collector, the collector refers to nobody: when the last of them is
/// dropped unanswered it is destroyed, and says so to the client.
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

  /// Splits `content` among `workers` and sends the tasks.
  void begin(const actor_vec& workers, caf::message content,
             caf::execution_unit* host);

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
    enum kind { answered, failed, died, timed_out } what = answered;
    std::size_t part = 0;
    caf::message result;
    std::string reason;
  };

  /// One worker's part.
  struct assignment {
    caf::actor_addr worker;
    bool open = true;
  };

  static caf::message_id request_id(std::size_t part) {
    return caf::make_message_id(part + 1);
  }

  void start_timer();
  void send(std::size_t part, const caf::actor& worker, caf::message task,
            caf::execution_unit* host);

  void tell(event what, caf::execution_unit* host);
  void drain(caf::execution_unit* host);
  void handle(event& what, caf::execution_unit* host);
  void close(std::size_t part);
  void join(caf::message& result, caf::execution_unit* host);
  void miss(errc code, std::string why, caf::execution_unit* host);
  void expire(caf::execution_unit* host);
  void answer(caf::message content, caf::execution_unit* host);
  void answer(errc code, std::string why, caf::execution_unit* host);
  caf::strong_actor_ptr me() const;
  std::string names_of_open() const;

  std::mutex events_mutex_;
  std::deque<event> events_;
  bool draining_ = true; // nobody handles events before all tasks are sent

  std::unique_ptr<split_task> task_;
  split_join_options options_;
  return_path client_;
  std::vector<assignment> parts_; // grows in `begin` only
  std::size_t open_ = 0;
  bool timer_runs_ = false;
  bool done_ = false;
};

// -- splitting ----------------------------------------------------------------

void collector::begin(const actor_vec& workers, caf::message content,
                      caf::execution_unit* host) {
  worker_tasks tasks;
  tasks.reserve(workers.size());
  for (auto& worker : workers)
    tasks.emplace_back(worker, caf::message{});
  task_->split(tasks, content);
  auto is_empty = [](const auto& task) { return task.second.empty(); };
  tasks.erase(std::remove_if(tasks.begin(), tasks.end(), is_empty),
              tasks.end());
  for (auto& task : tasks)
    parts_.push_back({task.first->address()});
  open_ = parts_.size();
  start_timer();
  for (std::size_t i = 0; i < tasks.size(); ++i)
    send(i, tasks[i].first, std::move(tasks[i].second), host);
  if (open_ == 0)
    answer(task_->joined(), host);
  drain(host);
}

/// The time-out is a request that nobody answers, numbered after the others.
void collector::start_timer() {
  if (open_ == 0 || !options_.timeout)
    return;
  auto& clock = home_system().clock();
  clock.set_request_timeout(clock.now() + *options_.timeout, this,
                            request_id(open_).response_id());
  timer_runs_ = true;
}

void collector::send(std::size_t part, const caf::actor& worker,
                     caf::message task, caf::execution_unit* host) {
  auto& receiver = *caf::actor_cast<caf::abstract_actor*>(worker);
  watch(receiver, *this, worker_number{part});
  auto id = request_id(part);
  if (client_.id.is_urgent_message())
    id = id.with_high_priority();
  receiver.enqueue(caf::make_mailbox_element(ctrl(), id, {}, std::move(task)),
                   host);
}

// -- what comes back ----------------------------------------------------------

void collector::enqueue(caf::mailbox_element_ptr what,
                        caf::execution_unit* host) {
  if (!what->mid.is_response()) {
    // Not an answer, but as with CAF a worker may send its result instead.
    for (std::size_t i = 0; i < parts_.size(); ++i)
      if (what->sender == parts_[i].worker)
        return tell({event::answered, i, what->move_content_to_message(), {}},
                    host);
    return;
  }
  auto part = what->mid.request_id().integer_value() - 1;
  if (part == parts_.size())
    return tell({event::timed_out, part, {}, {}}, host);
  if (part > parts_.size())
    return;
  auto& content = what->content();
  if (content.match_elements<caf::error>()) {
    auto& reason = content.get_as<caf::error>(0);
    return tell({event::failed, part, {}, home_system().render(reason)}, host);
  }
  tell({event::answered, part, what->move_content_to_message(), {}}, host);
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

void collector::on_destroy() {
  // Nobody is left who could answer.
  if (open_ > 0 && !done_)
    answer(errc::worker_failed, names_of_open() + " dropped the request",
           nullptr);
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
    event next;
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
  if (what.what == event::timed_out)
    return expire(host);
  auto& part = parts_[what.part];
  if (!part.open)
    return;
  close(what.part);
  switch (what.what) {
    case event::failed:
      return miss(errc::worker_failed,
                  to_string(part.worker) + " failed: " + what.reason, host);
    case event::died:
      return miss(errc::worker_crashed,
                  to_string(part.worker) + " died: " + what.reason, host);
    default:
      return join(what.result, host);
  }
}

void collector::join(caf::message& result, caf::execution_unit* host) {
  try {
    task_->join(result);
  } catch (const std::exception& e) {
    return answer(errc::policy_failed, std::string{"join: "} + e.what(), host);
  } catch (...) {
    return answer(errc::policy_failed, "join failed", host);
  }
  if (open_ == 0)
    answer(task_->joined(), host);
}

/// A result will not come.
void collector::miss(errc code, std::string why, caf::execution_unit* host) {
  if (!options_.join_what_came)
    answer(code, std::move(why), host);
  else if (open_ == 0)
    answer(task_->joined(), host);
}

void collector::expire(caf::execution_unit* host) {
  timer_runs_ = false;
  if (options_.join_what_came)
    answer(task_->joined(), host);
  else
    answer(errc::timeout, names_of_open() + " did not answer in time", host);
}

void collector::close(std::size_t part) {
  parts_[part].open = false;
  --open_;
  if (auto worker = caf::actor_cast<caf::strong_actor_ptr>(parts_[part].worker))
    unwatch(*worker->get(), *this, worker_number{part});
}

void collector::answer(errc code, std::string why, caf::execution_unit* host) {
  if (!client_.id.is_request())
    client_ = {}; // nobody has asked, and CAF's actors die of stray errors
  answer(caf::make_message(make_error(code, std::move(why))), host);
}

void collector::answer(caf::message content, caf::execution_unit* host) {
  done_ = true;
  for (std::size_t i = 0; i < parts_.size(); ++i)
    if (parts_[i].open)
      close(i);
  if (timer_runs_)
    home_system().clock().cancel_timeouts(this);
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
}

/// A reference to the collector, or none while it is destroyed.
caf::strong_actor_ptr collector::me() const {
  return caf::actor_cast<caf::strong_actor_ptr>(address());
}

std::string collector::names_of_open() const {
  std::string result;
  for (auto& part : parts_)
    if (part.open)
      result += (result.empty() ? "" : ", ") + to_string(part.worker);
  return result;
}

// -- the policy ---------------------------------------------------------------

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
    auto& system = workers.front()->home_system();
    caf::actor_config cfg{host};
    auto handle = caf::make_actor<collector, caf::actor>(
      system.next_actor_id(), system.node(), &system, cfg, task_->clone(),
      options_, return_path{what->sender, what->mid, what->stages});
    auto* self = caf::actor_cast<caf::abstract_actor*>(handle);
    static_cast<collector*>(self)->begin(workers,
                                         what->move_content_to_message(), host);
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
