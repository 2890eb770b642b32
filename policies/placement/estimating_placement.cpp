#include "libpool/policies/placement/estimating_placement.hpp"

#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>

namespace libpool {

namespace {

/// Charge of a task in flight: the estimated cost that counts for its worker. A
/// task without this record has no charge yet.
struct charge_record {
  duration charge{0};
  /// Time added to `charge`, because the task has run for longer than
  /// estimated.
  duration overrun{0};
  /// Start time of the task, as far as known; `never` if the task has not begun
  /// or `charge` is 0.
  instant counted_since = never;

  duration all() const noexcept {
    return charge + overrun;
  }

  /// Returns the time at which the task will have run for longer than
  /// estimated.
  instant due() const noexcept {
    return later(counted_since, all());
  }
};

bool is_charged(const task& task) noexcept {
  return task.attempt().placed.has_value();
}

charge_record& charge_record_of(task& task) noexcept {
  return task.own_attempt().placed.as<charge_record>();
}

} // namespace

// -- records ------------------------------------------------------------------

estimate_record::estimate_record(libpool::worker& subject,
                                 const estimate_options& options)
  : worker(&subject),
    samples(std::in_place_type<moving_mean>,
            options.statistic == statistic::mean ? options.history : 1) {
  if (options.statistic == statistic::median)
    samples.emplace<moving_median>(options.history);
}

bool estimate_record::has_samples() const noexcept {
  return std::visit([](const auto& object) { return !object.empty(); },
                    samples);
}

duration estimate_record::estimate() const noexcept {
  return std::visit([](const auto& object) { return object.value(); }, samples);
}

bool estimating_placement::idle_longer::operator()(
  const estimate_record& x, const estimate_record& y) const noexcept {
  return std::tie(x.idle_since, x.worker->number)
         < std::tie(y.idle_since, y.worker->number);
}

// -- facts --------------------------------------------------------------------

estimating_placement::estimating_placement(const estimate_options& options)
  : options_(options) {
  check_each(options);
}

void estimating_placement::joined(worker& worker, instant) noexcept {
  auto added = std::make_unique<estimate_record>(worker, options_);
  added->place = members_.size();
  added->idle_since = choices_;
  members_.push_back(added.get());
  worker.placed = std::move(added);
}

void estimating_placement::left(worker& worker, instant) noexcept {
  auto& gone = record_of(worker);
  if (gone.has_samples()) {
    --known_;
    estimates_ -= gone.estimate().count();
  }
  members_.back()->place = gone.place;
  members_[gone.place] = members_.back();
  members_.pop_back();
  worker.placed = nullptr;
}

void estimating_placement::offered(worker& worker, instant) noexcept {
  auto& its = record_of(worker);
  entered(its);
  sort_by_idleness(its);
}

void estimating_placement::withdrawn(worker& worker, instant) noexcept {
  auto& its = record_of(worker);
  withdrew(its);
  sort_by_idleness(its);
}

void estimating_placement::picked(worker&, const task&, instant) noexcept {
  if (!probes_)
    took_turn();
}

void estimating_placement::assigned(worker& worker, task& task,
                                    instant) noexcept {
  auto& its = record_of(worker);
  its.idle_since = ++choices_;
  charge(its, task);
  changed(its);
  sort_by_idleness(its);
}

void estimating_placement::began(worker& worker, task& task, instant) noexcept {
  auto& its = record_of(worker);
  began_with(its, task);
  changed(its);
}

void estimating_placement::measured(worker& worker, task&, ending ending,
                                    duration cost, instant) noexcept {
  auto& its = record_of(worker);
  settled(its, cost);
  if (ending == ending::completed) // the cost of a crashed task is no sample
    add_sample(its, cost);
}

void estimating_placement::unassigned(worker& worker, task& task,
                                      instant) noexcept {
  auto& its = record_of(worker);
  if (is_charged(task)) {
    const auto& given = charge_record_of(task);
    charged(its, -given.all());
    if (given.counted_since != never) {
      --its.running;
      its.began -= given.counted_since.time_since_epoch().count();
    }
  } else {
    --its.uncharged;
  }
  task.own_attempt().placed.reset();
  if (worker.ends_follow)
    return;
  changed(its);
  sort_by_idleness(its);
}

// -- charges ------------------------------------------------------------------

void estimating_placement::charge(estimate_record& record,
                                  task& task) noexcept {
  auto cost = charge_for(record);
  if (!cost) {
    ++record.uncharged;
    return;
  }
  task.own_attempt().placed.emplace(charge_record{*cost});
  charged(record, *cost);
}

void estimating_placement::began_with(estimate_record& record,
                                      task& task) noexcept {
  if (!is_charged(task) || charge_record_of(task).charge.count() == 0)
    return;
  auto& its = charge_record_of(task);
  if (its.counted_since == never) {
    ++record.running;
  } else { // corrects an assumed start
    record.began -= its.counted_since.time_since_epoch().count();
    charged(record, -std::exchange(its.overrun, duration{0}));
  }
  its.counted_since = task.attempt().began;
  record.overruns_at = std::min(record.overruns_at, its.due());
  record.began += task.attempt().began.time_since_epoch().count();
}

/// Charges all tasks in flight that have no charge yet, because no task had
/// completed when they were assigned.
void estimating_placement::charge_tasks_in_flight() noexcept {
  auto charge_late = [this](estimate_record& record, libpool::task& task) {
    if (is_charged(task))
      return;
    --record.uncharged;
    charge(record, task);
    if (task.attempt().began != never)
      began_with(record, task);
  };
  for (auto* record : members_) {
    if (record->uncharged == 0)
      continue;
    for (auto& task : record->worker->mailbox)
      charge_late(*record, task);
    for (auto* each : record->worker->deque.all())
      charge_late(*record, *each);
    changed(*record);
  }
}

bool estimating_placement::overran(estimate_record& record,
                                   instant now) noexcept {
  auto result = false;
  if (now < record.overruns_at)
    return result;
  record.overruns_at = never;
  for (auto& task : record.worker->mailbox) {
    if (!is_charged(task) || charge_record_of(task).counted_since == never)
      continue;
    auto& its = charge_record_of(task);
    auto cost = its.all();
    auto before = cost;
    while (now - its.counted_since >= cost)
      cost *= 2;
    its.overrun += cost - before;
    record.charged += cost - before;
    result = result || cost != before;
    record.overruns_at = std::min(record.overruns_at, its.due());
  }
  return result;
}

std::optional<duration>
estimating_placement::charge_for(const estimate_record& record) const noexcept {
  return estimate_of(record);
}

void estimating_placement::settled(estimate_record& record,
                                   duration cost) noexcept {
  record.account += cost;
}

void estimating_placement::charged(estimate_record& record,
                                   duration more) noexcept {
  record.charged += more;
}

std::optional<duration>
estimating_placement::charge_of(const task& task) noexcept {
  if (!is_charged(task))
    return std::nullopt;
  return task.attempt().placed.as<charge_record>().charge;
}

// -- estimates ----------------------------------------------------------------

std::optional<measure> estimating_placement::measures() const noexcept {
  return options_.measure;
}

void estimating_placement::add_sample(estimate_record& record,
                                      duration cost) noexcept {
  auto was_known = common_estimate().has_value();
  if (record.has_samples())
    estimates_ -= record.estimate().count();
  else
    ++known_;
  std::visit([=](auto& object) { object.add(cost); }, record.samples);
  estimates_ += record.estimate().count();
  if (!was_known)
    charge_tasks_in_flight();
}

std::optional<duration> estimating_placement::common_estimate() const noexcept {
  if (known_ == 0)
    return options_.initial_estimate;
  return duration{static_cast<duration::rep>(estimates_ / known_)};
}

std::optional<duration> estimating_placement::estimate_of(
  const estimate_record& record) const noexcept {
  return record.has_samples() ? record.estimate() : common_estimate();
}

// -- choices ------------------------------------------------------------------

worker* estimating_placement::choose(const task&, instant now) noexcept {
  probes_ = !idle_.empty() && was_passed_over(*idle_.begin());
  return probes_ ? idle_.begin()->worker : best(now);
}

worker* estimating_placement::choose_among(const std::vector<worker*>& some,
                                           const task&, instant now) noexcept {
  estimate_record* probed = nullptr;
  if (!idle_.empty() && was_passed_over(*idle_.begin()))
    for (const auto* each : some)
      if (auto& its = record_of(*each);
          its.idle_hook.is_linked() && was_passed_over(its)
          && (probed == nullptr || idle_longer{}(its, *probed)))
        probed = &its;
  probes_ = probed != nullptr;
  return probes_ ? probed->worker : best_of(some, now);
}

/// Whether the worker, which is idle, has been idle for so many assignments
/// that it gets the next task as a probe, which renews its estimate.
bool estimating_placement::was_passed_over(
  const estimate_record& record) const noexcept {
  return choices_ - record.idle_since >= options_.probe_every * members_.size();
}

void estimating_placement::sort_by_idleness(estimate_record& record) noexcept {
  if (options_.probe_every == 0)
    return;
  if (record.idle_hook.is_linked())
    idle_.erase(idle_.iterator_to(record));
  if (record.worker->offered && record.worker->in_flight == 0)
    idle_.insert(record);
}

} // namespace libpool
