#pragma once

#include "libpool/export.hpp"
#include "libpool/policies/stealing/steal_records.hpp"

#include <boost/intrusive/list.hpp>
#include <boost/intrusive/set.hpp>

#include <cstddef>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace libpool {

/// Finds the busy workers that have tasks for idle workers to take over, and
/// the idle workers that may take over these tasks.
///
/// The workers that may run the same tasks form one class. A class is searched
/// for an idle worker only if a task may have become worth moving, because the
/// load of a worker has risen, or because a worker has become idle. All idle
/// workers of a class can take over the same tasks, so only one of them is
/// asked. Workers whose loads have changed are sorted only when an idle worker
/// is asked, so nothing is sorted while all workers are busy.
///
/// Cost: O(log workers) for a task that all workers may run. A worker with
///       tasks of k classes costs O(k log workers) per change of its load. The
///       first idle worker of a class is searched among the workers of the
///       class or among the idle workers, whichever are fewer. If tasks are
///       cheaper to move to some workers than to others, all idle workers are
///       asked.
class LIBPOOL_EXPORT steal_index {
public:
  steal_index() = default;
  steal_index(const steal_index&) = delete;
  steal_index& operator=(const steal_index&) = delete;

  // -- facts ------------------------------------------------------------------

  /// Adds a worker that has joined the pool.
  void joined(worker& worker);
  /// Removes a worker that has left the pool.
  void left(worker& worker) noexcept;
  /// Records that the worker has become idle: it has no tasks, and could begin
  /// one at once.
  void idled(victim_record& record, instant now);
  /// Records that the worker is not idle any more: it has a task, or cannot get
  /// one now.
  void engaged(victim_record& record) noexcept;

  /// Called before the set of workers `where`, which may run certain tasks,
  /// changes. The idle workers of the set are searched anew afterwards.
  void changing(const restriction& where) noexcept;

  /// Adds a task of the worker to the tasks that idle workers may take over.
  void list(victim_record& record, steal_record& task_record);

  /// Removes a task of the worker from the tasks that idle workers may take
  /// over. Does nothing if the task is not among them.
  void unlist(victim_record& record, steal_record& task_record);

  /// Records that the load of the worker, which is the remaining time of its
  /// tasks, or the number of its tasks has changed. The worker is sorted again
  /// in the next call of `ask`.
  void changed(victim_record& record) noexcept {
    if (!record.changed_hook.is_linked())
      changed_.push_back(record);
  }

  // -- questions --------------------------------------------------------------

  /// Whether there is a task that an idle worker may take over, if moving the
  /// task is worthwhile.
  bool has_tasks() const noexcept {
    return tasks_ > 0;
  }

  /// Whether some worker is idle.
  bool has_idle() const noexcept {
    return !idle_.empty();
  }

  /// Calls `takes` with each idle worker that may have a reason to take over a
  /// task, until a call returns true: the worker has taken over a task. The
  /// worker that has been idle for longest comes first. After a call that
  /// returned false, workers that could take over only the same tasks are
  /// skipped.
  template <class Takes>
  void ask(instant now, Takes takes);

  /// Returns the classes of the worker. A class is a set of workers that may
  /// run the same tasks. The class of all workers comes first, then the others
  /// that have tasks.
  const std::vector<steal_class*>& classes_of(const victim_record& record);

private:
  using idle_workers = boost::intrusive::set<
    victim_record, boost::intrusive::compare<idled_sooner>,
    boost::intrusive::member_hook<victim_record,
                                  boost::intrusive::set_member_hook<>,
                                  &victim_record::idle_hook>>;

  struct number_of {
    using type = worker_number;

    type operator()(const victim_record& record) const noexcept {
      return record.worker->number;
    }
  };

  using workers_by_number = boost::intrusive::set<
    victim_record, boost::intrusive::key_of_value<number_of>,
    boost::intrusive::member_hook<victim_record,
                                  boost::intrusive::set_member_hook<>,
                                  &victim_record::number_hook>>;
  using class_queue =
    boost::intrusive::list<steal_class,
                           boost::intrusive::member_hook<
                             steal_class, boost::intrusive::list_member_hook<>,
                             &steal_class::queue_hook>>;

  using changed_workers = boost::intrusive::list<
    victim_record, boost::intrusive::member_hook<
                     victim_record, boost::intrusive::list_member_hook<>,
                     &victim_record::changed_hook>>;

  /// A set of workers that may run the same tasks, and the idle worker of this
  /// set that the current call of `ask` asks next.
  struct asked_class {
    steal_class* asked;
    victim_record* next;
  };

  steal_offer& offer_for(victim_record& record, const restriction* where);
  static void place(steal_offer& offer);
  static void displace(steal_offer& offer) noexcept;
  void sort_in(victim_record& record);
  void refresh(steal_offer& offer);
  void look_at(steal_class& takers) noexcept;
  void forget(steal_class& takers);
  void index(steal_class& takers);
  void unindex(steal_class& takers);
  victim_record* first_taker(steal_class& takers, instant now);
  victim_record* taker_after(const steal_class& takers,
                             const victim_record* last);
  victim_record* named_taker_after(const steal_class& takers,
                                   const victim_record* last);
  void begin_round(instant now);
  victim_record* next_to_ask();
  void refused(const victim_record& record);

  steal_class all_{nullptr};
  std::map<const restriction*, steal_class> some_;
  workers_by_number workers_;
  idle_workers idle_;
  changed_workers changed_;
  class_queue queue_;
  /// Classes (sets of workers that may run the same tasks) of at most 8
  /// workers. A class has one entry for the number of each of its workers.
  std::set<std::pair<worker_number, steal_class*>> named_;
  /// Classes (sets of workers that may run the same tasks) of more than 8
  /// workers, except the class of all workers.
  std::set<steal_class*> many_;
  /// Number of tasks that idle workers may take over.
  std::size_t tasks_ = 0;
  /// Number of tasks that idle workers may take over, and that have different
  /// moving times for different workers.
  std::size_t choosy_ = 0;

  std::vector<asked_class> round_;
  std::vector<steal_class*> classes_;
};

template <class Takes>
void steal_index::ask(instant now, Takes takes) {
  begin_round(now);
  while (auto* thief = next_to_ask()) {
    if (takes(*thief))
      return;
    refused(*thief);
  }
}

} // namespace libpool
