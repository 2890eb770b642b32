#pragma once

#include "libpool/actors/caf/fact_inbox.hpp"
#include "libpool/actors/caf/handling_loop.hpp"
#include "libpool/actors/caf/port/tracked_element.hpp"
#include "libpool/actors/caf/port/types.hpp"
#include "libpool/actors/managed/answers.hpp"
#include "libpool/actors/managed/dispatching.hpp"
#include "libpool/actors/managed/endings.hpp"
#include "libpool/actors/managed/gathers.hpp"
#include "libpool/actors/managed/handler_ends.hpp"
#include "libpool/actors/managed/intake.hpp"
#include "libpool/actors/managed/managed_front.hpp"
#include "libpool/actors/managed/managed_task.hpp"
#include "libpool/actors/managed/managed_worker.hpp"
#include "libpool/actors/managed/pool_clock.hpp"
#include "libpool/actors/managed/recycler.hpp"
#include "libpool/actors/managed/sending.hpp"
#include "libpool/actors/managed/settlement.hpp"
#include "libpool/actors/managed/staff.hpp"
#include "libpool/actors/managed/statistics.hpp"
#include "libpool/actors/managed/tasks_in_flight.hpp"
#include "libpool/actors/managed_setup.hpp"
#include "libpool/actors/pause_scope.hpp"
#include "libpool/actors/pool_options.hpp"
#include "libpool/actors/pool_stats.hpp"
#include "libpool/actors/selection.hpp"
#include "libpool/core/dispatcher.hpp"

#include <caf/actor.hpp>
#include <caf/error.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/message.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace libpool {

/// The actor in front of a managed pool, see `actor_pool`.
///
/// It translates messages and the ends of tracked elements to facts, passes the
/// facts to a dispatcher, and carries out the dispatcher's decisions. All of
/// this happens in one thread at a time, see `handling_loop`. No lock is held
/// while CAF or the user is called. A call that comes back from there in the
/// same thread is a further fact.
///
/// The state is divided into classes of one subject each. None of them calls
/// the pool: the pool asks them, and acts.
class managed_pool final : public delivering<managed_pool, managed_front>,
                           private interceptor_owner {
public:
  managed_pool(caf::actor_config& cfg, const managed_setup& how,
               const pool_options& options);

  ~managed_pool() override;

  // -- called by users, through actor_pool ------------------------------------

  bool is_managed() const noexcept override {
    return true;
  }

  /// Starts the pool. The factory also replaces workers that crash.
  void populate(std::size_t n, const factory& make_worker) override;

  pool_stats stats() override;
  pool_stats summary() override;
  void record(const recorder_limits& within) override;
  recording recorded(instant since) override;
  cancel_counts cancel(const selection& selected) override;
  bool cancels() const noexcept override {
    return true;
  }

  void stop_requests(const client_requests& which, bool answers_early,
                     execution_context* host) override;
  void take_back_requests(const client_requests& which,
                          execution_context* host) override;
  void ask_begun(const client_requests& which,
                 const std::function<void(const std::vector<begun_request>&,
                                          execution_context*)>& told,
                 execution_context* host) override;
  caf::error pause(const pause_scope& which) override;
  caf::error resume(const pause_scope& which) override;
  caf::error set_limits(const throttles& within) override;

  /// See `actor_pool::when_idle`.
  void when_idle(std::function<void(errc)> told);

  /// Lets nodes join at the actor `entrance`, which ends with the pool. To be
  /// called before other threads know the pool.
  /// @pre the policy is for nodes
  void open_to_nodes(caf::strong_actor_ptr entrance);

  /// Has messages wait while the pool has no workers, or refuses them.
  void keep_waiting(bool wait);

  /// The actor at which nodes join; nullptr if the pool is not for nodes.
  const caf::strong_actor_ptr& entrance() const noexcept {
    return intake_.nodes().entrance();
  }

  void stop(const caf::error& reason, execution_context* host) override;

  // -- called by CAF ----------------------------------------------------------

  void deliver(caf::mailbox_element_ptr&& element, execution_context* host);

  const char* name() const override;

  void unreachable() override;

  // -- called by the parts of the pool ----------------------------------------

  void tell(command fact, execution_context* host) override;

  void settled_inside(const std::shared_ptr<passage>& sent, errc why,
                      execution_context* host) override;

  void worker_died(worker_number number, const caf::error& reason,
                   execution_context* host) override;

  void time_is_up(execution_context* host) override;

  void worker_has_room(worker_number number, const room_report& report,
                       execution_context* host) override;

  libpool::room room() const noexcept override {
    return staff_.room();
  }

  bool may_have_ended() const noexcept override {
    return endings_.has_ended();
  }

  void unwanted(const inner_messages& which, execution_context* host) override;

private:
  friend class handling_loop<managed_pool>;

  using host_ptr = execution_context*;

  /// Returns the result of `question`, which the handling thread calls.
  template <class F>
  auto ask(F question);

  // -- rounds of facts and decisions, in rounds.cpp ---------------------------

  void round_begins() noexcept {
    clock_.round_begins();
  }

  using fact_iterator = std::vector<fact_inbox::fact>::const_reverse_iterator;

  void tell(fact_inbox::fact told, host_ptr host);
  void handle(fact_inbox::fact told, host_ptr host);
  void handle_all(fact_iterator first, const fact_iterator& last,
                  host_ptr host);
  caf::strong_actor_ptr end_round(host_ptr host);
  void report_settled(host_ptr host);
  void go_on(host_ptr host);
  void arm();

  /// Returns the time of this round; never earlier than that of an earlier
  /// round.
  instant now() {
    return clock_.now();
  }

  // -- messages that come, in arrivals.cpp ------------------------------------

  void managing(caf::mailbox_element_ptr element, host_ptr host);
  void arrived(caf::mailbox_element_ptr&& element, instant came);
  const element_record*
  handled_by_sender(const caf::mailbox_element& element) const;
  void asked_by_handler(caf::mailbox_element_ptr element,
                        const element_record& by);
  void asked_by_worker(managed_worker& worker, caf::mailbox_element_ptr element,
                       instant came, managed_task* asker);
  void submitted(caf::mailbox_element_ptr&& element, instant came,
                 managed_task* asker = nullptr,
                 managed_worker* asking = nullptr);
  bool messages_can_wait() const noexcept;
  instant patient_until();

  // -- called by elements and interceptors, in managed_pool.cpp ---------------

  void ended(tracked_element& carrier, host_ptr host) noexcept override;
  void went_on(const caf::strong_actor_ptr& sender,
               host_ptr host) noexcept override;
  bool has_lost_client(const caf::strong_actor_ptr& sender) const override;
  bool has_result(const caf::strong_actor_ptr& sender) const override;
  void answered(const std::shared_ptr<reply_interceptor>& by,
                host_ptr host) override;

  void began_at_node(const std::shared_ptr<passage>& by, instant began,
                     host_ptr host) override;

  std::shared_ptr<const task_facts>
  facts_of(const tracked_element& handled) override;

  // -- messages that are cancelled, in cancelling.cpp -------------------------

  template <class F, class G>
  cancel_counts cancel_where(F is_meant, G cancel_task);
  caf::error objection_to(const selection& which) const;
  cancel_counts cancel_here(const selection& which);
  void cancel(caf::mailbox_element& element, const selection& selected);
  bool cancel(managed_task& task);
  bool stop(managed_task& task);

  // -- pauses and limits, in pausing.cpp --------------------------------------

  caf::error objection_to_flows(const char* of) const;
  caf::error objection_to(const pause_scope& which) const;
  caf::error pause_here(const pause_scope& which, host_ptr host);
  void recall_paused();
  void take_back_from_nodes(const pause_scope& which, host_ptr host);
  caf::error resume_here(const pause_scope& which, host_ptr host);
  void pause(caf::mailbox_element& element, const pause_scope& which,
             host_ptr host);
  bool is_quiet(const pause_scope& which) const;
  template <class F>
  void answer_pauses(F f, errc why, host_ptr host);
  void answer_quiet_pauses(host_ptr host);
  void end_pauses(host_ptr host);

  /// Number of messages and tasks that wait for a worker or for the end of a
  /// pause, if only a user can add one or end it; otherwise 0.
  std::size_t waiting_in_vain() {
    auto nodes_may_join = entrance() != nullptr;
    auto lacks_workers = !nodes_may_join
                         && endings_.waits_in_vain(staff_.is_alone());
    auto is_held_back = dispatcher_.waits_for_user() && !nodes_may_join
                        && !staff_.expects_replacements()
                        && staff_.workers().seats() > 0;
    if (!lacks_workers && !is_held_back)
      return 0;
    const auto& books = dispatcher_.books();
    return books.waiting + books.assigned;
  }

  // -- messages for the pool itself, in control.cpp ---------------------------

  bool manage(caf::mailbox_element& element, host_ptr host);
  bool change_workers(caf::mailbox_element& element, host_ptr host);
  bool change_work(caf::mailbox_element& element, host_ptr host);
  bool change_pauses(caf::mailbox_element& element, host_ptr host);
  bool tell_state(caf::mailbox_element& element, host_ptr host);
  std::shared_ptr<pending_answer>
  pending_answer_to(caf::mailbox_element& element);
  void remove(const caf::actor* worker, caf::mailbox_element& element,
              host_ptr host);
  void resize(std::uint64_t n, caf::mailbox_element& element, host_ptr host);

  // -- the end, in life.cpp ---------------------------------------------------

  /// Whether all accepted messages are settled.
  bool is_idle() const {
    return dispatcher_.books().open() == 0 && !dispatching_.has_more_to_do();
  }

  void await_idle(endings::idle_answer answer, host_ptr host);
  void await_idle(caf::mailbox_element& element, host_ptr host);
  void drain(caf::mailbox_element& element, host_ptr host);
  void end_if_over(host_ptr host);
  void fail_assigned(errc why);
  void end_now(const caf::error& reason, host_ptr host);
  void system_ended(host_ptr host);
  void vanish(host_ptr host);

  const managed_setup options_;
  handling_loop<managed_pool> loop_{*this};

  // The members below belong to the thread that handles facts, except where
  // `intake` permits other threads.

  endings endings_;
  answers answers_;
  intake intake_;
  staff staff_;
  recycler recycler_{ctrl()};
  gathers gathers_;
  handler_ends handler_ends_;
  sending sending_;
  tasks_in_flight flight_;
  settlement settlement_;
  dispatching dispatching_;
  // destroyed before the workers and tasks that it refers to
  dispatcher dispatcher_;
  pool_clock clock_;
  // requests that are answered when nothing of the scope runs
  std::vector<std::pair<return_path, pause_scope>> pauses_;
  bool goes_on_ = false; // a fact says that the pool has more to do
  statistics statistics_;
};

template <class F>
auto managed_pool::ask(F question) {
  using answer = decltype(question());
  if (loop_.is_handling())
    return question();
  auto result = std::make_shared<std::promise<answer>>();
  tell([result, question](host_ptr) { result->set_value(question()); },
       nullptr);
  return result->get_future().get();
}

} // namespace libpool
