#include "libpool/observability/timeline/gantt/colours.hpp"

#include "libpool/observability/timeline/gantt/look.hpp"

#include <algorithm>
#include <numeric>

namespace libpool::detail {

namespace {

/// Returns the total run time of the tasks of each flow.
std::vector<duration> running_times(const timeline& timeline, const runs& all) {
  std::vector<duration> out(timeline.flows().size());
  for (const auto& each : all)
    out[each.record->flow] += end_of(*each.record, timeline)
                              - each.record->started;
  return out;
}

/// Returns the flows that ran longest, one for each colour, sorted by number.
std::vector<std::uint32_t> longest(const std::vector<duration>& times) {
  std::vector<std::uint32_t> out(times.size());
  std::iota(out.begin(), out.end(), 0U);
  std::stable_sort(out.begin(), out.end(),
                   [&](auto x, auto y) { return times[x] > times[y]; });
  out.resize(std::min(out.size(), named_colours));
  std::sort(out.begin(), out.end());
  return out;
}

} // namespace

flow_colours::flow_colours(const timeline& timeline, const runs& all)
  : colours_(timeline.flows().size(), named_colours),
    flows_(longest(running_times(timeline, all))) {
  for (std::size_t i = 0; i < flows_.size(); ++i)
    colours_[flows_[i]] = i;
}

} // namespace libpool::detail
