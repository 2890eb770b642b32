#pragma once

#include "libpool/actors/caf/fact_inbox.hpp"
#include "libpool/actors/caf/handling_loop.hpp"
#include "libpool/actors/caf/pool_front.hpp"
#include "libpool/actors/caf/return_path.hpp"
#include "libpool/actors/caf/tracked_element.hpp"
#include "libpool/actors/gather/collectors.hpp"
#include "libpool/actors/managed/answers.hpp"
#include "libpool/actors/managed/endings.hpp"
#include "libpool/actors/managed/free_list.hpp"
#include "libpool/actors/managed/hedging.hpp"
#include "libpool/actors/managed/intake.hpp"
#include "libpool/actors/managed/managed_task.hpp"
#include "libpool/actors/managed/managed_worker.hpp"
#include "libpool/actors/managed/pool_clock.hpp"
#include "libpool/actors/managed/published_room.hpp"
#include "libpool/actors/managed/recycler.hpp"
#include "libpool/actors/managed/roster.hpp"
#include "libpool/actors/managed/spawning.hpp"
#include "libpool/actors/managed/thread_sharing.hpp"
#include "libpool/actors/managed_options.hpp"
#include "libpool/actors/managed_policy.hpp"
#include "libpool/actors/pool_options.hpp"
#include "libpool/actors/pool_stats.hpp"
#include "libpool/core/dispatcher.hpp"

#include <caf/actor.hpp>
#include <caf/actor_addr.hpp>
#include <caf/error.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/message.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace libpool {

/// The actor in front of a managed pool, see `actor_pool`.
///
/// It translates messages and what workers do to facts, feeds these to a
/// dispatcher, and carries out what that decides. All of this happens in one
/// thread at a time, whichever has something to tell while no other one
/// handles: see `handling_loop`. So no lock is held when CAF or the user is
/// called, and what comes back from there, at once and in the same thread, is
/// one more fact.
///
/// While tasks are open or tracked elements are under way the pool refers to
/// itself.
class managed_pool final : public pool_front,
                           private element_owner,
                           private gather_owner,
                           private interceptor_owner {
public:
  managed_pool(caf::actor_config& cfg, const managed_policy& how,
               const pool_options& options);

  ~managed_pool() override;

  // -- called by users, through actor_pool ------------------------------------

  bool is_managed() const noexcept override {
    return true;
  }

  /// The factory also replaces workers that crash.
  void populate(std::size_t n, const factory& make_worker) override;

  pool_stats stats() override;

  void stop(const caf::error& reason, caf::execution_unit* host) override;

  // -- called by CAF ----------------------------------------------------------

  using pool_front::enqueue;

  void enqueue(caf::mailbox_element_ptr what,
               caf::execution_unit* host) override;

  const char* name() const override;

  void on_destroy() override;

  // -- called by what belongs to it -------------------------------------------

  void worker_died(worker_number number, const caf::error& reason,
                   caf::execution_unit* host) override;

  void time_is_up(caf::execution_unit* host) override;

  void worker_has_room(worker_number number, const room_report& report,
                       caf::execution_unit* host) override;

  libpool::room room() const noexcept override {
    return room_.get();
  }

  /// A worker has paused for long enough.
  void breath_taken(worker_number number, caf::execution_unit* host);

private:
  friend class handling_loop<managed_pool>;

  using host_ptr = caf::execution_unit*;
  using command = std::function<void(host_ptr)>;

  /// The number of no thread.
  static constexpr auto nobody = static_cast<std::size_t>(-1);

  // -- facts, in managed_pool.cpp and arrivals.cpp ----------------------------

  void ended(tracked_element& what, host_ptr host) noexcept override;
  void answered(const std::shared_ptr<reply_interceptor>& by,
                host_ptr host) override;
  void tell(command what, host_ptr host);
  bool messages_can_wait() const noexcept;
  bool tasks_can_wait() const noexcept;
  bool facts_can_wait() const noexcept;
  void begin_round();
  caf::strong_actor_ptr end_round(host_ptr host);
  void handle(fact_inbox::fact what, host_ptr host);
  void managing(caf::mailbox_element_ptr what, host_ptr host);
  void arrived(caf::mailbox_element_ptr what);
  void take_from_backlog();
  void submitted(caf::mailbox_element_ptr what, instant came, bool is_new);
  errc objection(caf::mailbox_element& element, bool is_new) const;
  void take_in(managed_task& task, instant came);
  void end(tracked_element& carrier, host_ptr host);
  void came_unopened(managed_task& task, tracked_element& carrier);
  void came_unhandled(managed_task& task, tracked_element& carrier);
  void take_back(managed_task& task, tracked_element& carrier);
  void judge(managed_worker& worker, errc why);
  void never_answers(managed_task& what, host_ptr host);
  void let_others_run(managed_worker& who, duration service);
  void examine(managed_task& task, tracked_element& carrier);
  void finished(managed_task& what, ending how, host_ptr host);

  // -- several tasks for a message, in gathers.cpp ----------------------------

  void decided(gather& what, caf::strong_actor_ptr collector,
               host_ptr host) override;
  void scatter(managed_task& task, instant came);
  void ask_for_parts(managed_task& task, std::unique_ptr<joiner> join,
                     instant came);
  message_parts split(managed_task& task) const;
  void ask_everybody(managed_task& task, std::unique_ptr<joiner> join,
                     instant came);
  void ask_some(managed_task& task, std::unique_ptr<joiner> join, instant came);
  gather& begin_gather(managed_task& task, std::unique_ptr<joiner> join,
                       std::size_t parts, std::size_t needed, instant came);
  void ask(gather& what, std::size_t part, caf::message content,
           managed_worker* who);
  std::vector<managed_worker*> least_used() const;
  managed_worker* unasked(const gather& what) const;
  void hedge(gather& what, host_ptr host);
  void hedge_due(host_ptr host);
  void cancel_rest(gather& what);
  void came_back(managed_task& what);
  void give_up_on(managed_worker& who);
  void orphaned(managed_task& what);
  void left_gather(managed_task& what);
  void end_gather(gather& what);

  // -- decisions, in decisions.cpp --------------------------------------------

  void carry_out(host_ptr host);
  void decide();
  void carry_out(const decision& what, host_ptr host);
  void send(managed_task& what, managed_worker& to, host_ptr host);
  bool prepare(managed_task& task, const managed_worker& to);
  bool open_outer(managed_task& task);
  bool announce(managed_task& task);
  static bool client_is_gone(const managed_task& what);
  void make_again(managed_task& what);
  void recall(managed_task& what, managed_worker& from);
  /// A worker that is a pool has given up on a message that may still run.
  void settled_inside(const std::shared_ptr<passage>& of, errc why,
                      host_ptr host);
  void settle(managed_task& what, const decision& by, host_ptr host);
  void fail(managed_task& task, const decision& by, const caf::error& why,
            host_ptr host);
  /// Tells the pool that has sent the message inwards that the client has been
  /// given up on, for this reason, though a handler may still run.
  static void tell_settled_inside(const std::shared_ptr<passage>& of, errc why,
                                  host_ptr host);

  // -- workers, in workers.cpp, spawning.cpp, control.cpp and life.cpp --------

  /// Whether content of this type may be addressed to the pool itself.
  static bool is_control_message(std::uint32_t type_token) noexcept;
  bool manage(caf::mailbox_element& what, host_ptr host);
  bool change_workers(caf::mailbox_element& element, host_ptr host);
  bool tell_state(caf::mailbox_element& element, host_ptr host);
  caf::error put(const caf::actor& worker);
  void add(const caf::actor& worker, const tracked_element::receiver& as,
           duration weight);
  void remove(const caf::actor* worker, caf::mailbox_element& what,
              host_ptr host);
  void retire(managed_worker& who, bool stops,
              const std::shared_ptr<pending_answer>& by);
  void dismiss(managed_worker& who, host_ptr host);
  void forget(managed_worker& who, host_ptr host);
  void reclaim(managed_worker& who);
  void tell_room(std::optional<room_report> report, host_ptr host);
  void stop_worker(const managed_worker& who, const caf::error& reason,
                   host_ptr host);

  void died(worker_number number, const caf::error& reason, host_ptr host);
  void replace_crashed();
  void admit(const caf::actor& worker);
  bool try_spawn();
  caf::error objection_to_size(std::uint64_t n) const;
  void resize(std::uint64_t n, caf::mailbox_element& element, host_ptr host);
  void drain(caf::mailbox_element& element);
  /// Whether nobody serves, and nobody is about to.
  bool is_alone() const {
    return roster_.seats() == 0 && spawning_.missing() == 0
           && roster_.has_nobody();
  }
  libpool::room room_now() const {
    return endings_.room_with(roster_.seats(), is_alone());
  }
  void fail_waiting(errc why, host_ptr host);
  void end_if_over(host_ptr host);
  void end_now(const caf::error& reason, host_ptr host);

  void ticked();
  void arm();
  pool_stats collect_stats();

  // -- nodes ------------------------------------------------------------------

  tracked_element& new_carrier();
  void recycle(managed_task& what);
  bool is_handling() const noexcept;
  instant now() {
    return clock_.now();
  }

  const std::shared_ptr<const gathering> gathers_;
  const std::shared_ptr<collectors> collectors_;

  handling_loop<managed_pool> loop_{*this};
  /// The number of the thread that handles facts.
  std::atomic<std::size_t> handling_{nobody};

  // What follows belongs to whoever handles facts.

  managed_options options_;

  roster roster_;
  published_room room_{serial_number()};

  spawning spawning_;

  endings endings_;
  answers answers_;
  intake intake_;

  hedging hedging_;
  std::uint64_t answered_with_error_ = 0;

  free_list<gather> free_gathers_;
  recycler recycler_{ctrl()};

  std::vector<decision> batch_;
  dispatcher dispatcher_; // goes before the workers and tasks that it knows
  pool_clock clock_;
  thread_sharing sharing_;
};

} // namespace libpool
