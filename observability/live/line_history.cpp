#include "libpool/observability/live/line_history.hpp"

#include "libpool/observability/live/history.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace libpool::live {

namespace {

double seconds(duration time) {
  return std::chrono::duration<double>{time}.count();
}

std::uint64_t left(const stage_stats& stage) {
  return stage.answered + stage.failed;
}

/// Adds what is known of the pool of a stage.
void add_pool(stage_past& past, const pool_stats& now, const pool_stats* before,
              duration time) {
  past.workers = now.workers;
  if (!now.policy.empty() || now.slots > 0)
    past.busy = now.busy;
  if (before == nullptr || !now.is_timed || now.slots == 0)
    return;
  auto changed = now.since(*before);
  past.waits = changed.total.waits;
  auto share = seconds(changed.total.busy)
               / (seconds(time) * static_cast<double>(now.slots));
  past.busy_share = std::clamp(share, 0.0, 1.0);
}

const pool_stats* pool_in(const line_sample& sample, std::size_t stage) {
  return stage < sample.pools.size() && sample.pools[stage]
           ? &*sample.pools[stage]
           : nullptr;
}

} // namespace

void line_history::add(line_sample sample) {
  while (!samples_.empty() && sample.at - samples_.front().at > window_length)
    samples_.pop_front();
  samples_.push_back(std::move(sample));
}

double line_history::mean_held(const line_sample& now,
                               std::size_t stage) const {
  auto sum = static_cast<double>(now.stats.stages[stage].held);
  for (const auto& each : samples_)
    sum += static_cast<double>(each.stats.stages[stage].held);
  return sum / static_cast<double>(samples_.size() + 1);
}

std::vector<stage_past> line_history::stages(const line_sample& now) const {
  std::vector<stage_past> result(now.stats.stages.size());
  const auto* first = samples_.empty() || samples_.front().at >= now.at
                        ? nullptr
                        : &samples_.front();
  const auto time = first == nullptr ? duration{0} : now.at - first->at;
  for (std::size_t i = 0; i < result.size(); ++i) {
    auto& past = result[i];
    const auto& stage = now.stats.stages[i];
    const auto held = mean_held(now, i);
    past.held_share = held / static_cast<double>(stage.credit);
    if (const auto* pool = pool_in(now, i))
      add_pool(past, *pool, first == nullptr ? nullptr : pool_in(*first, i),
               time);
    if (first == nullptr)
      continue;
    auto rate = static_cast<double>(left(stage) - left(first->stats.stages[i]))
                / seconds(time);
    past.completed_per_s = rate;
    if (rate > 0)
      past.time = std::chrono::round<duration>(
        std::chrono::duration<double>{held / rate});
  }
  return result;
}

bool is_full(const stage_stats& stage, const stage_past& past) {
  constexpr auto nearly_all = 0.9;
  return stage.held >= stage.credit && past.held_share >= nearly_all;
}

std::optional<std::size_t> last_full(const pipeline_stats& now,
                                     const std::vector<stage_past>& stages) {
  for (auto i = now.stages.size(); i > 0; --i)
    if (is_full(now.stages[i - 1], stages[i - 1]))
      return i - 1;
  return std::nullopt;
}

std::optional<std::size_t> slowest_of(const pipeline_stats& now,
                                      const std::vector<stage_past>& stages) {
  if (auto full = last_full(now, stages))
    return full;
  auto know_busy = std::all_of(stages.begin(), stages.end(),
                               [](const auto& x) { return x.busy_share; });
  auto load = [=](const stage_past& past) {
    return know_busy ? *past.busy_share : past.held_share;
  };
  auto most = std::max_element(
    stages.begin(), stages.end(),
    [&](const auto& x, const auto& y) { return load(x) < load(y); });
  if (most == stages.end() || load(*most) <= 0)
    return std::nullopt;
  return static_cast<std::size_t>(most - stages.begin());
}

} // namespace libpool::live
