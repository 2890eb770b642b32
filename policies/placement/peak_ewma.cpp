#include "libpool/policies/placement/peak_ewma.hpp"
#include "libpool/policies/placement/estimate_options.hpp"

#include "libpool/policies/placement/tie_rule.hpp"

#include <algorithm>
#include <cmath>

namespace libpool {

namespace {

double in_ns(duration time) noexcept {
  return static_cast<double>(time.count());
}

} // namespace

std::vector<option> options_in(peak_ewma_options& options) {
  return {
    {"seed", seed_option{&options.seed}, "seed of the random draws"},
    {"measure", choice_of(options.measure),
     "measured time of a task that counts as the latency of its worker"},
    {"decay", time_option{options.decay},
     "time after which the weight of a latency has fallen to 1/e"},
    {"floor", time_option{options.floor},
     "minimum latency that is assumed of a worker"},
    {"failure_penalty", time_option{options.failure_penalty, true},
     "minimum latency that is recorded for a worker when it crashes"},
  };
}

peak_ewma::peak_ewma(const peak_ewma_options& options)
  : random_placement(options.seed), options_(options) {
  check_each(options);
}

std::optional<measure> peak_ewma::measures() const noexcept {
  return options_.measure;
}

std::unique_ptr<random_placement::record> peak_ewma::make_record() const {
  return std::make_unique<latency_record>();
}

void peak_ewma::measured(worker& worker, task&, ending ending, duration cost,
                         instant now) noexcept {
  auto& its = static_cast<latency_record&>(*worker.placed);
  auto sample = in_ns(cost);
  if (ending == ending::crashed)
    sample = std::max(sample, in_ns(options_.failure_penalty));
  auto kept = its.sampled == never ? 0 : decayed(its, now) / its.latency;
  if (its.sampled == never || sample > its.latency)
    its.latency = sample;
  else
    its.latency = kept * its.latency + (1 - kept) * sample;
  its.latency = std::max(its.latency, in_ns(options_.floor));
  its.sampled = now;
}

/// Returns the latency of the worker, decayed until `now`.
double peak_ewma::decayed(const latency_record& measured,
                          instant now) const noexcept {
  return measured.latency
         * std::exp(-in_ns(now - measured.sampled) / in_ns(options_.decay));
}

double peak_ewma::load(const worker& worker, instant now) const noexcept {
  const auto& its = static_cast<const latency_record&>(*worker.placed);
  auto tasks = static_cast<double>(worker.in_flight);
  if (its.sampled == never)
    return worker.in_flight == 0
             ? in_ns(options_.floor)
             : in_ns(options_.failure_penalty) * (tasks + 1);
  return std::max(decayed(its, now), in_ns(options_.floor)) * (tasks + 1);
}

worker* peak_ewma::pick(const std::vector<worker*>& some,
                        instant now) noexcept {
  auto [x, y] = two_of(some);
  auto load_of_x = load(*x, now);
  auto load_of_y = load(*y, now);
  if (load_of_x != load_of_y)
    return load_of_x < load_of_y ? x : y;
  return wins_tie{}(*y, *x) ? y : x;
}

} // namespace libpool
