#include "support/placement_models.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

using libpool::duration;
using libpool::ending;
using libpool::estimate_options;
using libpool::instant;
using libpool::measure;
using libpool::never;
using libpool::statistic;
using libpool::task;
using libpool::worker;
using libpool::worker_number;

namespace test {

namespace {

using workers = std::vector<worker*>;

constexpr duration none{0};
constexpr duration shortest{1};

/// Returns the worker of `some` with the smallest key.
template <class Key>
worker* least(const workers& some, Key key) {
  return *std::min_element(some.begin(), some.end(),
                           [&](auto* x, auto* y) { return key(x) < key(y); });
}

auto tie_key(const worker& worker) {
  return std::tuple{worker.in_flight, worker.chosen, worker.number};
}

// -- records of workers and tasks ---------------------------------------------

struct history {
  /// The last costs, as many as options say.
  std::vector<duration> samples;
  /// The costs of its tasks that have ended, added to its start.
  duration spent{0};
  /// How many choices there had been when it was chosen, or joined.
  std::uint64_t chosen_at = 0;
};

struct charged_task {
  worker* on = nullptr;
  std::optional<duration> charge;
};

class model : public libpool::placement {
public:
  explicit model(const estimate_options& options) : options_(options) {
    // nop
  }

  void joined(worker& worker, instant) noexcept override {
    members_[worker.number] = &worker;
    histories_[&worker].chosen_at = choices_;
  }

  void left(worker& worker, instant) noexcept override {
    members_.erase(worker.number);
    histories_.erase(&worker);
  }

  void offered(worker& worker, instant) noexcept final {
    offered_[worker.number] = &worker;
  }

  void withdrawn(worker& worker, instant) noexcept final {
    offered_.erase(worker.number);
  }

  void assigned(worker& worker, task& task, instant) noexcept final {
    histories_[&worker].chosen_at = ++choices_;
    in_flight_[&task] = {&worker, charge_for(worker)};
    if (auto charge = in_flight_[&task].charge)
      charged(worker, *charge);
  }

  void measured(worker& worker, task&, ending how, duration cost,
                instant) noexcept final {
    spent(worker, cost);
    if (how == ending::completed)
      add_sample(histories_[&worker].samples, cost);
    for (auto& [task, its] : in_flight_)
      if (!its.charge)
        its.charge = charge_for(*its.on);
  }

  void unassigned(worker& worker, task& task, instant) noexcept final {
    if (auto charge = in_flight_[&task].charge)
      charged(worker, -*charge);
    in_flight_.erase(&task);
  }

  std::optional<measure> measures() const noexcept final {
    return options_.measure;
  }

  worker* choose(const task&, instant now) noexcept final {
    if (offered_.empty())
      return nullptr;
    workers all;
    for (auto [number, worker] : offered_)
      all.push_back(worker);
    return choice_of(all, now);
  }

  worker* choose_among(const workers& some, const task&,
                       instant now) noexcept final {
    return choice_of(some, now);
  }

  /// Only now is it known that the turns that were looked at are taken.
  void picked(worker&, const task&, instant) noexcept final {
    if (after_turn_)
      std::tie(histories_, turn_) = *after_turn_;
    after_turn_.reset();
  }

protected:
  /// Where placements are that go round: at the worker chosen last, and, if
  /// they have rounds, in which one.
  struct turn {
    std::optional<worker_number> cursor;
    std::optional<duration> round;
  };

  virtual worker* best_of(const workers& some, instant now) = 0;

  virtual std::optional<duration> charge_for(const worker& worker) const {
    return estimate(worker);
  }

  virtual void charged(worker&, duration) {
    // nop
  }

  virtual void spent(worker& worker, duration cost) {
    histories_[&worker].spent += cost;
  }

  // -- estimates --------------------------------------------------------------

  void add_sample(std::vector<duration>& to, duration cost) const {
    if (to.size() == options_.history)
      to.erase(to.begin());
    to.push_back(cost);
  }

  std::optional<duration> own_estimate(const worker& worker) const {
    auto last = histories_.at(&worker).samples;
    if (last.empty())
      return std::nullopt;
    if (options_.statistic == statistic::median) {
      std::sort(last.begin(), last.end());
      return last[(last.size() - 1) / 2];
    }
    auto sum = std::accumulate(last.begin(), last.end(), none);
    return sum / static_cast<duration::rep>(last.size());
  }

  std::optional<duration> common_estimate() const {
    duration sum{0};
    duration::rep known = 0;
    for (auto [number, worker] : members_)
      if (auto its = own_estimate(*worker)) {
        sum += *its;
        ++known;
      }
    return known == 0 ? options_.initial_estimate : sum / known;
  }

  std::optional<duration> estimate(const worker& worker) const {
    auto own = own_estimate(worker);
    return own ? own : common_estimate();
  }

  // -- charges ----------------------------------------------------------------

  /// What the task counts, doubled while it overruns; and for how long it runs.
  static std::pair<duration, duration>
  charge_and_elapsed(const task& task, const charged_task& its, instant now) {
    auto charge = its.charge.value_or(none);
    auto elapsed = task.attempt().began == never ? none
                                                 : now - task.attempt().began;
    while (task.attempt().began != never && elapsed >= charge && charge > none)
      charge *= 2;
    return {charge, elapsed};
  }

  duration charges_of(const worker& worker, instant now) const {
    duration result{0};
    for (const auto& [task, its] : in_flight_)
      if (its.on == &worker)
        result += charge_and_elapsed(*task, its, now).first;
    return result;
  }

  duration remaining_of(const worker& worker, instant now) const {
    duration result{0};
    for (const auto& [task, its] : in_flight_)
      if (its.on == &worker) {
        auto [charge, elapsed] = charge_and_elapsed(*task, its, now);
        result += std::max(charge - elapsed, none);
      }
    return result;
  }

  std::map<worker_number, worker*> members_;
  std::map<const worker*, history> histories_;
  turn turn_;

private:
  worker* choice_of(const workers& some, instant now) {
    after_turn_.reset();
    if (auto* shunned = shunned_of(some))
      return shunned;
    auto before = std::pair{histories_, turn_};
    auto* result = best_of(some, now);
    after_turn_ = {histories_, turn_};
    std::tie(histories_, turn_) = before;
    return result;
  }

  /// One that is dry and has been passed over for too long.
  worker* shunned_of(const workers& all) const {
    auto patience = options_.probe_every * members_.size();
    worker* result = nullptr;
    for (auto* worker : all)
      if (patience > 0 && worker->in_flight == 0
          && choices_ - histories_.at(worker).chosen_at >= patience
          && (result == nullptr
              || histories_.at(worker).chosen_at
                   < histories_.at(result).chosen_at))
        result = worker;
    return result;
  }

  estimate_options options_;
  std::map<worker_number, worker*> offered_;
  /// What is to be true if the last choice is taken up.
  std::optional<std::pair<std::map<const worker*, history>, turn>> after_turn_;
  std::map<const task*, charged_task> in_flight_;
  std::uint64_t choices_ = 0;
};

// -- by time ------------------------------------------------------------------

class fair_share_model final : public model {
  using model::model;

  worker* best_of(const workers& some, instant now) override {
    return least(some, [&](const worker* worker) {
      return std::tuple{remaining_of(*worker, now)
                          + estimate(*worker).value_or(none),
                        tie_key(*worker)};
    });
  }
};

class least_busy_model final : public model {
  using model::model;

  duration busy(const worker& worker, instant now) const {
    return histories_.at(&worker).spent + charges_of(worker, now);
  }

  void joined(worker& worker, instant now) noexcept override {
    std::optional<duration> smallest;
    for (auto [number, other] : members_) {
      auto its = busy(*other, now);
      smallest = smallest ? std::min(*smallest, its) : its;
    }
    model::joined(worker, now);
    histories_.at(&worker).spent = smallest.value_or(none);
  }

  worker* best_of(const workers& some, instant now) override {
    return least(some, [&](const worker* worker) {
      return std::tuple{busy(*worker, now), tie_key(*worker)};
    });
  }
};

// -- by weight ----------------------------------------------------------------

class weighted_model : public model {
public:
  /// The line has those that have left as well, so that the cursor may stay
  /// where one of them was.
  void joined(worker& worker, instant now) noexcept override {
    model::joined(worker, now);
    auto place = turn_.cursor
                   ? std::find(line_.begin(), line_.end(), *turn_.cursor)
                   : line_.end();
    line_.insert(place, worker.number);
  }

protected:
  using model::model;

  virtual worker* best_in_line(const workers& some) = 0;

  duration weight_of(const worker& worker) const {
    return worker.weight > none
             ? worker.weight
             : std::max(common_estimate().value_or(shortest), shortest);
  }

  std::optional<duration> charge_for(const worker& worker) const override {
    return std::max(estimate(worker).value_or(smallest_weight()), shortest);
  }

  /// Of `some`, the first at the cursor or behind it; the first of all if there
  /// is no cursor.
  workers::const_iterator first_from_cursor(const workers& some) const {
    auto from = turn_.cursor ? place_of(*turn_.cursor) : 0;
    return std::find_if(some.begin(), some.end(), [&](auto* worker) {
      return place_of(worker->number) >= from;
    });
  }

private:
  duration smallest_weight() const {
    auto result = duration::max();
    for (auto [number, worker] : members_)
      if (worker->is == libpool::worker::condition::serving)
        result = std::min(result, weight_of(*worker));
    return result;
  }

  std::ptrdiff_t place_of(worker_number number) const {
    return std::find(line_.begin(), line_.end(), number) - line_.begin();
  }

  worker* best_of(const workers& some, instant) override {
    auto sorted = some;
    std::sort(sorted.begin(), sorted.end(), [&](auto* x, auto* y) {
      return place_of(x->number) < place_of(y->number);
    });
    return best_in_line(sorted);
  }

  std::vector<worker_number> line_;
};

class weighted_round_robin_model final : public weighted_model {
  using weighted_model::weighted_model;

  duration& credit(const worker& worker) {
    return histories_.at(&worker).spent;
  }

  void charged(worker& worker, duration more) override {
    credit(worker) -= more;
  }

  void spent(worker& worker, duration cost) override {
    credit(worker) -= cost;
  }

  worker* best_in_line(const workers& some) override {
    auto& cursor = turn_.cursor;
    auto i = first_from_cursor(some);
    if (cursor && i != some.end() && (*i)->number == *cursor) {
      if (credit(**i) > none)
        return *i;
      ++i;
    }
    for (;; ++i) { // lap after lap
      if (i == some.end())
        i = some.begin();
      cursor = (*i)->number;
      credit(**i) += weight_of(**i);
      if (credit(**i) > none)
        return *i;
    }
  }
};

class interleaved_model final : public weighted_model {
  using weighted_model::weighted_model;

  /// Its part of the round is over.
  void joined(worker& worker, instant now) noexcept override {
    weighted_model::joined(worker, now);
    if (turn_.round)
      used(worker) = std::min(weight_of(worker), *turn_.round);
  }

  duration& used(const worker& worker) {
    return histories_.at(&worker).spent;
  }

  void charged(worker& worker, duration more) override {
    used(worker) += more;
  }

  bool has_weights() const {
    return members_.begin()->second->weight > none;
  }

  std::set<duration> rounds() const {
    std::set<duration> result;
    for (auto [number, worker] : members_)
      result.insert(weight_of(*worker));
    return result;
  }

  void begin_cycle() {
    for (auto [number, worker] : members_) {
      auto weight = weight_of(*worker);
      used(*worker) = std::max(used(*worker) - weight, -weight);
    }
    turn_.round = *rounds().begin();
    turn_.cursor.reset();
  }

  void next_round() {
    auto all = rounds();
    auto next = all.upper_bound(*turn_.round);
    if (next == all.end()) {
      begin_cycle();
    } else {
      turn_.round = *next;
      turn_.cursor.reset();
    }
  }

  /// The weights of some workers may have left with them; where none are given
  /// there is one round, which is as long as a task is now.
  void enter_round() {
    auto all = rounds();
    if (!turn_.round || !has_weights()) {
      turn_.round = *all.begin();
    } else {
      auto next = all.lower_bound(*turn_.round);
      if (next == all.end())
        begin_cycle();
      else
        turn_.round = *next;
    }
  }

  worker* best_in_line(const workers& some) override {
    enter_round();
    for (;; next_round())
      for (auto i = first_from_cursor(some); i != some.end(); ++i)
        if (weight_of(**i) >= *turn_.round && used(**i) < *turn_.round) {
          turn_.cursor = (*i)->number;
          return *i;
        }
  }
};

} // namespace

std::unique_ptr<libpool::placement> model_of(std::string_view name,
                                             const estimate_options& options) {
  if (name == "fair_share")
    return std::make_unique<fair_share_model>(options);
  if (name == "least_busy")
    return std::make_unique<least_busy_model>(options);
  if (name == "weighted_round_robin")
    return std::make_unique<weighted_round_robin_model>(options);
  if (name == "interleaved_weighted_round_robin")
    return std::make_unique<interleaved_model>(options);
  return nullptr;
}

} // namespace test
