#pragma once

#include "libpool/core/ewma.hpp"
#include "libpool/core/stealing.hpp"
#include "libpool/policies/steal_records.hpp"
#include "libpool/policies/stealing_options.hpp"

#include <boost/intrusive/set.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>

namespace libpool {

/// A worker that has nothing to do takes over what another one has not begun,
/// if moving the data costs less than waiting. It takes from those with most to
/// do, what moves most cheaply first, and of that the oldest.
///
/// What a task will take is estimated when it is bound: its own hint, else what
/// tasks of its kind have taken lately, else what all kinds have on average.
/// One that runs for longer than that is taken to need twice as long, and
/// again. The load of a worker is what its tasks in flight will take, moves
/// included.
///
/// A task t moves from a victim v to a thief s that has nothing in flight if
///
///     move(t, s) + est(t) <= load(v) - (move(t, v) + est(t)) / 2
///     or move(t, s) <= move(t, v),
///
/// if v has another one in flight, and t may run on s and has no key. So no
/// steal is undone by the next one, and nobody is robbed of the last task.
///
/// Source: Dask's work stealing, with the load of the victim in place of fixed
///         thresholds, and thieves that ask when they run dry in place of a
///         periodic search.
/// Load:   of what is bound and not sent.
/// Cost:   O(log workers + log tasks) per fact and per steal: at most 4 victims
///         are looked at, and 16 tasks of each.
/// Time:   goes by it: estimates, and what has run for how long.
/// Errors: std::invalid_argument if an option is out of bounds.
class cost_aware_stealing final : public stealing {
public:
  explicit cost_aware_stealing(const stealing_options& options = {});

  // -- facts ------------------------------------------------------------------

  void joined(worker& who, instant now) noexcept override;
  void left(worker& who, instant now) noexcept override;
  void assigned(task& what, instant now) noexcept override;
  void sent(task& what, instant now) noexcept override;
  void parted(task& what, instant now) noexcept override;
  void began(task& what, instant now) noexcept override;
  void ended(task& what, std::optional<duration> took,
             instant now) noexcept override;

  void ticked(instant now) noexcept override;

  // -- questions --------------------------------------------------------------

  bool has_work() const noexcept override {
    return !victims_.empty();
  }

  task* choose(const worker& thief, instant now) noexcept override;
  instant next_tick() const noexcept override;

  /// What a task of that kind is taken to cost now, unless it says so itself.
  duration estimate(std::uint64_t kind) const noexcept;

private:
  struct due_sooner {
    bool operator()(const steal_record& x,
                    const steal_record& y) const noexcept {
      return x.due() < y.due();
    }
  };

  using running_tasks = boost::intrusive::multiset<
    steal_record, boost::intrusive::compare<due_sooner>,
    boost::intrusive::member_hook<steal_record,
                                  boost::intrusive::set_member_hook<>,
                                  &steal_record::due_hook>>;
  using victims_by_load = boost::intrusive::set<
    victim_record, boost::intrusive::compare<has_more_to_do>,
    boost::intrusive::member_hook<victim_record,
                                  boost::intrusive::set_member_hook<>,
                                  &victim_record::hook>>;

  void list(victim_record& who, steal_record& what) noexcept;
  void unlist(victim_record& who, steal_record& what) noexcept;
  void run(victim_record& who, steal_record& what, instant since) noexcept;
  void run_no_more(victim_record& who, steal_record& what) noexcept;
  void sort(victim_record& who) noexcept;
  void learn(std::uint64_t kind, duration took) noexcept;
  void catch_up(instant now) noexcept;

  const stealing_options options_;
  running_tasks running_;
  /// Who has something that may be stolen, by how many tasks of theirs run.
  std::map<std::size_t, victims_by_load> victims_;

  std::unordered_map<std::uint64_t, ewma> kinds_;
  double sum_of_kinds_ = 0;
};

} // namespace libpool
