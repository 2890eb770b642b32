/// How a pipeline begins and ends, and its stats.

#include "libpool/actors/atoms.hpp"
#include "libpool/actors/caf/error_words.hpp"
#include "libpool/actors/caf/handles.hpp"
#include "libpool/actors/caf/pool_front.hpp"
#include "libpool/actors/caf/port/front_actor.hpp"
#include "libpool/actors/caf/port/make_message.hpp"
#include "libpool/actors/caf/port/scheduling.hpp"
#include "libpool/actors/caf/port/types.hpp"
#include "libpool/actors/error.hpp"
#include "libpool/actors/pipeline/pipeline_actor.hpp"
#include "libpool/sync/thread_number.hpp"

#include <caf/actor_system.hpp>
#include <caf/exit_reason.hpp>
#include <caf/sec.hpp>
#include <caf/system_messages.hpp>

#include <future>
#include <utility>

namespace libpool {

namespace {

using caf::sys_atom;

/// Lets the pool of a stage end the messages that still run there. Tells other
/// actors to end.
void finish(const caf::actor& actor, execution_context* host) {
  auto* pool = pool_behind<pool_front>(actor);
  if (pool != nullptr && pool->is_managed())
    send_to(actor_behind(actor), caf::make_message(sys_atom{}, drain_atom{}),
            host);
  else
    send_exit(actor,
              caf::make_message(caf::exit_msg{actor.address(),
                                              caf::exit_reason::user_shutdown}),
              host);
}

/// An exit without a reason would not end all actors.
void stop(const caf::actor& actor, const caf::error& reason,
          execution_context* host) {
  auto why = reason ? reason : caf::error{caf::exit_reason::user_shutdown};
  send_exit(actor, caf::make_message(caf::exit_msg{actor.address(), why}),
            host);
}

} // namespace

void pipeline_actor::begin() {
  auto watch_all = [this](host_ptr) {
    for (std::size_t i = 0; i < members_.size(); ++i)
      watch(actor_behind(members_[i].handle), *this, worker_number{i});
  };
  tell(watch_all, nullptr);
  if (!has_source())
    return;
  // The call may take a while, since the first items set off others.
  auto open_it = [self = me(), this](host_ptr host) { open(host); };
  call_later(home_system(), open_it);
}

void pipeline_actor::open(host_ptr host) {
  tell([this](host_ptr) { line_.opened(); }, host);
}

// -- messages for the pipeline itself -----------------------------------------

bool pipeline_actor::manage(caf::mailbox_element& element, host_ptr host) {
  auto& content = element.content();
  if (content.match_elements<caf::exit_msg>()) {
    end_now(content.get_as<caf::exit_msg>(0).reason, host);
    return true;
  }
  if (content.match_elements<caf::down_msg>()) { // it sees deaths by itself
    refuse(element, {}, caf::sec::unexpected_message, host);
    return true;
  }
  if (ended_)
    return false; // refused like everything else
  if (content.match_elements<sys_atom, drain_atom>()) {
    drain(element);
    return true;
  }
  if (content.match_elements<sys_atom, cancel_atom, selection>()) {
    auto choice = content.get_as<selection>(2);
    if (auto why = objection_to(choice))
      refuse(element, {}, why, host);
    else
      answer(take_return_path(element), me(),
             caf::make_message(cancel_here(choice, host)), host);
    return true;
  }
  if (content.match_elements<sys_atom, stats_atom>()) {
    answer(take_return_path(element), me(), caf::make_message(collect_stats()),
           host);
    return true;
  }
  return false;
}

void pipeline_actor::drain(caf::mailbox_element& element) {
  was_drained_ = true;
  line_.closed();
  if (element.mid.is_request())
    drainers_.push_back(take_return_path(element));
}

// -- deaths -------------------------------------------------------------------

void pipeline_actor::worker_died(worker_number number, const caf::error& reason,
                                 host_ptr host) {
  auto stage = static_cast<std::size_t>(number);
  tell([=](host_ptr) { died(stage, reason); }, host);
}

void pipeline_actor::died(std::size_t stage, const caf::error& reason) {
  handling_.store(thread_number(), std::memory_order_relaxed);
  if (ended_)
    return;
  if (stage == line_.size())
    source_died(reason);
  else if (stage >= line_.stages_over())
    lose_stage(stage,
               "the actor has ended: " + words_of(reason, home_system()));
}

void pipeline_actor::lose_stage(std::size_t stage, const std::string& why) {
  losses_[stage] = why;
  if (!failure_)
    failure_ = stage_error(stage, why);
  line_.lost(stage);
}

/// Ends the source: no more items come, and accepted ones are done.
void pipeline_actor::source_failed(const std::string& why) {
  if (line_.is_closed())
    return;
  failure_ = make_error(errc::source_failed, "the source has failed: " + why);
  line_.closed();
  if (options_.on_source_failed == nullptr)
    return;
  try {
    options_.on_source_failed(failure_);
  } catch (...) { // NOLINT(bugprone-empty-catch): documented
  }
}

void pipeline_actor::source_died(const caf::error& reason) {
  source_failed("the actor has ended: " + words_of(reason, home_system()));
  for (auto& each : items_)
    if (each->is_pulled)
      recycle(*each);
  line_.withheld(line_.pulled());
}

// -- the end ------------------------------------------------------------------

/// Nothing can come there any more; nor from the source, which is before the
/// first stage.
void pipeline_actor::stage_over(std::size_t stage, host_ptr host) {
  if (stage == 0 && has_source())
    let_go(line_.size(), host);
  let_go(stage, host);
}

void pipeline_actor::let_go(std::size_t stage, host_ptr host) {
  auto& leaving = members_[stage];
  auto handle = std::exchange(leaving.handle, caf::actor{});
  unwatch(actor_behind(handle), *this, worker_number{stage});
  if (!leaving.is_owned)
    return;
  if (exit_)
    stop(handle, *exit_, host);
  else
    finish(handle, host);
}

void pipeline_actor::end_if_over(host_ptr host) {
  if (ended_ || !line_.is_over())
    return;
  auto reason = failure_;
  if (!reason && was_drained_)
    reason = caf::exit_reason::user_shutdown;
  end(reason, failure_ ? caf::make_message(failure_) : caf::message{}, host);
}

/// Ends at once; nothing if it has ended already.
void pipeline_actor::end_now(const caf::error& reason, host_ptr host) {
  if (ended_)
    return;
  exit_ = reason;
  line_.abandoned();
  carry_out(host);
  end(reason,
      caf::make_message(caf::make_error(caf::sec::request_receiver_down)),
      host);
}

void pipeline_actor::end(const caf::error& reason,
                         const caf::message& to_drainers, host_ptr host) {
  ended_ = true;
  for (auto& each : std::exchange(drainers_, {}))
    answer(std::move(each), me(), to_drainers, host);
  if (cleanup(caf::error{reason}, host))
    unregister_from_system();
}

/// Called when the last reference is gone, so that no request of the pipeline
/// is under way: the stages have dropped the items that are still in the line.
/// A thread that converts an address to a reference can be in the pipeline at
/// the same time.
void pipeline_actor::unreachable() {
  tell([this](host_ptr host) { vanish(host); }, nullptr);
}

void pipeline_actor::vanish(host_ptr host) {
  if (ended_)
    return;
  for (auto i = line_.size(); i > 0; --i)
    if (i > line_.stages_over())
      lose_stage(i - 1, "the actor dropped the request");
  line_.closed();
  line_.withheld(line_.pulled());
  carry_out(host);
  end(caf::exit_reason::unreachable, caf::make_message(failure_), host);
}

// -- asking -------------------------------------------------------------------

/// A reference to the pipeline, or none while it is destroyed.
caf::strong_actor_ptr pipeline_actor::me() const {
  return reach(address());
}

template <class T>
T pipeline_actor::in_turn(T (pipeline_actor::*collect)() const) {
  if (handling_.load(std::memory_order_relaxed) == thread_number())
    return (this->*collect)();
  auto result = std::make_shared<std::promise<T>>();
  tell([=](host_ptr) { result->set_value((this->*collect)()); }, nullptr);
  return result->get_future().get();
}

pipeline_stats pipeline_actor::stats() {
  return in_turn(&pipeline_actor::collect_stats);
}

std::vector<caf::actor> pipeline_actor::stage_actors() {
  return in_turn(&pipeline_actor::collect_actors);
}

std::vector<caf::actor> pipeline_actor::collect_actors() const {
  std::vector<caf::actor> result;
  for (std::size_t i = 0; i < line_.size(); ++i)
    result.push_back(members_[i].handle);
  return result;
}

pipeline_stats pipeline_actor::collect_stats() const {
  auto& books = line_.books();
  pipeline_stats result{books.accepted,
                        books.refused + objections_,
                        books.completed,
                        books.failed,
                        books.cancelled,
                        books.in_line,
                        books.most_in_line,
                        line_.waiting(),
                        {}};
  for (std::size_t i = 0; i < line_.size(); ++i) {
    auto& stage = line_.stage(i);
    result.stages.push_back({members_[i].name, stage.credit, stage.held,
                             stage.most_held, stage.answered, stage.failed});
  }
  return result;
}

} // namespace libpool
