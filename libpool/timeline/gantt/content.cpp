#include "libpool/timeline/gantt/content.hpp"

#include <algorithm>

namespace libpool::detail {

namespace {

constexpr std::uint32_t most_rows = 256;
constexpr std::size_t many_rows = 64;

} // namespace

gantt_content::gantt_content(const timeline& of)
  : recorded(of),
    whole(std::max(of.last() - of.first(), duration{1})),
    started(started_runs(of)),
    lanes(lanes_of(of, started)),
    colours(of, started) {
  choose_lanes();
  find_unstarted();
}

std::uint32_t gantt_content::rows_of(const lane& of) noexcept {
  return std::min(of.rows, most_rows);
}

bool gantt_content::is_dense() const noexcept {
  return rows > many_rows;
}

bool gantt_content::is_completed(const timeline::record& of) const noexcept {
  return recorded.outcomes()[of.outcome] == "completed";
}

bool gantt_content::all_completed() const noexcept {
  return std::all_of(started.begin(), started.end(),
                     [this](const run& x) { return is_completed(*x.record); });
}

double gantt_content::share_of(duration part) const noexcept {
  return static_cast<double>(part.count()) / static_cast<double>(whole.count());
}

double gantt_content::place_of(instant when) const noexcept {
  return share_of(when - recorded.first());
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
    if (each.started == never && each.finished != never)
      unstarted.push_back(&each);
  std::stable_sort(unstarted.begin(), unstarted.end(),
                   [](auto* x, auto* y) { return x->finished < y->finished; });
}

} // namespace libpool::detail
