#pragma once

#include "libpool/core/dispatcher.hpp"
#include "support/dispatcher_world.hpp"
#include "support/watched_order.hpp"
#include "support/watched_placement.hpp"
#include "support/watched_stealing.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace test {

using libpool::assignment;
using libpool::duration;
using libpool::ending;
using libpool::errc;
using libpool::instant;
using libpool::never;
using libpool::outcome;
using condition = libpool::task::condition;
using decision_kind = libpool::decision::kind;

/// A law of all dispatchers does not hold.
struct broken_law : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline void require(bool holds, const char* law) {
  if (!holds)
    throw broken_law{law};
}

/// Of a task or worker of the world.
template <class T>
std::size_t known_index_in(const std::deque<T>& all, const T* element) {
  auto result = index_in(all, element);
  require(result < all.size(), "decisions are about tasks and workers");
  return result;
}

/// The parts of a dispatcher, as far as laws depend on them.
struct makeup {
  libpool::limits within;
  assignment when = assignment::lazy;
  bool steals = false;
  /// Whether the costs of tasks, and of moving them, matter for that.
  bool weighs_costs = false;
  /// Whether the higher priority goes first, and how long a task waits until it
  /// is lifted by one level.
  bool by_priority = false;
  std::optional<duration> age_step = std::nullopt;
  /// Whether the earliest deadline goes first; `by_priority` is set, too.
  bool by_deadline = false;
  /// Whether the order goes by flows, and how many tasks of a flow may wait.
  bool by_flows = false;
  std::optional<std::size_t> queue_limit = std::nullopt;
  /// Whether no two flows ever share a queue.
  bool parts_flows = false;
  /// Whether every task takes one seat.
  bool is_narrow = false;
  /// Whether a task may have to wait for others of its key.
  bool holds_keys = false;
  /// Whether nothing ever separates or reorders the tasks of a key.
  bool keeps_keys = false;

  bool is_stealing_watched() const {
    return when == assignment::eager && steals && weighs_costs;
  }
};

/// A task since it was submitted, as facts and decisions tell.
struct task_life {
  /// Submitted and not released.
  bool known = false;
  bool settled = false;
  bool begun = false;
  bool recalled = false;
  bool hangs = false;
  /// Its client has cancelled it.
  bool unwanted = false;
  /// Once it is settled.
  outcome how = outcome::completed;
  unsigned crashes = 0;
  /// How often it was retried since its handler had answered with an error.
  unsigned errors = 0;
  /// When it is looked at, while it is in a mailbox.
  instant check_at = never;
  /// The task whose handler waits for it.
  std::optional<std::size_t> asker;
  /// The worker of which some task waits for it.
  std::optional<std::size_t> asking;
  /// When it may run again.
  instant not_before = instant::min();
  instant submitted{};
  /// In whose mailbox it is, if in any.
  std::optional<std::size_t> on;
  /// Whether it was sent together with a task that its worker still has.
  bool follows = false;
  /// Of the pool, that it takes there.
  std::size_t seats = 0;
};

/// A worker since it joined.
struct worker_life {
  /// Joined and not dismissed.
  bool known = false;
  /// Retired, or dead.
  bool out = false;
  bool dead = false;
  bool pauses = false;
  bool suspended = false;
  std::size_t in_mailbox = 0;
  std::size_t hanging = 0;
  /// The tasks in its mailbox.
  std::vector<std::size_t> tasks{};
};

/// The state of the dispatcher of a world by facts and decisions, and its
/// consequences: which worker could have which task.
class witness_state {
public:
  /// The policies of the world are watched, and cost-aware stealing as well.
  witness_state(dispatcher_world& of, const makeup& how)
    : world_(of),
      how_(how),
      order_(static_cast<watched_order&>(*of.policies.order)),
      placement_(static_cast<watched_placement&>(*of.policies.placement)),
      stealing_(how.is_stealing_watched()
                  ? static_cast<watched_stealing*>(of.policies.stealing)
                  : nullptr),
      tasks_(of.tasks.size()),
      workers_(of.workers.size()) {
    // nop
  }

  witness_state(const witness_state&) = delete;
  witness_state& operator=(const witness_state&) = delete;

  const task_life& of_task(std::size_t task) const {
    return tasks_[task];
  }

  const worker_life& of_worker(std::size_t worker) const {
    return workers_[worker];
  }

  /// Which tasks were sent to which workers, by number, in that order.
  const std::vector<std::pair<std::uint64_t, std::uint64_t>>& sends() const {
    return sends_;
  }

  /// How often the next tick was a doubling of what a task is taken to cost.
  std::size_t doublings() const {
    return doublings_;
  }

  bool may_run(std::size_t task, std::size_t worker) const {
    const auto* where = world_.tasks[task].notes().where;
    return where == nullptr || where->loose
           || permits(*where, world_.workers[worker].number);
  }

  /// Whether a task waits for others of its key: they are with a worker that
  /// takes nothing new, or on which it may not run; or one that goes before it
  /// waits.
  bool is_held(std::size_t task) const {
    const auto& key = world_.tasks[task].notes().key;
    if (!how_.holds_keys || !key)
      return false;
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      const auto& other = world_.tasks[i];
      if (i == task || other.notes().key != key)
        continue;
      if (other.is == condition::waiting && goes_before(i, task))
        return true;
      for (std::size_t j = 0; j < workers_.size(); ++j)
        if (other.on == &world_.workers[j]
            && (!may_be_assigned(j) || !may_run(task, j)))
          return true;
    }
    return false;
  }

protected:
  // -- workers ----------------------------------------------------------------

  /// Whether tasks may be bound to it, if only to be sent later.
  bool is_well(std::size_t worker) const {
    const auto& life = workers_[worker];
    return life.known && !life.out && life.hanging == 0 && !life.suspended
           && !world_.workers[worker].rest_hook.is_linked();
  }

  /// Whether tasks may be assigned to it as they come.
  bool may_be_assigned(std::size_t worker) const {
    return is_well(worker) && !world_.workers[worker].waits;
  }

  /// Whether it may be sent tasks, as far as there is room for them.
  bool is_fit(std::size_t worker) const {
    return is_well(worker) && !workers_[worker].pauses && !suspended_;
  }

  bool has_place(std::size_t worker) const {
    return is_fit(worker) && seats_taken(worker) < world_.workers[worker].seats;
  }

  bool has_room(std::size_t worker) const {
    if (how_.by_flows)
      return has_place(worker);
    return is_fit(worker)
           && workers_[worker].in_mailbox < world_.workers[worker].window;
  }

  /// Whether it has room for the task in particular.
  bool has_room(std::size_t worker, std::size_t task) const {
    auto seats = world_.workers[worker].seats;
    return has_room(worker)
           && (!how_.by_flows
               || seats_taken(worker)
                      + std::min(world_.tasks[task].notes().width, seats)
                    <= seats);
  }

  /// Whether the task could be bound to that worker right now.
  bool may_be_bound(std::size_t task, std::size_t worker) const {
    return may_go(task) && suits(task, worker);
  }

  /// Whether the worker could have the task if no limit held the task back.
  bool suits(std::size_t task, std::size_t worker) const {
    return may_run(task, worker)
           && (how_.when == assignment::eager ? may_be_assigned(worker)
                                              : has_room(worker, task));
  }

  /// Whether the worker is one of those that the task has named.
  bool is_preferred(std::size_t task, std::size_t worker) const {
    const auto* where = world_.tasks[task].notes().where;
    return where != nullptr && permits(*where, world_.workers[worker].number);
  }

  bool prefers_some_worker(std::size_t task) const {
    for (std::size_t i = 0; i < workers_.size(); ++i)
      if (is_preferred(task, i) && suits(task, i))
        return true;
    return false;
  }

  /// The home of a task that is bound at once, if that is there and permitted.
  std::optional<std::size_t> home_of(std::size_t task) const {
    const auto& it = world_.tasks[task];
    for (std::size_t i = 0; i < workers_.size(); ++i)
      if (it.notes().home == world_.workers[i].number && may_be_assigned(i)
          && how_.when == assignment::eager
          && (it.notes().where == nullptr || is_preferred(task, i)))
        return i;
    return std::nullopt;
  }

  // -- tasks that handlers wait for -------------------------------------------

  /// Whether the handler of the task waits for another one.
  bool waits_for_another(std::size_t task) const {
    return std::any_of(tasks_.begin(), tasks_.end(), [&](const task_life& it) {
      return it.known && !it.settled && it.asker == task;
    });
  }

  /// Whether all tasks of the worker wait for others. Each task that the
  /// worker has asked for may be the one that one of its begun tasks waits for.
  bool do_all_wait(std::size_t worker) const {
    auto asked =
      std::count_if(tasks_.begin(), tasks_.end(), [&](const task_life& it) {
        return it.known && !it.settled && it.asking == worker;
      });
    for (std::size_t i = 0; i < tasks_.size(); ++i)
      if (tasks_[i].on == worker && !waits_for_another(i)
          && (!tasks_[i].begun || --asked < 0))
        return false;
    return true;
  }

  /// Whether the task, which a worker may have, waits for another one.
  bool does_wait(std::size_t task) const {
    const auto& it = tasks_[task];
    return waits_for_another(task)
           || (it.on && it.begun && do_all_wait(*it.on));
  }

  /// Whether the worker can go on only after other tasks of the pool.
  bool waits(std::size_t worker) const {
    auto has_place = how_.by_flows
                       ? seats_taken(worker) < world_.workers[worker].seats
                       : workers_[worker].in_mailbox
                           < world_.workers[worker].window;
    return workers_[worker].known && !has_place && do_all_wait(worker);
  }

  /// Whether a limit holds the task back, and all tasks that count for it wait
  /// for others.
  bool is_held_by_waiting(std::size_t task) const {
    auto holds = [&](const libpool::throttle& limit,
                     std::optional<std::size_t> of) {
      auto counted = at_workers(of);
      auto result = limit.most_running && *limit.most_running > 0
                    && counted >= *limit.most_running;
      for (std::size_t i = 0; i < tasks_.size(); ++i)
        if (world_.tasks[i].on != nullptr
            && (!of
                || world_.tasks[i].flow.key().hash()
                     == world_.tasks[*of].flow.key().hash()))
          result = result && does_wait(i);
      return result;
    };
    return world_.pool.gates().is_on()
           && (holds(limits_of(task), task)
               || holds(throttles_.of_all, std::nullopt));
  }

  /// Whether a task past its deadline keeps the worker from others, and waits
  /// for another one.
  bool hangs_waiting(std::size_t worker) const {
    for (std::size_t i = 0; i < tasks_.size(); ++i)
      if (tasks_[i].on == worker && tasks_[i].hangs && does_wait(i))
        return true;
    return false;
  }

  /// Whether all tasks at workers wait for others, and no worker will get fit
  /// for tasks by itself.
  bool do_all_tasks_wait() const {
    const auto& gates = world_.pool.gates();
    auto has_waiting = world_.pool.books().waiting > 0;
    if (gates.is_on() && gates.next_tick(has_waiting) != never)
      return false; // for a token
    auto some_wait = false;
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      if (tasks_[i].on && !does_wait(i))
        return false;
      some_wait = some_wait || tasks_[i].on.has_value();
    }
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      const auto& it = workers_[i];
      if (it.known && !it.out && it.hanging == 0 && !is_fit(i))
        return false;
    }
    return some_wait;
  }

  /// Whether a handler waits for the task, and no worker will ever run it.
  bool is_in_cycle(std::size_t task) const {
    const auto& it = world_.tasks[task];
    auto is_asked_for = tasks_[task].asker || tasks_[task].asking;
    if (!is_asked_for || !is_unsent(task) || is_delayed(task) || suspended_)
      return false;
    if (is_held_by_waiting(task))
      return true;
    if (do_all_tasks_wait() && (!it.parked || flow_may_go(task)))
      return true;
    if (it.parked)
      return false;
    for (std::size_t i = 0; i < workers_.size(); ++i)
      if (waits(i) && is_tied_to(task, i))
        return true;
    auto some_worker_waits = false;
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      if (!workers_[i].known || workers_[i].out || !may_run(task, i))
        continue;
      if (!waits(i) && workers_[i].hanging == 0)
        return false;
      some_worker_waits = some_worker_waits || waits(i) || hangs_waiting(i);
    }
    return some_worker_waits;
  }

  // -- times ------------------------------------------------------------------

  instant after_limit(instant since) const {
    auto limit = how_.within.time_limit;
    return limit ? libpool::later(since, *limit) : never;
  }

  /// When the worker of the task, whose handler runs, hangs.
  instant stuck_from(std::size_t task) const {
    const auto& it = world_.tasks[task];
    return std::min(it.deadline, after_limit(it.started));
  }

  /// When the task has to be looked at, unless it is settled before.
  instant due_of(std::size_t task) const {
    const auto& it = world_.tasks[task];
    if (it.deadline <= world_.now) // and it was asked to come back
      return never;
    auto check_at = tasks_[task].on ? tasks_[task].check_at
                                    : it.attempt().check_at;
    return std::min(it.deadline, check_at);
  }

  // -- limits on tasks at workers ---------------------------------------------

  bool is_paused(std::size_t task) const {
    return paused_.count(world_.tasks[task].flow.key().name()) > 0;
  }

  const libpool::throttle& limits_of(std::size_t task) const {
    auto i = throttles_.of_flows.find(world_.tasks[task].flow.key().name());
    return i != throttles_.of_flows.end() ? i->second : throttles_.of_each_flow;
  }

  /// The tasks at workers, of the flow of the task or of all flows.
  std::size_t at_workers(std::optional<std::size_t> task) const {
    std::size_t result = 0;
    for (const auto& other : world_.tasks)
      if (other.on != nullptr
          && (!task
              || other.flow.key().hash()
                   == world_.tasks[*task].flow.key().hash()))
        ++result;
    return result;
  }

  /// Whether its flow may have one more task at workers.
  bool flow_may_go(std::size_t task) const {
    const auto& it = world_.tasks[task];
    const auto& gates = world_.pool.gates();
    return it.is == condition::unknown
             ? gates.would_open(it.flow.key(), world_.now)
             : gates.is_open(it, world_.now);
  }

  /// Whether it waits for the time of a retry.
  bool is_delayed(std::size_t task) const {
    return world_.tasks[task].notes().not_before != never;
  }

  bool may_go(std::size_t task) const {
    return world_.pool.gates().pool_is_open(world_.now) && flow_may_go(task)
           && !is_delayed(task);
  }

  // -- tasks ------------------------------------------------------------------

  bool is_unsent(std::size_t task) const {
    return tasks_[task].known && !tasks_[task].on;
  }

  /// Whether all workers that may run the task have left.
  bool is_lost(std::size_t task) const {
    const auto* where = world_.tasks[task].notes().where;
    if (where == nullptr || where->loose || where->only.empty())
      return false;
    for (auto number : where->only) {
      if (static_cast<std::uint64_t>(number) >= joined_)
        return false; // may come yet
      for (std::size_t i = 0; i < workers_.size(); ++i)
        if (world_.workers[i].number == number && workers_[i].known
            && !workers_[i].out)
          return false;
    }
    return true;
  }

  /// Whether others of its key are with that worker.
  bool is_tied_to(std::size_t task, std::size_t worker) const {
    const auto& key = world_.tasks[task].notes().key;
    for (std::size_t i = 0; i < tasks_.size(); ++i)
      if (how_.holds_keys && key && i != task
          && world_.tasks[i].notes().key == key
          && world_.tasks[i].on == &world_.workers[worker])
        return true;
    return false;
  }

  /// Tasks of higher levels go first.
  std::int64_t level_of(std::size_t task) const {
    const auto& it = world_.tasks[task];
    if (how_.by_deadline)
      return -it.deadline.time_since_epoch().count();
    if (!how_.by_priority)
      return it.urgent ? 1 : 0;
    if (!how_.age_step)
      return it.notes().priority;
    return it.notes().priority * how_.age_step->count()
           - tasks_[task].submitted.time_since_epoch().count();
  }

  /// Which of two tasks that wait goes first.
  bool goes_before(std::size_t x, std::size_t y) const {
    auto level_of_x = level_of(x);
    auto level_of_y = level_of(y);
    return level_of_x != level_of_y
             ? level_of_x > level_of_y
             : world_.tasks[x].number < world_.tasks[y].number;
  }

  /// Why the task has been refused by now; errc{} if it has not.
  errc refusal_of(std::size_t task) const {
    for (const auto& made : made_)
      if (made.is == decision_kind::end && made.how == outcome::refused
          && made.task == &world_.tasks[task])
        return made.why;
    return {};
  }

  // -- seats ------------------------------------------------------------------

  /// Of the workers that are well.
  std::size_t all_seats() const {
    std::size_t result = 0;
    for (std::size_t i = 0; i < workers_.size(); ++i)
      result += is_well(i) ? world_.workers[i].seats : 0;
    return result;
  }

  /// The taken seats of these workers.
  std::size_t seats_charged() const {
    std::size_t result = 0;
    for (const auto& life : tasks_)
      result += life.on && !life.follows && is_well(*life.on) ? life.seats : 0;
    return result;
  }

  std::size_t seats_taken(std::size_t worker) const {
    std::size_t result = 0;
    for (std::size_t i = 0; i < tasks_.size(); ++i)
      if (tasks_[i].on == worker && !tasks_[i].follows)
        result += std::min(world_.tasks[i].notes().width,
                           world_.workers[worker].seats);
    return result;
  }

  /// Whether the pool has the seats that the task takes.
  bool fits(std::size_t task) const {
    auto all = all_seats();
    return seats_charged() + std::min(world_.tasks[task].notes().width, all)
           <= all;
  }

  bool is_wider_than_all(std::size_t task) const {
    std::size_t all = 0;
    for (std::size_t i = 0; i < workers_.size(); ++i)
      if (workers_[i].known && !workers_[i].out)
        all += world_.workers[i].seats;
    return how_.by_flows && how_.within.too_wide == libpool::too_wide::refuse
           && all > 0 && world_.tasks[task].notes().width > all;
  }

  /// The waiting tasks of its flow.
  std::size_t waiting_of_flow(std::size_t task) const {
    std::size_t result = 0;
    for (std::size_t i = 0; i < tasks_.size(); ++i)
      if (world_.tasks[i].is == condition::waiting && !is_delayed(i)
          && world_.tasks[i].flow.key().hash()
               == world_.tasks[task].flow.key().hash())
        ++result;
    return result;
  }

  /// The tasks of its flow whose retry is due.
  std::size_t due_of_flow(std::size_t task) const {
    std::size_t result = 0;
    for (const auto& other : world_.tasks)
      if (other.notes().not_before <= world_.now
          && other.flow.key().hash() == world_.tasks[task].flow.key().hash())
        ++result;
    return result;
  }

  /// The next task.
  std::optional<std::size_t> head() const {
    auto* result = order_.choose(world_.now);
    if (result == nullptr)
      return std::nullopt;
    return known_index_in(world_.tasks, result);
  }

  // -- numbers ----------------------------------------------------------------

  std::uint64_t& number_of(outcome how) {
    return outcomes_[static_cast<std::size_t>(how)];
  }

  std::uint64_t number_of(outcome how) const {
    return outcomes_[static_cast<std::size_t>(how)];
  }

  std::uint64_t unsent() const {
    auto behind_others =
      std::count_if(tasks_.begin(), tasks_.end(),
                    [](const task_life& life) { return life.follows; });
    return books().waiting + books().assigned
           + static_cast<std::uint64_t>(behind_others);
  }

  const libpool::ledger& books() const {
    return world_.pool.books();
  }

  dispatcher_world& world_;
  const makeup how_;
  watched_order& order_;
  watched_placement& placement_;
  /// Nullptr unless tasks are stolen by what they cost.
  watched_stealing* stealing_;
  std::vector<task_life> tasks_;
  std::vector<worker_life> workers_;

  /// The decisions that the present fact has brought about.
  std::vector<libpool::decision> made_;
  std::array<std::uint64_t, 4> outcomes_{};
  std::vector<std::pair<std::uint64_t, std::uint64_t>> sends_;
  std::uint64_t accepted_ = 0;
  /// How many workers have joined: they are numbered as they come.
  std::uint64_t joined_ = 0;
  watched_stealing::idle_workers idle_since_;
  std::size_t doublings_ = 0;
  bool closed_ = false;
  bool abandoned_ = false;
  bool suspended_ = false;
  /// Whether a task is being submitted for which a worker waits, maybe only
  /// until the task is refused.
  bool asks_ = false;
  /// The flows that are paused.
  std::set<std::string> paused_;
  libpool::throttles throttles_ = how_.within.throttles;
  /// The sends since limits changed, except those of tasks that came back.
  struct begin {
    instant at;
    std::size_t task = 0;
    std::uint64_t flow = 0;
    bool is_retry = false;
  };
  std::vector<begin> begins_;
  std::uint64_t retries_refused_ = 0;
};

} // namespace test
