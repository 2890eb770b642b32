#include "support/placement_models.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>
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

/// Chooses the worker with the smallest sum of its estimate and the rests of
/// its charges (fair_share), or of the time that it has worked and its charges
/// (least_busy).
class model final : public libpool::placement {
public:
  model(const estimate_options& options, bool counts_work)
    : options_(options), counts_work_(counts_work) {
    // nop
  }

  void joined(worker& worker, instant now) noexcept override {
    auto start = duration::max();
    for (auto [number, other] : members_)
      start = std::min(start, score_of(*other, now));
    members_[worker.number] = &worker;
    histories_[&worker].chosen_at = choices_;
    if (members_.size() > 1)
      histories_[&worker].spent = start;
  }

  void left(worker& worker, instant) noexcept override {
    members_.erase(worker.number);
    histories_.erase(&worker);
  }

  void offered(worker& worker, instant) noexcept override {
    offered_[worker.number] = &worker;
  }

  void withdrawn(worker& worker, instant) noexcept override {
    offered_.erase(worker.number);
  }

  void assigned(worker& worker, task& task, instant) noexcept override {
    histories_[&worker].chosen_at = ++choices_;
    in_flight_[&task] = {&worker, estimate(worker)};
  }

  void measured(worker& worker, task&, ending how, duration cost,
                instant) noexcept override {
    histories_[&worker].spent += cost;
    if (how == ending::completed)
      add_sample(histories_[&worker].samples, cost);
    for (auto& [task, its] : in_flight_)
      if (!its.charge)
        its.charge = estimate(*its.on);
  }

  void unassigned(worker&, task& task, instant) noexcept override {
    in_flight_.erase(&task);
  }

  std::optional<measure> measures() const noexcept override {
    return options_.measure;
  }

  worker* choose(const task&, instant now) noexcept override {
    if (offered_.empty())
      return nullptr;
    workers all;
    for (auto [number, worker] : offered_)
      all.push_back(worker);
    return choice_of(all, now);
  }

  worker* choose_among(const workers& some, const task&,
                       instant now) noexcept override {
    return choice_of(some, now);
  }

private:
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

  // -- choices ----------------------------------------------------------------

  /// A charge is doubled while its task overruns it.
  duration score_of(const worker& worker, instant now) const {
    auto result = counts_work_ ? histories_.at(&worker).spent
                               : estimate(worker).value_or(none);
    for (const auto& [task, its] : in_flight_) {
      if (its.on != &worker)
        continue;
      auto charge = its.charge.value_or(none);
      auto began = task->attempt().began;
      auto elapsed = began == never ? duration{-1} : now - began;
      while (elapsed >= charge && charge > none)
        charge *= 2;
      result += counts_work_ ? charge
                             : std::max(charge - std::max(elapsed, none), none);
    }
    return result;
  }

  worker* choice_of(const workers& some, instant now) const {
    auto* shunned = shunned_of(some);
    if (shunned != nullptr)
      return shunned;
    auto key = [&](const worker* it) {
      return std::tuple{score_of(*it, now), it->in_flight, it->chosen,
                        it->number};
    };
    return *std::min_element(
      some.begin(), some.end(),
      [&](const auto* x, const auto* y) { return key(x) < key(y); });
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
  bool counts_work_;
  std::map<worker_number, worker*> members_;
  std::map<const worker*, history> histories_;
  std::map<worker_number, worker*> offered_;
  std::map<const task*, charged_task> in_flight_;
  std::uint64_t choices_ = 0;
};

} // namespace

std::unique_ptr<libpool::placement> model_of(std::string_view name,
                                             const estimate_options& options) {
  if (name == "fair_share" || name == "least_busy")
    return std::make_unique<model>(options, name == "least_busy");
  return nullptr;
}

} // namespace test
