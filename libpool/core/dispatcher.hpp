#pragma once

#include "libpool/core/ending.hpp"
#include "libpool/core/errc.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/core/ledger.hpp"
#include "libpool/core/order.hpp"
#include "libpool/core/placement.hpp"
#include "libpool/core/restriction.hpp"
#include "libpool/core/stealing.hpp"
#include "libpool/core/task.hpp"
#include "libpool/core/worker.hpp"

#include <boost/intrusive/list.hpp>
#include <boost/intrusive/set.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace libpool {

/// When a task is bound to a worker: when it is accepted, or when some worker
/// has room in its window.
enum class assignment : std::uint8_t { eager, lazy };

/// What happens to a task that finds the pool full: it is refused, or the
/// oldest one that has not been sent is dropped for it.
enum class overflow : std::uint8_t { refuse, drop_oldest };

/// What happens to a task that takes more seats than all workers have: it takes
/// those that there are, or is refused.
enum class too_wide : std::uint8_t { clamp, refuse };

/// The three choices of which a policy is made.
struct composition {
  std::unique_ptr<libpool::order> order;
  std::unique_ptr<libpool::placement> placement;
  /// None if nullptr.
  std::unique_ptr<libpool::stealing> stealing = nullptr;
  libpool::assignment assignment = assignment::lazy;
};

/// How much a dispatcher takes, and how often it tries.
struct limits {
  /// Of tasks that were accepted and not yet sent.
  std::size_t capacity = static_cast<std::size_t>(-1);
  overflow on_overflow = overflow::refuse;
  /// How often a repeatable task runs again after a crash.
  unsigned retries = 0;
  /// Crashes after which a task fails, whatever `retries` says; 0: none.
  unsigned poison_after = 0;
  /// What happens to a task that is wider than the pool.
  libpool::too_wide too_wide = too_wide::clamp;
};

/// What has become of a task.
enum class outcome : std::uint8_t { completed, refused, failed, cancelled };

/// What is to be done.
struct decision {
  enum class kind : std::uint8_t {
    /// Send `what` to `who`.
    send,
    /// Take `what` back from the mailbox of `who`, and tell: `returned`, or, if
    /// it is too late, `started`, or `kept`.
    recall,
    /// `what` has come to its end, by `how` and `why`: answer its client. It is
    /// kept all the same until it is released.
    settle,
    /// The dispatcher knows `what` no more.
    release,
    /// The dispatcher knows `who` no more.
    dismiss,
  };

  kind is = kind::send;
  outcome how = outcome::completed;
  errc why{};
  task* what = nullptr;
  worker* who = nullptr;

  decision(kind k, task* t, worker* w, outcome o = outcome::completed,
           errc e = errc{}) noexcept
    : is(k), how(o), why(e), what(t), who(w) {
    // nop
  }
};

/// The heart of every managed pool: a state machine that is told facts and
/// makes decisions. Accepted tasks are settled exactly once, whatever the
/// workers do. It reads no clock, knows no threads and calls nobody but its
/// policies; so the actor, the simulator and the tests run the same.
///
/// A task is settled when its client can be answered. Its place in a worker's
/// window is free when its handler has ended: a worker that hangs gets nothing
/// more, and what waits for it goes elsewhere.
///
/// Load:    tasks that come back from a worker, or crashed one, keep their
///          number, and so their place before those that came after them.
/// Order:   decisions are to be carried out in the order in which they are
///          made.
/// Cost:    O(log tasks) per fact, besides what the policies need; a worker
///          that leaves or hangs costs that for each task of its own. Nothing
///          is allocated once `decisions` has grown, but for a task that has
///          to wait for particular workers: O(those). Where the order goes by
///          flows, a worker that has room costs O(flows) of those of which
///          something waits for it in particular.
/// Threads: one at a time.
/// Errors:  facts about tasks and workers that are not known change nothing.
class dispatcher {
public:
  dispatcher(composition how, const limits& within);

  dispatcher(const dispatcher&) = delete;
  dispatcher& operator=(const dispatcher&) = delete;

  /// @pre tasks and workers that it knows outlive it
  ~dispatcher();

  // -- facts about workers ----------------------------------------------------

  /// Serves from now on.
  void joined(worker& who, instant now);

  /// Is to get nothing more, and to be dismissed as soon as it has ended what
  /// it has begun.
  void retired(worker& who, instant now);

  /// Is dead. What it has begun is settled when that is told to have finished.
  void left(worker& who, instant now);

  /// Is to be sent nothing for a while, so that others have their turn.
  void paused(worker& who, instant now);

  /// May be sent something again.
  void resumed(worker& who, instant now);

  /// Takes nothing before `until`, or before it is told to have room: tasks
  /// that are bound to it, but not sent, wait for others.
  void rested(worker& who, instant until, instant now);

  /// Takes tasks again, before its rest is over.
  void roomy(worker& who, instant now);

  /// A worker that is a pool has another number of places from now on, in its
  /// window and as seats, and if that is 0 perhaps nobody to wait for. What it
  /// has been sent stays there.
  void resized(worker& who, std::size_t places, bool has_nobody, instant now);

  // -- facts about tasks ------------------------------------------------------

  /// A client wants `what` done.
  void submitted(task& what, instant now);

  /// The same, but it cannot be for a reason of the caller's.
  void refused(task& what, errc why);

  /// The handler has begun; told again if the worker had skipped the message.
  void started(task& what, instant now);

  /// The handler has ended; it has begun as well, if that was not told. One
  /// that was interrupted begins anew, and that does not count as a try.
  void finished(task& what, ending how, instant now);

  /// Came back without having started. If nobody had recalled it, its worker is
  /// dead.
  void returned(task& what, instant now);

  /// Came back without having been handled, whether its worker had looked at it
  /// or not. The worker is as it was.
  void unhandled(task& what, instant now);

  /// Cannot be taken back from its worker, and has not begun. It is recalled
  /// once more should nobody want it any more.
  void kept(task& what);

  /// Nobody wants it any more.
  void cancelled(task& what, errc why, instant now);

  // -- facts about the world --------------------------------------------------

  /// Time has passed.
  void ticked(instant now);

  /// Nothing more is to be accepted.
  void closed(errc why);

  /// No worker will come soon: what waits fails.
  void deserted(errc why, instant now);

  /// No worker will ever come: what waits fails, now and whenever something
  /// comes back. What is bound to workers that serve still goes there.
  void abandoned(errc why, instant now);

  // -- questions --------------------------------------------------------------

  /// Binds and sends what can be; what has passed its deadline by now, it
  /// cancels. Told apart from the facts, so that many of them can be followed
  /// by one dispatch.
  void dispatch(instant now);

  /// When to tell the time, if ever.
  instant next_tick() const noexcept;

  /// Whether a new task would have to wait for one that is in a mailbox to end.
  bool is_saturated() const noexcept {
    return is_late_ && offered_ == 0 && ledger_.sent + ledger_.running > 0;
  }

  /// Whether it would also have to wait for all that wait already.
  bool is_busy() const noexcept {
    return takes_turns_ && is_saturated();
  }

  /// Whether flows may be full, so that a new task is refused at once.
  bool limits_flows() const noexcept {
    return policy_.order->has_limits();
  }

  /// What is measured of tasks, if anything.
  std::optional<measure> measures() const noexcept {
    return measured_;
  }

  /// Whether the order goes by flows, and so by seats.
  bool has_flows() const noexcept {
    return has_flows_;
  }

  /// What there is to say about the flows, at most so many. Costs O(flows).
  std::vector<flow_stats> flows(std::size_t most) const {
    return policy_.order->flows(most);
  }

  /// How many tasks were taken over by other workers than they were bound to.
  std::uint64_t steals() const noexcept {
    return steals_;
  }

  /// How many of those that wait do so for particular workers.
  std::size_t barred() const noexcept {
    return barred_;
  }

  /// Whether tasks may move from one worker to another one.
  bool has_stealing() const noexcept {
    return policy_.stealing != nullptr;
  }

  /// How many tasks had a home that is no worker.
  std::uint64_t lost_homes() const noexcept {
    return lost_homes_;
  }

  /// Whether the policies go by the time.
  bool is_timed() const noexcept {
    return follows_starts_ || policy_.order->is_timed();
  }

  /// What is to be done; whoever does it clears it.
  std::vector<decision>& decisions() noexcept {
    return decisions_;
  }

  const ledger& books() const noexcept {
    return ledger_;
  }

private:
  struct older {
    bool operator()(const task& x, const task& y) const noexcept {
      return x.number < y.number;
    }
  };

  struct due_sooner {
    bool operator()(const task& x, const task& y) const noexcept {
      return x.deadline < y.deadline;
    }
  };

  struct rested_sooner {
    bool operator()(const worker& x, const worker& y) const noexcept {
      return x.rests_until < y.rests_until;
    }
  };

  struct has_more_room {
    bool operator()(const worker& x, const worker& y) const noexcept;
  };

  template <class T, auto Hook>
  using member_hook =
    boost::intrusive::member_hook<T, boost::intrusive::set_member_hook<>, Hook>;

  using tasks_by_age =
    boost::intrusive::set<task, boost::intrusive::compare<older>,
                          member_hook<task, &task::age_hook>>;
  using tasks_by_deadline =
    boost::intrusive::multiset<task, boost::intrusive::compare<due_sooner>,
                               member_hook<task, &task::due_hook>>;
  using workers_by_number =
    boost::intrusive::set<worker, boost::intrusive::compare<joined_sooner>,
                          member_hook<worker, &worker::member_hook>>;
  using resting_workers =
    boost::intrusive::multiset<worker, boost::intrusive::compare<rested_sooner>,
                               member_hook<worker, &worker::rest_hook>>;
  using workers_by_room =
    boost::intrusive::set<worker, boost::intrusive::compare<has_more_room>,
                          member_hook<worker, &worker::room_hook>>;
  template <auto Hook>
  using worker_list = boost::intrusive::list<
    worker, boost::intrusive::member_hook<
              worker, boost::intrusive::list_member_hook<>, Hook>>;

  /// How a handler has run.
  struct handler_run {
    duration took;
    ending how;
  };

  bool is_eager() const noexcept;
  errc objection(const task& what, instant now) const noexcept;
  bool could_be_sent(const task& what, instant now);
  bool make_room(task& what, instant now);
  void accept(task& what, instant now);

  /// Who gets a task, and whether the placement says so; or whether nobody does
  /// although somebody is there who may run it.
  struct choice {
    worker* who = nullptr;
    bool is_picked = false;
    bool is_unplaced = false;
  };

  /// Orders tasks so that those of one key stand together.
  struct goes_before_of_key {
    using is_transparent = void;

    bool operator()(const task* x, const task* y) const noexcept {
      return x->key != y->key ? x->key < y->key : goes_before{}(*x, *y);
    }
  };

  choice worker_for(const task& what, instant now);
  worker* home_of(const task& what);
  worker* any_worker_for(const task& what, instant now);
  choice named_worker_for(const task& what, instant now);
  bool waits_for_its_key(const task& what) const;
  bool gathers_seats(const task& what);
  bool fits(const task& what) const noexcept;
  bool has_room(const worker& who, const task& what) const noexcept;
  bool fits_on_all(const task& what) const noexcept;
  void gather_those_with_room(const task& what);
  std::size_t seats_for(const task& what) const noexcept;
  void take_seats(task& what, worker& who) noexcept;
  void free_seats(task& what, worker& who) noexcept;
  void count_seats(worker& who, bool is_well, instant now);
  void sort_by_room() noexcept;
  void keep_by_room(worker& who, bool wanted) noexcept;
  bool has_place(const worker& who) const noexcept;
  worker* offered(worker_number number);
  void gather_named(const task& what);
  void bar(task& what, bool is_unplaced, instant now);
  void unbar(task& what, instant now);
  bool is_lost(const restriction& where) const;
  void note_departure(const worker& who);
  void fail_lost(instant now);
  void fail_lost(worker_number number, instant now);
  void await(restriction& where);
  void await_no_more(restriction& where);
  void unbar_next(const task& what, instant now);
  void unbar_first_ones(restriction& where, instant now);
  void unbar_for(const worker& who, instant now);
  void unbar_unplaced(instant now);
  void unbar_next_of_key(const task& what, instant now);
  void unbar_all(instant now);
  void take_from_queue(task& what, instant now);
  void take_from_barred(task& what);

  void bind_and_send(instant now);
  void hand_out(task& what, const choice& to, instant now);
  void pick(const task& what, const choice& to, instant now);
  void assign(task& what, worker& to, instant now);
  void unassign(task& what, instant now);
  void send_next(worker& to, instant now);
  void send(task& what, instant now);
  void requeue(task& what, instant now);
  void part(task& what, std::optional<handler_run> run, instant now);
  void drop(task& what, outcome how, errc why, instant now);

  void begin(task& what, instant now);
  void presume_start(worker& who, instant now);
  void presume_start(worker& who, task& what, instant now);
  duration cost_of(const task& what, instant now) const noexcept;
  void crashed(task& what, instant now);
  void recall(task& what, errc why);
  void hang(worker& who, instant now);
  void rest(worker& who, instant until);
  void rest_after(const task& what, worker& who, instant now);

  void refresh(worker& who, instant now);
  void take_off(worker& who, instant now);
  void unassign_all(worker& who, instant now);
  void dismiss_if_done(worker& who, instant now);
  void keep_idle(worker& who, bool wanted, instant now);
  bool steal(instant now);
  void take_over(task& moved, worker& thief, instant now);

  void settle(task& what, outcome how, errc why);
  void release(task& what);
  void enter(task& what, task::condition next) noexcept;
  std::uint64_t* count_of(task::condition which) noexcept;

  composition policy_;
  std::optional<measure> measured_; // what the placement asks for
  bool follows_starts_ = false;     // whether anybody wants to know of them
  bool is_late_ = false;            // binds when some worker has room
  bool takes_turns_ = false; // does that in the order in which tasks come
  bool has_flows_ = false;
  limits limits_;
  ledger ledger_;
  std::vector<decision> decisions_;

  workers_by_number members_;
  tasks_by_age unsent_;
  tasks_by_deadline due_;
  resting_workers resting_;
  /// With something in the deque and room for it.
  worker_list<&worker::ready_hook> ready_;
  std::size_t idle_ = 0; // how many workers are, where stealing is on
  std::uint64_t steals_ = 0;
  std::uint64_t lost_homes_ = 0;
  std::size_t barred_ = 0;

  /// Those that are offered, where seats are counted.
  workers_by_room roomy_;
  bool sorts_by_room_ = false; // or nobody is in there
  /// Of the workers that are well, and how many of them are taken by what runs
  /// on these: more, if some have left since.
  std::size_t seats_ = 0;
  std::size_t seats_taken_ = 0;
  /// The same of all workers that serve, also if they do badly for now.
  std::size_t serving_seats_ = 0;

  /// What waits for a particular worker: restrictions with barred tasks; and
  /// those that name so many that they are looked at one by one.
  std::set<std::pair<worker_number, restriction*>> awaited_;
  std::set<restriction*> awaited_by_many_;
  /// Whether there was a task that only some workers may run; the number after
  /// those of all workers that have joined; and who has gone since it was last
  /// looked for tasks that nobody may run.
  bool has_strict_ = false;
  worker_number next_number_{0};
  std::vector<worker_number> departed_;
  /// What the placement had nobody for.
  task_set unplaced_;
  /// Tasks that are set aside and go before others of their keys.
  std::set<task*, goes_before_of_key> first_of_keys_;
  std::vector<worker*> candidates_;

  std::size_t offered_ = 0; // how many workers are
  std::uint64_t choices_ = 0;
  std::optional<errc> closed_;
  std::optional<errc> abandoned_;
};

} // namespace libpool
