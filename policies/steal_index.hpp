#pragma once

#include "libpool/policies/steal_records.hpp"

#include <boost/intrusive/list.hpp>
#include <boost/intrusive/set.hpp>

#include <cstddef>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace libpool {

/// The workers with tasks that may be stolen, and the idle workers that may
/// take them.
///
/// Tasks that the same workers may run are of one class, and workers are looked
/// for only for classes in which something has become worth moving: because a
/// worker has got more to do, or because another one has become idle. Within a
/// class all workers see the same, so it is one of them that is asked. Workers
/// whose loads have changed are sorted when another one asks: none does while
/// all have enough to do.
///
/// Cost: O(log workers) for a task that all may run. A worker that has tasks of
///       k restrictions costs O(k log workers) whenever its load changes; the
///       first idle worker of a restriction is looked for among the named ones
///       or among the idle ones, whichever are fewer. Where tasks are cheaper
///       to move to some workers than to others, all idle ones are asked.
class steal_index {
public:
  steal_index() = default;
  steal_index(const steal_index&) = delete;
  steal_index& operator=(const steal_index&) = delete;

  // -- facts ------------------------------------------------------------------

  void joined(worker& worker);
  void left(worker& worker) noexcept;
  void idled(victim_record& record, instant now);
  void engaged(victim_record& record) noexcept;

  /// The restriction is about to name other workers.
  void changing(const restriction& where) noexcept;

  /// The task, which its worker has, may be stolen from now on.
  void list(victim_record& record, steal_record& task_record);

  /// May not be stolen any more, if it might have been.
  void unlist(victim_record& record, steal_record& task_record);

  /// The load of the worker has changed, or the number of its tasks. Nobody
  /// looks at that before an idle worker is asked.
  void changed(victim_record& record) noexcept {
    if (!record.changed_hook.is_linked())
      changed_.push_back(record);
  }

  // -- questions --------------------------------------------------------------

  bool has_tasks() const noexcept {
    return tasks_ > 0;
  }

  bool has_idle() const noexcept {
    return !idle_.empty();
  }

  /// Goes through the idle workers for which something may be worth it, the one
  /// that has been idle for longest first, until `takes` is true of one. Where
  /// one takes nothing, others that see no more than it does are left out.
  template <class Takes>
  void ask(instant now, Takes takes);

  /// The classes that the worker is of and that have something: that of all
  /// tasks first.
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

  /// A class, and the next one of its workers that is to be asked.
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
  /// Classes by the numbers of their workers, if these are few.
  std::set<std::pair<worker_number, steal_class*>> named_;
  std::set<steal_class*> many_;
  std::size_t tasks_ = 0;
  /// Tasks that are cheaper to move to some workers than to others.
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
