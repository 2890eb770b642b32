#pragma once

#include "libpool/actors/caf/fact_inbox.hpp"
#include "libpool/actors/caf/handling_loop.hpp"
#include "libpool/actors/caf/port/front_actor.hpp"
#include "libpool/actors/caf/port/tracked_element.hpp"
#include "libpool/actors/caf/port/types.hpp"
#include "libpool/actors/managed/answers.hpp"
#include "libpool/actors/managed/arrivals.hpp"
#include "libpool/actors/managed/batches.hpp"
#include "libpool/actors/managed/cancellation.hpp"
#include "libpool/actors/managed/desk.hpp"
#include "libpool/actors/managed/dispatching.hpp"
#include "libpool/actors/managed/endings.hpp"
#include "libpool/actors/managed/gathers.hpp"
#include "libpool/actors/managed/intake.hpp"
#include "libpool/actors/managed/lifetime.hpp"
#include "libpool/actors/managed/managed_front.hpp"
#include "libpool/actors/managed/pauses.hpp"
#include "libpool/actors/managed/pool_clock.hpp"
#include "libpool/actors/managed/recycler.hpp"
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
#include "libpool/nodes/protocol/work_queue.hpp"

#include <caf/actor.hpp>
#include <caf/error.hpp>
#include <caf/mailbox_element.hpp>

#include <cstddef>
#include <functional>
#include <future>
#include <memory>
#include <vector>

namespace libpool {

/// The actor in front of a managed pool, see `actor_pool`.
///
/// It translates messages and the ends of tracked elements to facts, and passes
/// the facts to its parts. All of this happens in one thread at a time, see
/// `handling_loop`. No lock is held while CAF or the user is called. A call
/// that comes back from there in the same thread is a further fact.
///
/// The state is in parts: classes of one subject each. A part knows the
/// dispatcher, the clock, and members above it in the list. `staff` also knows
/// `gathers`, which knows the roster alone.
class managed_pool final : public delivering<managed_pool, managed_front>,
                           private interceptor_owner {
public:
  managed_pool(caf::actor_config& cfg, const managed_setup& setup,
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

  void cancel_requests(const client_requests& requests,
                       execution_context* host) override;
  caf::error pause(const pause_scope& scope) override;
  caf::error resume(const pause_scope& scope) override;
  caf::error set_limits(const throttles& within) override;

  /// Changes values of the policy. Returns why that is not possible.
  caf::error set_policy_values(const policy_values& values);

  /// See `actor_pool::when_idle`.
  void when_idle(std::function<void(errc)> told);

  /// Lets nodes join at the actor `entrance`, which ends with the pool. To be
  /// called before other threads know the pool.
  /// @pre the policy is for nodes
  void open_to_nodes(caf::strong_actor_ptr entrance);

  /// Has messages wait while the pool has no workers, or refuses them.
  void keep_waiting(bool wait);

  /// Has the pool accept no workers other than nodes. Returns whether it has
  /// and makes no other workers, and is for nodes.
  bool keep_to_nodes();

  /// Returns why the pool cannot have `n` workers.
  caf::error objection_to_size(std::uint64_t n);

  /// The actor at which nodes join; nullptr if the pool is not for nodes.
  const caf::strong_actor_ptr& entrance() const noexcept {
    return staff_.entrance();
  }

  /// Notes the durable queue from which the pool gets messages, until the queue
  /// ends.
  void serves(const std::weak_ptr<failed_messages>& queue);

  /// Returns the failed messages of the durable queue from which the pool gets
  /// messages; nullptr if there is none.
  std::shared_ptr<failed_messages> queue();

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

  void cancel_messages(const inner_messages& messages, bool answers_early,
                       execution_context* host) override;

  bool tells_begin(const element_record& element,
                   execution_context* host) override;

private:
  friend class handling_loop<managed_pool>;

  using host_ptr = execution_context*;

  /// Returns the result of `question`, which the handling thread calls.
  template <class F>
  auto ask(F question);

  void tell(fact_inbox::fact told, host_ptr host);

  // -- rounds of facts, called by `handling_loop` -----------------------------

  void round_begins() noexcept {
    clock_.round_begins();
  }

  using fact_iterator = std::vector<fact_inbox::fact>::const_reverse_iterator;

  void handle(fact_inbox::fact told, host_ptr host);
  void handle_all(fact_iterator first, const fact_iterator& last,
                  host_ptr host);
  caf::strong_actor_ptr end_round(host_ptr host);

  instant patient_until() {
    return arrivals_.patient_until();
  }

  void go_on(host_ptr host);
  void arm();
  void system_ended(host_ptr host);

  // -- called by elements and interceptors ------------------------------------

  void ended(tracked_element& carrier, host_ptr host) noexcept override;
  void went_on(const caf::strong_actor_ptr& sender,
               host_ptr host) noexcept override;
  bool has_lost_client(const caf::strong_actor_ptr& sender) const override;
  bool has_result(const caf::strong_actor_ptr& sender) const override;
  void answered(const std::shared_ptr<reply_interceptor>& interceptor,
                host_ptr host) override;
  void began_inside(const std::shared_ptr<passage>& passage, instant began,
                    host_ptr host) override;
  std::shared_ptr<const task_facts>
  facts_of(const tracked_element& handled) override;

  const managed_setup options_;
  handling_loop<managed_pool> loop_{*this};

  // The members below belong to the thread that handles facts, except where
  // `intake` and `staff` permit other threads.

  endings endings_;
  answers answers_;
  intake intake_;
  staff staff_;
  recycler recycler_{ctrl()};
  gathers gathers_;
  // destroyed before the workers and tasks that it refers to
  dispatcher dispatcher_;
  pool_clock clock_;
  statistics statistics_;
  const batches batches_;
  settlement settlement_;
  tasks_in_flight flight_;
  dispatching dispatching_;
  arrivals arrivals_;
  pauses pauses_;
  cancellation cancellation_;
  lifetime lifetime_;
  desk desk_;
  bool goes_on_ = false; // a fact says that the pool has more to do
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
