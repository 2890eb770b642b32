#include "libpool/observability/live/history.hpp"

#include <algorithm>
#include <chrono>

namespace libpool::live {

namespace {

using std::chrono::milliseconds;

/// A window that is shorter says little, if there is a longer one.
constexpr milliseconds short_window{1'000};

} // namespace

duration worked(const member_stats& member, instant until) noexcept {
  auto runs = member.running_since != never && member.running_since < until;
  return member.busy + (runs ? until - member.running_since : duration{0});
}

duration past_sample::worked_by(std::uint64_t number) const noexcept {
  auto i = std::lower_bound(worked.begin(), worked.end(), number,
                            [](const auto& x, auto y) { return x.first < y; });
  return i != worked.end() && i->first == number ? i->second : duration{0};
}

duration past_sample::seat_time_of(const std::string& flow) const noexcept {
  for (const auto& each : stats.flows)
    if (each.name == flow)
      return each.seat_time;
  return duration{0};
}

std::optional<double> busy_share(const member_stats& stats,
                                 const pool_sample& now,
                                 const past_sample* since) {
  if (since == nullptr || now.at <= since->at || !now.stats.is_timed)
    return std::nullopt;
  auto time = live::worked(stats, now.at) - since->worked_by(stats.number);
  auto share = static_cast<double>(time.count())
               / static_cast<double>((now.at - since->at).count());
  return std::clamp(share, 0.0, 1.0);
}

void history::add(const pool_sample& sample) {
  past_sample kept;
  kept.at = sample.at;
  kept.stats = sample.stats;
  kept.stats.members.clear();
  kept.groups = sample.groups;
  kept.is_summary = sample.is_summary;
  for (const auto& each : sample.stats.members)
    kept.worked.emplace_back(each.number, live::worked(each, sample.at));
  std::sort(kept.worked.begin(), kept.worked.end());
  samples_.push_back(std::move(kept));
  while (samples_.size() > 1 && sample.at - samples_[1].at > window_length) {
    if (!samples_.front().is_summary)
      former_ = std::move(samples_.front());
    samples_.pop_front();
  }
}

namespace {

/// Returns the sample at the beginning of the window, of those that count.
template <class Counts>
const past_sample* first_of(const std::deque<past_sample>& samples, instant now,
                            const past_sample* before, Counts counts) {
  for (const auto& each : samples) {
    if (!counts(each))
      continue;
    auto is_long = now - each.at >= short_window;
    if (now - each.at <= window_length)
      return is_long || before == nullptr ? &each : before;
    before = &each;
  }
  return before;
}

} // namespace

const past_sample* history::beginning(instant now) const noexcept {
  return first_of(samples_, now, nullptr, [](const auto&) { return true; });
}

const past_sample* history::with_workers(instant now) const noexcept {
  return first_of(samples_, now, former_ ? &*former_ : nullptr,
                  [](const auto& x) { return !x.is_summary; });
}

recent_past history::recent(instant now) const noexcept {
  recent_past result{beginning(now), nullptr, with_workers(now)};
  if (result.beginning == nullptr)
    return result;
  auto half = result.beginning->at + (now - result.beginning->at) / 2;
  for (const auto& each : samples_) {
    if (each.at > result.beginning->at && each.at <= half)
      result.middle = &each;
    if (each.at >= result.beginning->at && now - each.at <= window_length)
      result.samples.push_back(&each);
  }
  return result;
}

} // namespace libpool::live
