#include "libpool/observability/timeline/gantt/content.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace libpool::detail {

namespace {

constexpr std::uint32_t most_rows = 256;
constexpr std::size_t many_rows = 64;

bool is_open_in(const timeline::record& task, const time_span& part) noexcept {
  return task.submitted <= part.to && task.finished >= part.from;
}

/// Returns the runs that are visible in the part.
runs shown_runs(const timeline& timeline, const time_span& part) {
  auto result = started_runs(timeline);
  auto is_outside = [&](const run& x) {
    return x.record->started > part.to || x.record->finished < part.from;
  };
  result.erase(std::remove_if(result.begin(), result.end(), is_outside),
               result.end());
  return result;
}

} // namespace

gantt_content::gantt_content(const timeline& timeline, const time_span& part)
  : recorded(timeline),
    only(part),
    whole(std::max(part.to - part.from, duration{1})),
    started(shown_runs(timeline, part)),
    lanes(lanes_of(timeline, started)),
    colours(timeline, started) {
  choose_lanes();
  find_unstarted();
}

std::uint32_t gantt_content::rows_of(const lane& lane) noexcept {
  return std::min(lane.rows, most_rows);
}

bool gantt_content::is_dense() const noexcept {
  return rows > many_rows;
}

bool gantt_content::is_completed(
  const timeline::record& record) const noexcept {
  return recorded.outcomes()[record.outcome] == "completed";
}

bool gantt_content::all_completed() const noexcept {
  return std::all_of(started.begin(), started.end(),
                     [this](const run& x) { return is_completed(*x.record); });
}

bool gantt_content::is_shown(const timeline::record& record) const noexcept {
  return is_open_in(record, only);
}

time_span gantt_content::run_of(const timeline::record& record) const noexcept {
  return within(record.started, record.finished);
}

time_span
gantt_content::wait_of(const timeline::record& record) const noexcept {
  return within(record.submitted, std::min(record.started, record.finished));
}

time_span gantt_content::within(instant time, instant target) const noexcept {
  return {std::clamp(time, only.from, only.to),
          std::clamp(target, only.from, only.to)};
}

/// Waiting messages for which no task was made have no numbers. One number may
/// be used for several messages that arrived at different times.
std::size_t gantt_content::tasks() const {
  std::size_t unnumbered = 0;
  std::set<std::pair<std::uint64_t, instant>> numbered;
  for (const auto& each : recorded.records())
    if (!is_shown(each))
      continue;
    else if (each.task == 0 && each.started == never)
      ++unnumbered;
    else
      numbered.emplace(each.task, each.submitted);
  return unnumbered + numbered.size();
}

double gantt_content::share_of(duration part) const noexcept {
  return static_cast<double>(part.count()) / static_cast<double>(whole.count());
}

double gantt_content::place_of(instant when) const noexcept {
  return share_of(when - only.from);
}

void gantt_content::choose_lanes() {
  for (const auto& each : lanes) {
    if (rows + rows_of(each) > most_rows)
      break;
    rows += rows_of(each);
    ++drawn_lanes;
  }
}

void gantt_content::find_unstarted() {
  for (const auto& each : recorded.records())
    if (each.started == never && each.finished != never && is_shown(each))
      unstarted.push_back(&each);
  std::stable_sort(unstarted.begin(), unstarted.end(),
                   [](auto* x, auto* y) { return x->finished < y->finished; });
}

} // namespace libpool::detail
