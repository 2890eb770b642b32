#pragma once

#include "libpool/actors/caf/inner_pool.hpp"
#include "libpool/actors/caf/port/tracked_element.hpp"
#include "libpool/actors/caf/port/types.hpp"
#include "libpool/actors/managed/answers.hpp"
#include "libpool/actors/managed/endings.hpp"
#include "libpool/actors/managed/gathers.hpp"
#include "libpool/actors/managed/managed_front.hpp"
#include "libpool/actors/managed/managed_worker.hpp"
#include "libpool/actors/managed/node_book.hpp"
#include "libpool/actors/managed/pool_clock.hpp"
#include "libpool/actors/managed/published_room.hpp"
#include "libpool/actors/managed/roster.hpp"
#include "libpool/actors/managed/spawning.hpp"
#include "libpool/actors/managed/thread_sharing.hpp"
#include "libpool/actors/managed_setup.hpp"
#include "libpool/actors/pause_scope.hpp"
#include "libpool/actors/pool_stats.hpp"
#include "libpool/core/autoscaler.hpp"
#include "libpool/core/dispatcher.hpp"
#include "libpool/core/errc.hpp"
#include "libpool/core/staffing.hpp"
#include "libpool/core/worker_number.hpp"

#include <caf/actor.hpp>
#include <caf/actor_control_block.hpp>
#include <caf/error.hpp>
#include <caf/mailbox_element.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace libpool {

/// Workers of a managed pool: adds, makes, pauses and retires workers, and
/// publishes the room that they have for messages.
///
/// Threads: the pool's, except for `room`.
class staff {
public:
  staff(managed_front& pool, const managed_setup& options,
        dispatcher& dispatcher, pool_clock& clock, gathers& gathers,
        node_book& nodes, const endings& end);

  staff(const staff&) = delete;
  staff& operator=(const staff&) = delete;

  ~staff();

  // -- commands of users ------------------------------------------------------

  /// Sets the factory, and makes `n` workers. If a worker cannot be made, keeps
  /// the factory and the workers made before.
  ///
  /// Errors: std::invalid_argument; exceptions of the factory.
  void populate(std::size_t n, const spawning::factory& make_worker);

  /// Accepts no workers other than nodes from now on. Returns false, without an
  /// effect, if other workers serve or can be made, or the pool is not for
  /// nodes.
  bool keep_to_nodes();

  /// Adds a worker for a user, so that the pool has one more from now on.
  caf::error put(const caf::actor& worker);

  /// Removes one worker, or all if nullptr. `done` is given when they have
  /// ended what they have begun.
  void remove(const caf::actor* worker,
              const std::shared_ptr<pending_answer>& done);

  /// Returns why the pool cannot have `n` workers.
  caf::error objection_to_size(std::uint64_t n) const;

  /// Makes workers, or removes workers. `done` is given when these have ended
  /// what they have begun, except handlers that overrun.
  caf::error resize(std::uint64_t n,
                    const std::shared_ptr<pending_answer>& done);

  /// Pauses the workers or the node of the scope, or ends the pause.
  void pause(const pause_scope& scope, bool is, execution_context* host);

  /// Whether a worker serves that the scope means, or a node of the scope is
  /// paused.
  bool knows(const pause_scope& scope) const;

  /// Ends the pauses of nodes.
  void end_pauses(execution_context* host);

  // -- facts ------------------------------------------------------------------

  /// Decides what becomes of a worker that has given something back, for this
  /// reason, if it has said one.
  void judge(managed_worker& worker, errc why);

  /// Lets the worker, which uses the scheduler and has ended the message of
  /// `ended`, pause if it has run for long.
  void let_others_run(managed_worker& worker, const tracked_element& ended);

  /// Notes the new room of a worker that is a pool.
  void room_changed(worker_number number, const room_report& report,
                    execution_context* host);

  /// Notes that a message was given back to an outer pool because this pool was
  /// full.
  void was_full() noexcept {
    room_.was_full(dispatcher_.books());
  }

  /// Notes the reported end of the worker. Returns whether the worker served.
  bool has_died(managed_worker& worker);

  /// Counts the end of the worker, whose tasks have come back. A crashed worker
  /// that served is replaced. The worker may be destroyed.
  void has_left(managed_worker& worker, bool served, const caf::error& reason,
                execution_context* host);

  // -- decisions --------------------------------------------------------------

  /// Gives the worker no more tasks. The worker is dismissed when it has ended
  /// what it has begun. `stops`: whether it is stopped then. `done` is given
  /// then; nullptr: none.
  void retire(managed_worker& worker, bool stops,
              const std::shared_ptr<pending_answer>& done);

  /// Removes the worker, which has no task. A worker that was not retired has
  /// died, which is still to be told.
  void dismiss(managed_worker& worker, execution_context* host);

  /// Makes workers that are missing, and retires idle ones that are too many.
  /// If the factory fails, and is to be called again at once, others have their
  /// turn first.
  void keep_staffed();

  /// If all workers wait for a request that none of them will handle, and no
  /// worker is about to be replaced, makes another worker for one of them, or
  /// fails the request. Returns whether there was such a request.
  bool breaks_cycle();

  /// Stops the actor.
  void stop(const caf::actor& worker, const caf::error& reason,
            execution_context* host);

  /// Stops all workers that have not left.
  void stop_all(const caf::error& reason, execution_context* host);

  /// Makes no more workers.
  void end() noexcept;

  // -- the room ---------------------------------------------------------------

  /// Returns the room that was published last. Can be called from any thread.
  libpool::room room() const noexcept {
    return room_.get();
  }

  /// Ends a round: reports the room to outer pools if they must know it.
  void publish_room(execution_context* host) {
    if (auto report = room_.round_ended(room_now(), dispatcher_.books()))
      pool_.outer().tell(*report, host);
  }

  // -- questions --------------------------------------------------------------

  const roster& workers() const noexcept {
    return roster_;
  }

  /// The actor at which nodes join; nullptr if the pool is not for nodes.
  const caf::strong_actor_ptr& entrance() const noexcept {
    return nodes_.entrance();
  }

  /// Whether no worker serves, and none is expected.
  bool is_alone() const {
    return roster_.seats() == 0 && !staffing_.is_pending()
           && roster_.has_nobody() && !makes_workers();
  }

  /// Whether replacements of crashed workers are pending.
  bool expects_replacements() const noexcept {
    return staffing_.is_pending();
  }

  /// Whether a worker may wait for a request to this pool.
  bool may_wait() const noexcept {
    return workers_may_wait_;
  }

  /// Returns the worker that has sent the request, itself or through a gate,
  /// and may wait for the answer; nullptr if there is none.
  managed_worker* asking_worker(const caf::mailbox_element& element) const {
    return workers_may_wait_ ? find_asking_worker(element) : nullptr;
  }

  /// Returns what the error of a task depends on that is not completed now.
  pool_condition condition() const noexcept {
    return {end_.has_ended(), spawning_.problem(),
            options_.patience.has_value()};
  }

  /// Returns the time at which a replacement is due; `never` if none is.
  instant next_tick() const noexcept {
    auto due = spawning_.pauses() ? never : staffing_.next();
    return scaler_ && !end_.has_ended()
             ? std::min({due, scaler_->next(load(), wanted()), next_attempt()})
             : due;
  }

  // -- figures ----------------------------------------------------------------

  /// Numbers of workers that have left.
  const departure_counts& departed() const noexcept {
    return departed_;
  }

  /// Number of crashed workers that were replaced.
  std::uint64_t restarts() const noexcept {
    return restarts_;
  }

  std::size_t stand_ins() const noexcept {
    return staffing_.stand_ins();
  }

  /// Number of workers that the pool wants, without stand-ins.
  std::size_t wanted() const noexcept {
    return scaler_ && !spawning_.has_factory() ? scaled_ : staffing_.wanted();
  }

  /// Reason for `wanted`; empty unless the pool chooses the number.
  std::string wanted_why() const {
    return scaler_ ? scaler_->why() : std::string{};
  }

private:
  caf::error join(const caf::actor& worker);
  void add(std::unique_ptr<managed_worker> worker);
  void admit(const caf::actor& worker);
  bool try_spawn();
  void forget(managed_worker& worker, execution_context* host);
  void note_end(const caf::error& reason);
  void pause(managed_worker& worker, bool is, execution_context* host);
  std::vector<managed_worker*> workers_of(const pause_scope& scope) const;
  managed_worker* find_asking_worker(const caf::mailbox_element& element) const;
  headcount last_count() const noexcept;
  headcount count_workers();
  std::vector<managed_worker*> in_order_of_retirement() const;
  void retire_idle(std::size_t most);
  bool gets_stand_in();

  /// Whether a worker that is the actor may wait for an answer of the pool.
  bool may_wait(const caf::abstract_actor& worker) const {
    return options_.busy_until == busy_until::answer
           || worker.getf(caf::abstract_actor::is_blocking_flag);
  }

  /// Whether the pool chooses to make workers, and has not made all of them.
  bool may_grow() const {
    return scaler_ && spawning_.has_factory()
           && roster_.size() < scaler_->rule().most;
  }

  /// Whether the pool makes workers when messages come. Not for an interval
  /// after it could not make one.
  bool makes_workers() const {
    return may_grow()
           && (spawning_.problem().empty() || clock_.look() >= makes_again_);
  }

  /// Time at which `makes_workers` is true again; `never` if it is, or never
  /// will be.
  instant next_attempt() const {
    return may_grow() && !makes_workers() ? makes_again_ : never;
  }

  /// A pool that makes its first worker for a message has room for that, or
  /// will have it; if messages ask several workers, the workers come first. A
  /// worker with batches has room for all messages of one.
  libpool::room room_now() const {
    if (dispatcher_.workers().is_suspended() && end_.accepts())
      return {0, true};
    if (roster_.seats() == 0 && next_attempt() != never && end_.accepts())
      return {0, true};
    auto seats = roster_.seats();
    auto makes_first = seats == 0 && makes_workers() && !gathers_.are_on();
    auto of_worker = options_.batch ? options_.batch->most : 1;
    return end_.room_with(of_worker * (makes_first ? 1 : seats), is_alone());
  }

  pool_load load() const;
  std::uint64_t waiting_for_workers(bool counts, instant now) const;
  void scale();

  managed_front& pool_;
  const managed_setup& options_;
  dispatcher& dispatcher_;
  pool_clock& clock_;
  gathers& gathers_;
  node_book& nodes_;
  const endings& end_;
  published_room room_;
  roster roster_;
  spawning spawning_;
  staffing staffing_;
  std::optional<autoscaler> scaler_;
  instant makes_again_{};  // after a failure of the factory
  std::size_t scaled_ = 0; // wanted workers of a pool that makes none
  thread_sharing sharing_;
  std::set<std::string> paused_nodes_; // by name, also while they are away
  std::vector<worker_number> in_vain_; // workers that wait, with stand-ins
  bool workers_may_wait_;              // for requests to their own pool
  bool keeps_to_nodes_ = false;
  departure_counts departed_;
  std::uint64_t restarts_ = 0;
};

/// Whether the scope means the worker.
bool is_meant(const pause_scope& scope, const managed_worker& worker);

} // namespace libpool
