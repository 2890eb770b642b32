#pragma once

#include "libpool/actors/caf/fact_inbox.hpp"
#include "libpool/actors/caf/pool_front.hpp"
#include "libpool/actors/caf/return_path.hpp"
#include "libpool/actors/caf/tracked_element.hpp"
#include "libpool/actors/gather/collectors.hpp"
#include "libpool/actors/managed/backlog.hpp"
#include "libpool/actors/managed/detour.hpp"
#include "libpool/actors/managed_options.hpp"
#include "libpool/actors/managed_policy.hpp"
#include "libpool/actors/pool_options.hpp"
#include "libpool/actors/pool_stats.hpp"
#include "libpool/core/dispatcher.hpp"
#include "libpool/core/histogram.hpp"
#include "libpool/core/restarts.hpp"

#include <caf/actor.hpp>
#include <caf/actor_addr.hpp>
#include <caf/error.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/message.hpp>

#include <boost/intrusive/list.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace libpool {

struct gather;
struct managed_worker;

/// A task of a managed pool, and what belongs to it.
struct managed_task : task {
  /// The client's message, while it is not in a mailbox.
  caf::mailbox_element_ptr what;
  /// What carries it, while it is in a mailbox.
  tracked_element* carrier = nullptr;
  bool is_request = false;
  /// Whether any of the following is set.
  bool has_extras = false;
  /// The way of the answer, if the pool may have to step in.
  std::shared_ptr<detour> way;
  /// The content, if it may have to be sent again.
  caf::message content;
  /// Whether the handler has returned, and only the answer is missing.
  bool awaits_answer = false;
  /// Who has sent it, where that has to be remembered.
  caf::strong_actor_ptr client;
  caf::message_id id;
  /// The same as it came, and the last worker, where somebody wants to know.
  caf::strong_actor_ptr asker;
  caf::message_id asked;
  caf::actor worker;
  /// What is known of the last crash, or of why it is refused.
  std::string crash;
  /// Whether it was answered with an error, as far as the pool can see.
  bool answered_with_error = false;

  // Where the client or the worker is another pool:

  /// What that pool has told of the message, and its element, once that has
  /// begun: destroyed when this task is over.
  std::shared_ptr<passage> from_outer;
  caf::mailbox_element_ptr outer;
  /// To whom the worker answers, in place of who is named in that.
  caf::strong_actor_ptr stand_in;
  /// What the pool that is the worker was told of the message.
  std::shared_ptr<passage> to_inner;
  /// Why it cannot be sent.
  errc lost{};

  // Where messages are handled by several tasks:

  /// Of the tasks for one message, and which of them it is.
  struct gather* gather = nullptr;
  std::size_t part = 0;
  /// The one that alone may run it, if it was asked for.
  managed_worker* asked_of = nullptr;
  bool is_for_one = false;
  boost::intrusive::list_member_hook<> gather_hook;
  boost::intrusive::list_member_hook<> asked_hook;
};

template <auto Hook>
using managed_task_list = boost::intrusive::list<
  managed_task, boost::intrusive::member_hook<
                  managed_task, boost::intrusive::list_member_hook<>, Hook>>;

/// A message that is handled by several tasks, as long as there are any.
struct gather {
  /// Who waits for their answers.
  caf::strong_actor_ptr collector;
  caf::strong_actor_ptr client;
  caf::message_id id;
  std::shared_ptr<const tracked_element::lineage> before;
  managed_task_list<&managed_task::gather_hook> tasks;
  instant came;
  // Where some workers are asked:
  caf::message content;
  std::vector<worker_number> asked;
  /// When the first worker got its task.
  instant sent = never;
  /// When another one is to be asked.
  instant hedge_at = never;
};

/// Workers that several tasks may run on.
struct shared_restriction {
  restriction where;
  std::size_t users = 0;
};

/// Told when as many workers as it counts have left.
struct pending_answer {
  return_path to;
  std::size_t missing = 0;
};

/// A worker of a managed pool.
struct managed_worker : worker {
  caf::actor handle;
  /// In errors, also when it has ended.
  std::string name;
  tracked_element::receiver receiver;
  /// Whether it is stopped when it is dismissed.
  bool stops = false;
  /// Whether it is to get nothing more because a user wants that.
  bool is_taken_out = false;
  /// Whether it shares the threads of the scheduler. One that has a thread of
  /// its own must not wait for these.
  bool takes_turns = false;
  /// Whether it is known to be dead before that was told.
  bool is_dying = false;
  /// Since it paused last.
  unsigned ended = 0;
  duration ran{0};
  /// At the clock, where tasks are not measured.
  instant looked{};
  std::vector<std::shared_ptr<pending_answer>> waiting;
  /// That only this one may run a task, and the tasks.
  restriction alone;
  managed_task_list<&managed_task::asked_hook> asked;
};

/// The actor in front of a managed pool, see `actor_pool`.
///
/// It translates messages and what workers do to facts, feeds these to a
/// dispatcher, and carries out what that decides. All of this happens in one
/// thread at a time, whichever has something to tell while no other one
/// handles: see `fact_inbox`. So no lock is held when CAF or the user is
/// called, and what comes back from there, at once and in the same thread, is
/// one more fact.
///
/// While tasks are open or tracked elements are under way the pool refers to
/// itself.
class managed_pool final : public pool_front,
                           private element_owner,
                           private gather_owner,
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

  /// A worker that is a pool has given up on a message that may still run.
  void settled_inside(const std::shared_ptr<passage>& of, errc why,
                      caf::execution_unit* host);

  libpool::room room() const noexcept override {
    return {seats_.load(std::memory_order_relaxed),
            expects_change_.load(std::memory_order_relaxed)};
  }

  /// A worker has paused for long enough.
  void breath_taken(worker_number number, caf::execution_unit* host);

private:
  using host_ptr = caf::execution_unit*;
  using command = std::function<void(host_ptr)>;

  /// The number of no thread.
  static constexpr auto nobody = static_cast<std::size_t>(-1);

  /// Under which the actor system is watched.
  static constexpr auto system_number =
    worker_number{static_cast<std::uint64_t>(-1)};

  // -- facts, in managed_pool.cpp and managed_arrivals.cpp --------------------

  void ended(tracked_element& what, host_ptr host) noexcept override;
  void answered(const std::shared_ptr<detour>& way, host_ptr host) override;
  void tell(command what, host_ptr host);
  void tell(fact_inbox::fact what, host_ptr host, int patience = 0);
  void handle(fact_inbox::chain before, fact_inbox::fact mine, host_ptr host);
  bool messages_can_wait() const noexcept;
  bool tasks_can_wait() const noexcept;
  bool facts_can_wait() const noexcept;
  void begin_round();
  void end_round(caf::strong_actor_ptr& self, host_ptr host);
  void handle(fact_inbox::chain facts, host_ptr host);
  void handle(fact_inbox::fact what, host_ptr host);
  void managing(caf::mailbox_element_ptr what, host_ptr host);
  void arrived(caf::mailbox_element_ptr what);
  void take_from_backlog();
  void submitted(caf::mailbox_element_ptr what, instant came, bool is_new);
  void take_in(managed_task& task, instant came);
  bool classify(managed_task& task);
  void ask_places(managed_task& task, const caf::type_erased_tuple& content);
  restriction* share(const worker_choice& choice);
  void unshare(const restriction& where);
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

  // -- several tasks for a message, in managed_gathers.cpp --------------------

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
  void was_sent(gather& what);
  void hedge(gather& what, host_ptr host);
  void hedge_due(host_ptr host);
  void forget_hedge(gather& what);
  duration hedge_delay() const;
  void cancel_rest(gather& what);
  void came_back(managed_task& what);
  void give_up_on(managed_worker& who);
  void orphaned(managed_task& what);
  void left_gather(managed_task& what);
  gather& new_gather();
  void end_gather(gather& what);

  // -- decisions, in managed_decisions.cpp ------------------------------------

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
  void settle(managed_task& what, const decision& by, host_ptr host);
  void fail(managed_task& task, const decision& by, const caf::error& why,
            host_ptr host);
  void tell_outer(managed_task& task, const decision& by, const caf::error& why,
                  host_ptr host);
  caf::error error_of(const managed_task& what, const decision& by) const;
  void answer_error(managed_task& what, const caf::error& why, host_ptr host);
  void tell_settled(const managed_task& what, const decision& by,
                    const caf::error& why);

  // -- workers, in managed_workers.cpp and managed_life.cpp -------------------

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
  void crashed();
  void replace_crashed();
  void admit(const caf::actor& worker);
  bool try_spawn();
  std::vector<managed_worker*> serving() const;
  bool resize(std::uint64_t n, caf::mailbox_element& what, host_ptr host);
  bool drain(caf::mailbox_element& what);
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

  managed_task& new_task();
  tracked_element& new_carrier();
  void recycle(managed_task& what);
  void recycle(tracked_element& what);
  void hold();
  bool is_handling() const noexcept;
  instant now();

  const std::shared_ptr<const gathering> gathers_;
  const std::shared_ptr<collectors> collectors_;

  fact_inbox inbox_;
  /// The number of the thread that handles facts.
  std::atomic<std::size_t> handling_{nobody};

  // What follows belongs to whoever handles facts.

  const std::size_t threads_; // of the scheduler
  managed_options options_;
  pool_options pool_options_;
  const bool needs_extras_; // whether tasks have more than a message
  const bool asks_places_;  // whether the user says where tasks are to run
  bool measures_ = false;   // whether anybody wants to know what time it is

  using choice_key = std::pair<std::vector<worker_number>, bool>;

  std::map<choice_key, shared_restriction> choices_;
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
  restarts restarts_;
  std::multiset<instant> replacements_; // when they are due
  std::uint64_t replaced_ = 0;
  bool tries_again_ = false; // soon, to make some that are due

  bool bereft_ = false; // the last worker has died
  bool drains_ = false;
  bool ended_ = false;
  caf::actor_addr system_; // an actor that ends with the actor system
  std::vector<return_path> drainers_;

  caf::actor timer_;
  std::set<instant> alarms_; // that the clock has
  std::optional<instant> now_;
  duration lately_{0}; // a service time, of recent ones one of the longer

  std::set<std::pair<instant, gather*>> hedges_; // when they are due
  histogram answers_;                            // how long they took
  std::uint64_t gathered_ = 0;
  std::uint64_t hedged_ = 0;
  std::uint64_t answered_with_error_ = 0;
  std::vector<std::unique_ptr<gather>> free_gathers_;

  std::vector<std::unique_ptr<managed_task>> free_tasks_;
  std::vector<std::unique_ptr<tracked_element>> free_carriers_;
  std::size_t under_way_ = 0; // messages, tasks and carriers that it has
  caf::strong_actor_ptr self_;

  backlog backlog_;
  std::vector<decision> batch_;
  dispatcher dispatcher_; // goes before the workers and tasks that it knows
};

} // namespace libpool
