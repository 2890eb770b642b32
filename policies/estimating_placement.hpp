#pragma once

#include "libpool/core/moving_mean.hpp"
#include "libpool/core/moving_median.hpp"
#include "libpool/core/placement.hpp"
#include "libpool/policies/estimate_options.hpp"
#include "libpool/policies/tie_rule.hpp"

#include <boost/intrusive/set.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

namespace libpool {

/// What an estimating placement knows of a worker.
struct estimate_record final : placement_record {
  /// Wide enough for sums of moments.
  __extension__ using wide = __int128;

  estimate_record(worker& of, const estimate_options& options);

  bool has_samples() const noexcept;

  /// @pre has_samples()
  duration estimate() const noexcept;

  worker* who;
  std::variant<moving_mean, moving_median> samples;
  std::size_t place = 0; // among the members

  /// What its tasks in flight are taken to cost, all together.
  duration charged{0};
  /// Those of them that are taken to cost nothing, since nothing was known.
  std::size_t uncharged = 0;
  /// Those that cost something and have begun, and the sum of the moments when
  /// they did.
  std::size_t running = 0;
  wide began = 0;

  /// When it was chosen last, or joined, counted in choices.
  std::uint64_t idle_since = 0;
  boost::intrusive::set_member_hook<> idle_hook;

  /// Where the placement sorts workers: by what, in which of its sets.
  wide key = 0;
  std::size_t group = 0;
  boost::intrusive::set_member_hook<> hook;

  /// What it may use yet, where workers have budgets, or has used; or what the
  /// tasks that it has ended have cost.
  duration account{0};
};

/// What placements by estimates share: a statistic of the last costs of each
/// worker, charges for what is in flight, and a look at workers that nobody
/// would choose again otherwise.
///
/// A worker without a sample is taken to be like the others on average. While
/// there is no sample at all, and no `initial_estimate`, tasks cost nothing
/// until the first one ends, and are charged then.
///
/// Cost: a sample is O(1), or O(log history) with medians; the first sample of
///       all is O(tasks in flight). Some 3 KiB, or 15 KiB, per worker with the
///       default history.
class estimating_placement : public placement {
public:
  void joined(worker& who, instant now) noexcept override;
  void left(worker& who, instant now) noexcept override;
  void offered(worker& who, instant now) noexcept final;
  void withdrawn(worker& who, instant now) noexcept final;
  void picked(worker& who, const task& task, instant now) noexcept final;
  void assigned(worker& who, task& task, instant now) noexcept final;
  void began(worker& who, task& task, instant now) noexcept final;
  void measured(worker& who, task& task, ending how, duration cost,
                instant now) noexcept final;
  void unassigned(worker& who, task& task, instant now) noexcept final;
  std::optional<measure> measures() const noexcept final;
  worker* choose(const task& task, instant now) noexcept final;
  worker* choose_among(const std::vector<worker*>& some, const task& task,
                       instant now) noexcept final;

  /// What the task, which is in flight, was taken to cost when that was known;
  /// none if nothing is known yet.
  static std::optional<duration> charge_of(const task& task) noexcept;

protected:
  using record = estimate_record;
  using wide = record::wide;

  /// Errors: std::invalid_argument names the option that is out of bounds.
  explicit estimating_placement(const estimate_options& options);

  // -- what each of them does its own way -------------------------------------

  /// May be chosen from now on.
  virtual void entered(record& who) noexcept = 0;

  /// May not be chosen for now.
  virtual void withdrew(record& who) noexcept = 0;

  /// Its samples, its charges, or what decides ties have changed.
  virtual void changed(record& who) noexcept = 0;

  /// What a new task on this worker is taken to cost; none if nobody knows.
  virtual std::optional<duration> charge_for(const record& who) const noexcept;

  /// A task has ended and cost so much; its charge is given back after that.
  virtual void settled(record& who, duration cost) noexcept;

  /// Its tasks in flight are taken to cost so much more, or less.
  virtual void charged(record& who, duration more) noexcept;

  /// One of those that are offered; nullptr if none is.
  virtual worker* best(instant now) noexcept = 0;

  /// The same of `some` of them, in the order in which they joined; at least
  /// one is there.
  virtual worker* best_of(const std::vector<worker*>& some,
                          instant now) noexcept = 0;

  /// The last answer of these two is taken up.
  virtual void took_turn() noexcept {
    // nop
  }

  // -- what they share --------------------------------------------------------

  /// The smallest key first, then the tie rule.
  struct smaller_key {
    bool operator()(const record& x, const record& y) const noexcept {
      return x.key != y.key ? x.key < y.key : wins_tie{}(*x.who, *y.who);
    }
  };

  using sorted = boost::intrusive::set<
    record, boost::intrusive::compare<smaller_key>,
    boost::intrusive::member_hook<record, boost::intrusive::set_member_hook<>,
                                  &record::hook>>;

  static record& record_of(const worker& who) noexcept {
    return static_cast<record&>(*who.placed);
  }

  const std::vector<record*>& members() const noexcept {
    return members_;
  }

  /// Of a worker without samples; none if nothing is known.
  std::optional<duration> common_estimate() const noexcept;

  /// Of this worker; none if nothing is known.
  std::optional<duration> estimate_of(const record& who) const noexcept;

  /// Doubles the charges of tasks that have run for longer. Returns whether
  /// there were any.
  static bool overran(record& who, instant now) noexcept;

private:
  struct idle_longer {
    bool operator()(const record& x, const record& y) const noexcept;
  };

  using idle_records = boost::intrusive::set<
    record, boost::intrusive::compare<idle_longer>,
    boost::intrusive::member_hook<record, boost::intrusive::set_member_hook<>,
                                  &record::idle_hook>>;

  void charge(record& who, task& task) noexcept;
  void charge_what_is_in_flight() noexcept;
  void began_with(record& who, task& task) noexcept;
  void add_sample(record& who, duration cost) noexcept;
  void sort_by_idleness(record& who) noexcept;
  bool was_passed_over(const record& who) const noexcept;

  estimate_options options_;
  std::vector<record*> members_;
  /// Of those that have samples: how many, and the sum of their estimates.
  std::size_t known_ = 0;
  wide estimates_ = 0;
  std::uint64_t choices_ = 0;
  bool probes_ = false; // whether the last answer was a worker passed over
  idle_records idle_;   // offered, with nothing in flight
};

} // namespace libpool
