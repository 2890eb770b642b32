#include "libpool/core/autoscaler.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace libpool {

namespace {

constexpr double utilisation = 0.8;
constexpr std::uint64_t enough_arrivals = 64;
constexpr std::size_t most_samples = 1'000;

double seconds(duration time) {
  return std::chrono::duration<double>{time}.count();
}

std::string text_of(double value) {
  std::array<char, 32> result{};
  std::snprintf(result.data(), result.size(), "%.3g", value);
  return result.data();
}

std::string text_of(duration time) {
  auto s = seconds(time);
  if (s >= 1)
    return text_of(s) + " s";
  return s >= 1e-3 ? text_of(s * 1e3) + " ms" : text_of(s * 1e6) + " us";
}

std::size_t rounded_up(double count) {
  constexpr double many = 1e9;
  return static_cast<std::size_t>(std::ceil(std::min(count, many)));
}

} // namespace

std::optional<std::string> objection_to(const autoscale& rule) {
  auto ns = [](duration time) { return std::to_string(time.count()) + " ns"; };
  if (rule.most == 0)
    return "most must be at least 1, got 0";
  if (rule.least > rule.most)
    return "least must be at most most (" + std::to_string(rule.most)
           + "), got " + std::to_string(rule.least);
  if (rule.target_wait <= duration{0})
    return "target_wait must be above 0, got " + ns(rule.target_wait);
  if (rule.interval <= duration{0})
    return "interval must be above 0, got " + ns(rule.interval);
  if (rule.cooldown < rule.interval)
    return "cooldown must be at least interval (" + ns(rule.interval)
           + "), got " + ns(rule.cooldown);
  return std::nullopt;
}

void autoscaler::starts_in(duration startup) noexcept {
  startup_ = startup;
}

/// A pool that was idle has no recent load: its first message is one moment,
/// not a rate.
std::size_t autoscaler::decide(const pool_load& load, std::size_t wanted,
                               instant now) {
  auto result = wanted;
  if (samples_.empty() || (was_idle_ && is_due(now)))
    begin(load, now);
  was_full_ = was_full_ || (load.waiting > 0 && !load.has_room);
  if (load.is_paused) {
    begin(load, now);
    why_ = "the pool is paused";
  } else if (is_due(now)) {
    auto within = std::clamp(wanted, rule_.least, rule_.most);
    result = after_interval(load, within, now);
    add_sample(load, now);
  }
  if (result == 0 && load.waiting > 0 && now >= first_again_) {
    why_ = "a message waits";
    first_again_ = later(now, rule_.interval);
    started_ = later(now, startup_);
    result = 1;
  }
  was_idle_ = is_idle(load, result);
  return result;
}

instant autoscaler::next(const pool_load& load,
                         std::size_t wanted) const noexcept {
  if (samples_.empty())
    return instant::min();
  if (is_idle(load, wanted))
    return never;
  return later(samples_.back().taken, rule_.interval);
}

/// Whether time alone changes nothing.
bool autoscaler::is_idle(const pool_load& load,
                         std::size_t wanted) const noexcept {
  auto has_work = load.waiting > 0 || load.busy > 0
                  || load.arrived != samples_.back().arrived;
  return load.is_paused || (wanted == rule_.least && !has_work);
}

/// Begins to measure, as if nothing had been there before.
void autoscaler::begin(const pool_load& load, instant now) {
  samples_.clear();
  low_since_ = never;
  add_sample(load, now);
}

void autoscaler::add_sample(const pool_load& load, instant now) {
  samples_.push_back({now, load.arrived, load.ended, load.busy_time});
  auto is_old = [&] { return now - samples_[1].taken >= rule_.cooldown; };
  while (samples_.size() > 2 && (is_old() || samples_.size() > most_samples))
    samples_.pop_front();
  waits_ = *load.waits;
  was_full_ = false;
}

/// The rate is measured over the last intervals that have enough arrivals, and
/// so is the service time; if no task has ended in them, the last one counts.
autoscaler::demand autoscaler::demand_of(const pool_load& load, instant now) {
  auto is_enough = [&](const sample& each) {
    return load.arrived - each.arrived >= enough_arrivals;
  };
  auto found = std::find_if(samples_.rbegin(), samples_.rend(), is_enough);
  const auto& first = found != samples_.rend() ? *found : samples_.front();
  if (auto n = load.ended - first.ended; n > 0)
    service_ = (load.busy_time - first.busy_time)
               / static_cast<duration::rep>(n);
  auto arrived = static_cast<double>(load.arrived - first.arrived);
  return {arrived / seconds(now - first.taken), service_};
}

/// Returns the number of workers after one interval.
std::size_t autoscaler::after_interval(const pool_load& load,
                                       std::size_t wanted, instant now) {
  const auto [per_second, service] = demand_of(load, now);
  const auto slots = load.workers > 0
                       ? std::max(1.0, static_cast<double>(load.slots)
                                         / static_cast<double>(load.workers))
                       : 1.0;
  auto needed = rounded_up(per_second * seconds(service) / utilisation / slots);
  auto why = text_of(per_second) + " messages/s of " + text_of(service)
             + " each";
  if (auto wait = long_wait(load, now); wait > duration{0}) {
    auto backlog = static_cast<double>(load.waiting) * seconds(service)
                   / seconds(rule_.interval) / slots;
    needed = std::max(needed + rounded_up(backlog), wanted + 1);
    why = "p95 of waits " + text_of(wait) + " > " + text_of(rule_.target_wait);
  }
  if (needed > rule_.most)
    why += ", but at most " + std::to_string(rule_.most);
  needed = std::max(needed, std::min(load.busy, wanted));
  needed = std::clamp(needed, rule_.least, rule_.most);
  if (needed > wanted)
    return grown(needed, wanted, std::move(why), now);
  return shrunk(needed, wanted, std::move(why), load.drains, now);
}

/// Returns the 95th percentile of the waits in the interval, or the wait of the
/// next task if that is longer; zero if it is not above the target, if more
/// workers would not have helped, or if new ones had yet to start.
duration autoscaler::long_wait(const pool_load& load, instant now) const {
  if (!was_full_ || samples_.back().taken < started_)
    return duration{0};
  auto oldest = load.oldest < now ? now - load.oldest : duration{0};
  auto wait = std::max(load.waits->since(waits_).percentile(95), oldest);
  return wait > rule_.target_wait ? wait : duration{0};
}

std::size_t autoscaler::grown(std::size_t needed, std::size_t wanted,
                              std::string why, instant now) {
  started_ = later(now, startup_);
  low_since_ = never;
  why_ = std::move(why);
  return std::min(needed, std::max(std::size_t{1}, 2 * wanted));
}

std::size_t autoscaler::shrunk(std::size_t needed, std::size_t wanted,
                               std::string why, bool drains, instant now) {
  if (needed == wanted || drains) {
    low_since_ = never;
    why_ = drains ? "the pool drains" : std::move(why);
    return wanted;
  }
  low_since_ = std::min(low_since_, now);
  auto has_cooled = now - low_since_ >= rule_.cooldown;
  why_ = std::move(why) + ": " + std::to_string(needed)
         + (has_cooled ? " are enough" : " would be enough");
  return has_cooled ? wanted - 1 : wanted;
}

} // namespace libpool
