#pragma once

#include "libpool/actors/caf/fact_inbox.hpp"
#include "libpool/actors/caf/handling_loop.hpp"
#include "libpool/actors/caf/pool_front.hpp"
#include "libpool/actors/caf/return_path.hpp"
#include "libpool/actors/caf/tracked_element.hpp"
#include "libpool/actors/managed/alarms.hpp"
#include "libpool/actors/managed/backlog.hpp"
#include "libpool/actors/managed/free_list.hpp"
#include "libpool/actors/managed/gathers.hpp"
#include "libpool/actors/managed/managed_task.hpp"
#include "libpool/actors/managed/managed_worker.hpp"
#include "libpool/actors/managed_options.hpp"
#include "libpool/actors/managed_policy.hpp"
#include "libpool/actors/pool_options.hpp"
#include "libpool/actors/pool_stats.hpp"
#include "libpool/core/dispatcher.hpp"
#include "libpool/core/replacements.hpp"
#include "libpool/core/shared_restrictions.hpp"

#include <caf/actor.hpp>
#include <caf/actor_addr.hpp>
#include <caf/error.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/message.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
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
                           private gathering_pool,
                           private detour_owner {
public:
  managed_pool(caf::actor_config& cfg, const managed_policy& how,
               pool_options options);

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
    return {seats_.load(std::memory_order_relaxed),
            expects_change_.load(std::memory_order_relaxed)};
  }

  /// A worker has paused for long enough.
  void breath_taken(worker_number number, caf::execution_unit* host);

private:
  friend class handling_loop<managed_pool>;

  using host_ptr = caf::execution_unit*;
  using command = std::function<void(host_ptr)>;

  /// The number of no thread.
  static constexpr auto nobody = static_cast<std::size_t>(-1);

  /// Under which the actor system is watched.
  static constexpr auto system_number =
    worker_number{static_cast<std::uint64_t>(-1)};

  // -- facts, in managed_pool.cpp and arrivals.cpp ----------------------------

  void ended(tracked_element& what, host_ptr host) noexcept override;
  void answered(const std::shared_ptr<detour>& way, host_ptr host) override;
  void tell(command what, host_ptr host) override;
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
  void take_in(managed_task& task, instant came) override;
  bool classify(managed_task& task);
  void ask_places(managed_task& task, const caf::type_erased_tuple& content);
  void ask_user(managed_task& task,
                const caf::type_erased_tuple& content) const;
  bool keep_content(managed_task& task);
  void take_detour(managed_task& task, return_path client, bool hold);
  void end(tracked_element& carrier, host_ptr host);
  void came_unopened(managed_task& task, tracked_element& carrier);
  void came_unhandled(managed_task& task, tracked_element& carrier);
  void take_back(managed_task& task, tracked_element& carrier);
  void judge(managed_worker& worker, errc why);
  void never_answers(managed_task& what, host_ptr host);
  void let_others_run(managed_worker& who, duration service);
  duration time_since_look(managed_worker& who) const;
  void examine(managed_task& task, tracked_element& carrier);
  void finished(managed_task& what, ending how, host_ptr host);

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
  void tell_outer(managed_task& task, const decision& by, const caf::error& why,
                  host_ptr host);
  caf::error error_of(const managed_task& what, const decision& by) const;
  void answer_error(managed_task& what, const caf::error& why, host_ptr host);
  void tell_settled(const managed_task& what, const decision& by,
                    const caf::error& why);

  // -- workers, in workers.cpp, spawning.cpp, control.cpp and life.cpp --------

  /// Whether content of this type may be addressed to the pool itself.
  static bool is_control_message(std::uint32_t type_token) noexcept;
  bool manage(caf::mailbox_element& what, host_ptr host);
  bool confirm(caf::mailbox_element& what, const caf::error& result,
               host_ptr host);
  void refuse(caf::mailbox_element& what, caf::error why, host_ptr host);
  caf::error put(const caf::actor& worker);
  void add(const caf::actor& worker, const tracked_element::receiver& as,
           duration weight);
  bool remove(const caf::actor* worker, caf::mailbox_element& what,
              host_ptr host);
  void retire(managed_worker& who, bool stops,
              const std::shared_ptr<pending_answer>& by);
  void dismiss(managed_worker& who, host_ptr host);
  void forget(managed_worker& who, host_ptr host);
  void take_out_of_service(managed_worker& who);
  void reclaim(managed_worker& who);
  void tell_room(host_ptr host);
  void tell_room(std::vector<std::uint64_t> passed, bool is_for_all,
                 host_ptr host);
  std::uint64_t progress() const noexcept;
  bool serves(const managed_worker& who) const;
  void stop_worker(const managed_worker& who, const caf::error& reason,
                   host_ptr host);
  bool tell_workers(const caf::mailbox_element& what, host_ptr host);

  void died(worker_number number, const caf::error& reason, host_ptr host);
  void ended_for(const caf::error& reason);
  void crashed();
  void replace_crashed();
  void admit(const caf::actor& worker);
  bool try_spawn();
  std::vector<managed_worker*> serving() const override;
  bool resize(std::uint64_t n, caf::mailbox_element& what, host_ptr host);
  bool drain(caf::mailbox_element& what);
  bool drains() const noexcept override {
    return drains_;
  }
  bool has_ended() const noexcept override {
    return ended_;
  }
  bool is_alone() const noexcept;
  libpool::room room_now() const noexcept;
  void fail_waiting(errc why, host_ptr host);
  void end_if_over(host_ptr host);
  void end_now(const caf::error& reason, host_ptr host);

  void ticked();
  void arm();
  instant clock_now() const;
  pool_stats collect_stats();

  // -- nodes ------------------------------------------------------------------

  managed_task& new_task() override;
  tracked_element& new_carrier();
  void recycle(managed_task& what) override;
  void recycle(tracked_element& what);
  void hold();
  bool is_handling() const noexcept;
  instant now() override;

  handling_loop<managed_pool> loop_{*this};
  /// The number of the thread that handles facts.
  std::atomic<std::size_t> handling_{nobody};

  // What follows belongs to whoever handles facts.

  const std::size_t threads_; // of the scheduler
  managed_options options_;
  pool_options pool_options_;
  const bool needs_extras_; // whether tasks have more than a message
  const bool asks_places_;  // whether the user says where tasks are to run
  bool measures_ = false;   // whether anybody wants to know what time it is

  shared_restrictions restrictions_;
  std::map<worker_number, std::unique_ptr<managed_worker>> workers_;
  std::unordered_map<caf::abstract_actor*, managed_worker*> serving_;
  std::size_t dying_ = 0;
  std::size_t seats_now_ = 0;         // of those that serve
  std::atomic<std::size_t> seats_{0}; // as others see them
  std::atomic<bool> expects_change_{false};
  /// How much had been done when a message was given back for want of room.
  std::optional<std::uint64_t> was_full_at_;
  bool has_new_pool_ = false; // among its workers
  std::uint64_t joined_ = 0;
  worker_record departed_;

  factory factory_;
  std::string factory_problem_; // of the last try, if it was in vain
  replacements replacements_;
  std::uint64_t replaced_ = 0;
  bool tries_again_ = false; // soon, to make some that are due

  bool bereft_ = false; // the last worker has died
  bool drains_ = false;
  bool ended_ = false;
  caf::actor_addr system_; // an actor that ends with the actor system
  std::vector<return_path> drainers_;

  alarms alarms_{*this};
  std::optional<instant> now_;
  duration lately_{0}; // a service time, of recent ones one of the longer

  gathers gathers_;
  std::uint64_t answered_with_error_ = 0;

  free_list<managed_task> free_tasks_;
  free_list<tracked_element> free_carriers_;
  std::size_t under_way_ = 0; // messages, tasks and carriers that it has
  caf::strong_actor_ptr self_;

  backlog backlog_;
  std::vector<decision> batch_;
  dispatcher dispatcher_; // goes before the workers and tasks that it knows
};

} // namespace libpool
