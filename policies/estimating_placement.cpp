#include "libpool/policies/estimating_placement.hpp"

#include <memory>
#include <tuple>
#include <utility>

namespace libpool {

namespace {

/// What a task in flight is taken to cost; one without is not charged yet.
struct charge_record {
  duration charge{0};
  /// Beyond that, since it runs for longer.
  duration overrun{0};
  /// Since when it counts as running.
  instant counted_since = never;

  duration all() const noexcept {
    return charge + overrun;
  }
};

bool is_charged(const task& task) noexcept {
  return task.placed.has_value();
}

charge_record& charge_record_of(task& task) noexcept {
  return task.placed.as<charge_record>();
}

} // namespace

// -- records ------------------------------------------------------------------

estimate_record::estimate_record(worker& of, const estimate_options& options)
  : who(&of),
    samples(std::in_place_type<moving_mean>,
            options.statistic == statistic::mean ? options.history : 1) {
  if (options.statistic == statistic::median)
    samples.emplace<moving_median>(options.history);
}

bool estimate_record::has_samples() const noexcept {
  return std::visit([](const auto& of) { return !of.empty(); }, samples);
}

duration estimate_record::estimate() const noexcept {
  return std::visit([](const auto& of) { return of.value(); }, samples);
}

bool estimating_placement::idle_longer::operator()(
  const record& x, const record& y) const noexcept {
  return std::tie(x.idle_since, x.who->number)
         < std::tie(y.idle_since, y.who->number);
}

// -- facts --------------------------------------------------------------------

estimating_placement::estimating_placement(const estimate_options& options)
  : options_(options) {
  check_each(options);
}

void estimating_placement::joined(worker& who, instant) noexcept {
  auto added = std::make_unique<record>(who, options_);
  added->place = members_.size();
  added->idle_since = choices_;
  members_.push_back(added.get());
  who.placed = std::move(added);
}

void estimating_placement::left(worker& who, instant) noexcept {
  auto& gone = record_of(who);
  if (gone.has_samples()) {
    --known_;
    estimates_ -= gone.estimate().count();
  }
  members_.back()->place = gone.place;
  members_[gone.place] = members_.back();
  members_.pop_back();
  who.placed = nullptr;
}

void estimating_placement::offered(worker& who, instant) noexcept {
  auto& its = record_of(who);
  entered(its);
  sort_by_idleness(its);
}

void estimating_placement::withdrawn(worker& who, instant) noexcept {
  auto& its = record_of(who);
  withdrew(its);
  sort_by_idleness(its);
}

void estimating_placement::picked(worker&, const task&, instant) noexcept {
  if (!probes_)
    took_turn();
}

void estimating_placement::assigned(worker& who, task& task, instant) noexcept {
  auto& its = record_of(who);
  its.idle_since = ++choices_;
  charge(its, task);
  changed(its);
  sort_by_idleness(its);
}

void estimating_placement::began(worker& who, task& task, instant) noexcept {
  auto& its = record_of(who);
  began_with(its, task);
  changed(its);
}

void estimating_placement::measured(worker& who, task&, ending how,
                                    duration cost, instant) noexcept {
  auto& its = record_of(who);
  settled(its, cost);
  if (how == ending::completed) // a crash tells nothing of the time it takes
    add_sample(its, cost);
}

void estimating_placement::unassigned(worker& who, task& task,
                                      instant) noexcept {
  auto& its = record_of(who);
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
  task.placed.reset();
  changed(its);
  sort_by_idleness(its);
}

// -- charges ------------------------------------------------------------------

void estimating_placement::charge(record& who, task& task) noexcept {
  auto cost = charge_for(who);
  if (!cost) {
    ++who.uncharged;
    return;
  }
  task.placed.emplace(charge_record{*cost});
  charged(who, *cost);
}

void estimating_placement::began_with(record& who, task& task) noexcept {
  if (!is_charged(task) || charge_record_of(task).charge.count() == 0)
    return;
  auto& its = charge_record_of(task);
  if (its.counted_since == never) {
    ++who.running;
  } else { // it was presumed to have begun then
    who.began -= its.counted_since.time_since_epoch().count();
    charged(who, -std::exchange(its.overrun, duration{0}));
  }
  its.counted_since = task.began;
  who.began += task.began.time_since_epoch().count();
}

/// Something is known at last: what could not be charged is charged now.
void estimating_placement::charge_what_is_in_flight() noexcept {
  auto charge_late = [this](record& who, task& task) {
    if (is_charged(task))
      return;
    --who.uncharged;
    charge(who, task);
    if (task.began != never)
      began_with(who, task);
  };
  for (auto* who : members_) {
    if (who->uncharged == 0)
      continue;
    for (auto& what : who->who->mailbox)
      charge_late(*who, what);
    for (auto& what : who->who->deque)
      charge_late(*who, what);
    changed(*who);
  }
}

bool estimating_placement::overran(record& who, instant now) noexcept {
  auto result = false;
  if (who.running == 0)
    return result;
  for (auto& what : who.who->mailbox) {
    if (!is_charged(what) || charge_record_of(what).counted_since == never)
      continue;
    auto& its = charge_record_of(what);
    auto cost = its.all();
    auto before = cost;
    while (now - its.counted_since >= cost)
      cost *= 2;
    its.overrun += cost - before;
    who.charged += cost - before;
    result = result || cost != before;
  }
  return result;
}

std::optional<duration>
estimating_placement::charge_for(const record& who) const noexcept {
  return estimate_of(who);
}

void estimating_placement::settled(record& who, duration cost) noexcept {
  who.account += cost;
}

void estimating_placement::charged(record& who, duration more) noexcept {
  who.charged += more;
}

std::optional<duration>
estimating_placement::charge_of(const task& task) noexcept {
  if (!is_charged(task))
    return std::nullopt;
  return task.placed.as<charge_record>().charge;
}

// -- estimates ----------------------------------------------------------------

std::optional<measure> estimating_placement::measures() const noexcept {
  return options_.measure;
}

void estimating_placement::add_sample(record& who, duration cost) noexcept {
  auto was_known = common_estimate().has_value();
  if (who.has_samples())
    estimates_ -= who.estimate().count();
  else
    ++known_;
  std::visit([=](auto& of) { of.add(cost); }, who.samples);
  estimates_ += who.estimate().count();
  if (!was_known)
    charge_what_is_in_flight();
}

std::optional<duration> estimating_placement::common_estimate() const noexcept {
  if (known_ == 0)
    return options_.initial_estimate;
  return duration{static_cast<duration::rep>(estimates_ / known_)};
}

std::optional<duration>
estimating_placement::estimate_of(const record& who) const noexcept {
  return who.has_samples() ? who.estimate() : common_estimate();
}

// -- choices ------------------------------------------------------------------

worker* estimating_placement::choose(const task&, instant now) noexcept {
  probes_ = !idle_.empty() && was_passed_over(*idle_.begin());
  return probes_ ? idle_.begin()->who : best(now);
}

worker* estimating_placement::choose_among(const std::vector<worker*>& some,
                                           const task&, instant now) noexcept {
  record* probed = nullptr;
  if (!idle_.empty() && was_passed_over(*idle_.begin()))
    for (const auto* each : some)
      if (auto& its = record_of(*each);
          its.idle_hook.is_linked() && was_passed_over(its)
          && (probed == nullptr || idle_longer{}(its, *probed)))
        probed = &its;
  probes_ = probed != nullptr;
  return probes_ ? probed->who : best_of(some, now);
}

/// Whether the worker, which is idle, gets the next task that it may run.
bool estimating_placement::was_passed_over(const record& who) const noexcept {
  return choices_ - who.idle_since >= options_.probe_every * members_.size();
}

void estimating_placement::sort_by_idleness(record& who) noexcept {
  if (options_.probe_every == 0)
    return;
  if (who.idle_hook.is_linked())
    idle_.erase(idle_.iterator_to(who));
  if (who.who->offered && who.who->in_flight == 0)
    idle_.insert(who);
}

} // namespace libpool
