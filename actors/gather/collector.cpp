#include "libpool/actors/gather/collector.hpp"

#include "libpool/actors/caf/error_words.hpp"
#include "libpool/actors/caf/handles.hpp"
#include "libpool/actors/caf/inner_pool.hpp"
#include "libpool/actors/caf/named_error.hpp"
#include "libpool/actors/caf/other_nodes.hpp"
#include "libpool/actors/caf/port/alarm.hpp"
#include "libpool/actors/caf/port/elements.hpp"
#include "libpool/actors/caf/port/errors.hpp"
#include "libpool/actors/caf/port/make_message.hpp"
#include "libpool/actors/error.hpp"
#include "libpool/actors/gather/collectors.hpp"
#include "libpool/actors/gathering.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_clock.hpp>
#include <caf/actor_config.hpp>
#include <caf/actor_system.hpp>
#include <caf/make_actor.hpp>

#include <algorithm>
#include <utility>

namespace libpool {

namespace {

/// The failure of a pool, in its own terms: once it has ended it answers as any
/// actor does.
errc failure_of(const caf::error& error) noexcept {
  return is_own(error) ? code_of(error) : errc::pool_closed;
}

/// Whether a pool says that the message has not been handled there.
bool is_of_pool(const caf::error& why, caf::abstract_actor& sender) noexcept {
  return is_own(why) && why != errc::worker_failed
         && why != errc::too_few_answers
         && dynamic_cast<inner_pool*>(&sender) != nullptr;
}

bool is_crash(errc why) noexcept {
  return why == errc::worker_crashed || why == errc::retries_exhausted
         || why == errc::poisoned;
}

} // namespace

collector::collector(caf::actor_config& cfg, std::shared_ptr<collectors> home)
  : delivering(cfg),
    home_(std::move(home)),
    is_timed_(home_->plan().is_timed()),
    is_awaited_(home_->plan().asks().asks_more),
    tells_(is_awaited_ || home_->plan().has_patience()),
    votes_(home_->plan().make_votes()) {
  // nop
}

// -- asking -------------------------------------------------------------------

caf::message_id collector::request_id(std::size_t i,
                                      bool urgent) const noexcept {
  auto id = caf::make_message_id(first_id_ + i);
  return urgent ? id.with_high_priority() : id;
}

void collector::ask(worker_tasks tasks, std::unique_ptr<joiner> join,
                    caf::mailbox_element_ptr client, host_ptr host) {
  begin_handling(); // nothing is answered before all are asked
  asks_ = true;
  begin(tasks.size(), std::move(join), std::move(client));
  if (tasks.empty())
    decide(host);
  for (std::size_t i = 0; i < tasks.size(); ++i)
    send(i, tasks[i].first, std::move(tasks[i].second), host);
  end_handling(host);
}

void collector::send(std::size_t i, const caf::actor& worker, caf::message task,
                     host_ptr host) {
  auto id = request_id(i, client_->mid.is_urgent_message());
  try {
    parts_[i].watched = keep_watching(worker);
    actor_behind(worker).enqueue(make_work(ctrl(), id, std::move(task)), host);
  } catch (...) {
    tell(
      [this, i, why = name_of(i) + " failed: " + thrown_text()](host_ptr here) {
        failed(i, make_error(errc::worker_failed, why), here);
      },
      host);
  }
}

void collector::expect(gather& gather, std::size_t asked,
                       std::unique_ptr<joiner> join,
                       caf::mailbox_element_ptr client) {
  begin_handling();
  of_ = &gather;
  begin(asked, std::move(join), std::move(client));
  end_handling(nullptr);
}

/// Counts the part even if the message is answered: it has an id.
void collector::expect_another(host_ptr host) {
  auto answer_request = [this](host_ptr here) {
    parts_.emplace_back();
    parts_.back().open = client_ != nullptr;
    if (client_ == nullptr)
      return;
    early_.resize(home_->are_ordered() ? parts_.size() : 0);
    ++open_;
    wanted_ -= std::min<std::size_t>(wanted_, 1);
    votes_->asked_another(now());
    decide(here);
  };
  tell(answer_request, host);
}

void collector::found_nobody(host_ptr host) {
  tell([this](host_ptr here) { has_found_nobody(here); }, host);
}

void collector::removed(std::size_t i, const std::string& worker,
                        host_ptr host) {
  tell([=](host_ptr here) { was_removed(i, worker, here); }, host);
}

void collector::begin(std::size_t asked, std::unique_ptr<joiner> join,
                      caf::mailbox_element_ptr client) {
  join_ = std::move(join);
  client_ = std::move(client);
  first_id_ += parts_.size();
  parts_.assign(asked, part{});
  early_.clear();
  early_.resize(home_->are_ordered() ? asked : 0);
  joined_ = 0;
  failures_.clear();
  removed_.clear();
  unhandled_.reset();
  open_ = asked;
  successes_ = 0;
  wanted_ = 0;
  found_nobody_ = false;
  votes_->began(asked, now());
  set_waker();
}

// -- time, and watching workers -----------------------------------------------

instant collector::clock_now() const {
  return clock_of(home_system()).now();
}

/// Sees to it that the votes are told the time when they want that.
void collector::set_waker() {
  if (is_timed_)
    waker_.set(votes_->next_tick());
}

/// The time may be that of a message which was answered long ago.
void collector::time_is_up(host_ptr host) {
  tell(
    [this](host_ptr here) {
      if (waker_.has_come(clock_now()))
        expire(here);
    },
    host);
}

/// Mostly they are watched since some message before, often in this order.
std::size_t collector::keep_watching(const caf::actor& worker) {
  for (std::size_t looked = 0; looked < watched_.size(); ++looked) {
    auto i = next_watched_ < watched_.size() ? next_watched_ : 0;
    next_watched_ = i + 1;
    if (watched_[i].address == worker)
      return i;
  }
  auto free = std::find_if(watched_.begin(), watched_.end(),
                           [](auto& each) { return each.address == nullptr; });
  if (free == watched_.end())
    free = watched_.insert(free, watched_worker{});
  was_sent_abroad_ =
    was_sent_abroad_
    || is_remote(*caf::actor_cast<caf::actor_control_block*>(worker),
                 home_system());
  *free = {worker.address(), worker_number{++watches_},
           libpool::name_of(actor_behind(worker))};
  watch(actor_behind(worker), *this, free->number);
  return static_cast<std::size_t>(free - watched_.begin());
}

void collector::unwatch_all() {
  for (auto& each : watched_)
    if (auto worker = caf::actor_cast<caf::strong_actor_ptr>(each.address))
      unwatch(*worker->get(), *this, each.number);
}

void collector::worker_died(worker_number number, const caf::error& reason,
                            host_ptr host) {
  auto why = reason ? words_of(reason, home_system())
                    : std::string{"normal exit"};
  tell([this, number, why](host_ptr here) { died(number, why, here); }, host);
}

// -- answers that come back ---------------------------------------------------

/// A worker is named in the thread in which it answers: once it has ended, its
/// name may be gone.
void collector::deliver(caf::mailbox_element_ptr&& element, host_ptr host) {
  if (element->sender != nullptr && element->mid.is_response()
      && element->content().match_elements<caf::error>()) {
    auto& why = element->content().get_as<caf::error>(0);
    auto& actor = *element->sender->get();
    named_error named{why, libpool::name_of(actor), is_of_pool(why, actor)};
    element = make_element(std::move(element->sender), element->mid,
                           std::move(named));
  }
  serial_actor::deliver(std::move(element), host);
}

void collector::received(caf::mailbox_element_ptr element, host_ptr host) {
  if (!element->mid.is_response())
    return sent(*element, host);
  auto i = element->mid.request_id().integer_value() - first_id_;
  if (i < parts_.size() && parts_[i].open)
    answered(i, *element, host);
}

void collector::answered(std::size_t i, caf::mailbox_element& element,
                         host_ptr host) {
  was_sent_abroad_ = was_sent_abroad_
                     || (element.sender != nullptr
                         && is_remote(*element.sender, home_system()));
  auto& content = element.content();
  if (content.match_elements<named_error>()) {
    auto& error = content.get_as<named_error>(0);
    if (error.is_pool)
      note_unhandled(error.why);
    return asks_ || home_->told() != element.sender
             ? worker_failed(i, asks_ ? name_of(i) : error.worker, error.why,
                             host)
             : pool_failed(i, error.why, host);
  }
  if (content.match_elements<caf::error>()) { // of no worker
    auto& why = content.get_as<caf::error>(0);
    return asks_ ? worker_failed(i, name_of(i), why, host)
                 : pool_failed(i, why, host);
  }
  if (content.empty() && asks_)
    parts_[i].acknowledged = true; // and may still send a result
  else
    succeeded(i, element, host);
}

void collector::worker_failed(std::size_t i, const std::string& name,
                              const caf::error& why, host_ptr host) {
  failed(i,
         make_error(errc::worker_failed,
                    name + " failed: " + words_of(why, home_system())),
         host);
}

/// The pool itself could not have the part handled.
void collector::pool_failed(std::size_t i, const caf::error& why,
                            host_ptr host) {
  note_unhandled(why);
  failed(i, why, host);
}

/// Closes the part without a result. Other parts are not affected.
void collector::was_removed(std::size_t i, const std::string& worker,
                            host_ptr host) {
  if (!parts_[i].open)
    return;
  close(i);
  if (client_ == nullptr)
    return rest_if_done();
  removed_ += (removed_.empty() ? "" : ", ") + worker;
  votes_->removed(i, now());
  decide(host);
}

/// Keeps in mind the first thing that went wrong other than that a worker has
/// answered with an error: for the pool that the message has come from.
void collector::note_unhandled(const caf::error& why) {
  if (unhandled_)
    return;
  auto code = failure_of(why);
  auto outcome = is_crash(code) ? outcome::failed : outcome::cancelled;
  unhandled_ = inner_end{outcome, code, why};
}

/// Handles a message that is not an answer. As with CAF, a worker may send its
/// result in place of an answer.
void collector::sent(caf::mailbox_element& element, host_ptr host) {
  auto& content = element.content();
  if (!asks_ || content.match_elements<caf::exit_msg>()
      || content.match_elements<caf::down_msg>())
    return;
  for (std::size_t i = 0; i < parts_.size(); ++i)
    if (parts_[i].open && element.sender == watched_[parts_[i].watched].address)
      return succeeded(i, element, host);
}

void collector::died(worker_number number, const std::string& reason,
                     host_ptr host) {
  for (std::size_t i = 0; i < parts_.size(); ++i)
    if (parts_[i].open && watched_[parts_[i].watched].number == number)
      owner_died(i, reason, host);
  for (auto& each : watched_)
    if (each.number == number)
      each.address = nullptr;
}

/// The worker that has the part is dead.
void collector::owner_died(std::size_t i, const std::string& reason,
                           host_ptr host) {
  if (!parts_[i].acknowledged) {
    auto why = make_error(errc::worker_crashed,
                          name_of(i) + " ended before it answered: " + reason);
    note_unhandled(why);
    return failed(i, why, host);
  }
  close(i);
  if (client_ == nullptr)
    return rest_if_done();
  count_success(i); // only its result is missing
  decide(host);
}

void collector::count_success(std::size_t i) {
  ++successes_;
  votes_->succeeded(i, now());
}

void collector::close(std::size_t i) {
  parts_[i].open = false;
  --open_;
}

void collector::failed(std::size_t i, const caf::error& why, host_ptr host) {
  if (!parts_[i].open)
    return;
  close(i);
  if (client_ == nullptr)
    return rest_if_done();
  votes_->failed(i, now());
  failures_.push_back(why);
  decide(host);
}

void collector::succeeded(std::size_t i, caf::mailbox_element& element,
                          host_ptr host) {
  caf::message result;
  try {
    result = take_content(element);
  } catch (...) {
    return failed(i,
                  make_error(errc::policy_failed, "the result of " + name_of(i)
                                                    + ": " + thrown_text()),
                  host);
  }
  succeeded(i, result, host);
}

void collector::succeeded(std::size_t i, caf::message& result, host_ptr host) {
  close(i);
  if (client_ == nullptr)
    return rest_if_done();
  count_success(i);
  if (join(i, result, host))
    decide(host);
}

/// No worker is left that could answer, or send a result instead.
void collector::unreachable() {
  if (client_ != nullptr) {
    auto missing = names_of_missing();
    for (std::size_t i = 0; i < parts_.size(); ++i)
      if (parts_[i].open && parts_[i].acknowledged)
        count_success(i);
      else if (parts_[i].open)
        votes_->failed(i, now());
    if (votes_->decide().is == verdict::decision::answer && has_result())
      succeed(nullptr);
    else if (missing.empty())
      fail(errc::worker_failed, "no worker is left that could answer", nullptr);
    else
      fail(errc::worker_failed, missing + " dropped the request", nullptr);
  }
  unwatch_all();
  end_unreachable(*this);
}

caf::strong_actor_ptr take_collector(caf::actor_system& system,
                                     const std::shared_ptr<collectors>& home) {
  if (auto unused = home->take())
    return unused;
  caf::actor_config cfg;
  return caf::make_actor<collector, caf::strong_actor_ptr>(
    system.next_actor_id(), system.node(), &system, cfg, home);
}

collector& collector_behind(const caf::strong_actor_ptr& ptr) noexcept {
  return static_cast<collector&>(*ptr->get());
}

} // namespace libpool
