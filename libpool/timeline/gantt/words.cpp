#include "libpool/timeline/gantt/words.hpp"

#include "libpool/timeline/gantt/look.hpp"
#include "libpool/timeline/gantt/numbers.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace libpool::detail {

namespace {

std::vector<std::uint64_t> outcome_counts(const timeline& of) {
  std::vector<std::uint64_t> out(of.outcomes().size());
  for (const auto& each : of.records())
    ++out[each.outcome];
  return out;
}

duration longest_wait(const timeline& of) {
  auto out = duration{0};
  for (const auto& each : of.records())
    out = std::max(out, end_of_waiting(each, of) - each.submitted);
  return out;
}

} // namespace

std::string caption(const gantt_content& of) {
  return counted(of.recorded.records().size(), "task") + " on "
         + counted(of.lanes.size(), "worker") + " in "
         + text_of(of.recorded.last() - of.recorded.first());
}

std::string summary(const gantt_content& of) {
  constexpr std::size_t most_outcomes = 6;
  const auto& outcomes = of.recorded.outcomes();
  auto counts = outcome_counts(of.recorded);
  std::string out;
  for (std::uint32_t i = 0; i < counts.size() && i < most_outcomes; ++i)
    if (!outcomes[i].empty())
      out += grouped(counts[i]) + " " + shortened(outcomes[i], 40) + ", ";
  if (counts.size() > most_outcomes)
    out += "\u2026, ";
  return out + "longest wait " + text_of(longest_wait(of.recorded));
}

std::string title_of(std::size_t colour, const gantt_content& in) {
  if (colour == named_colours)
    return "other flows: ";
  const auto& flow = in.recorded.flows()[in.colours.flows()[colour]];
  return flow.empty() ? "" : flow + ": ";
}

std::string title_of(const timeline::record& task, const gantt_content& in) {
  const auto& timeline = in.recorded;
  const auto& flow = timeline.flows()[task.flow];
  auto out = "task " + std::to_string(task.task);
  if (!flow.empty())
    out += " (" + flow + ")";
  out += ": " + timeline.outcomes()[task.outcome] + "\nwaited "
         + text_of(end_of_waiting(task, timeline) - task.submitted);
  if (task.started != never)
    out += ", ran " + text_of(end_of(task, timeline) - task.started);
  return out + "\n" + text_of(task.submitted - timeline.first()) + " \u2013 "
         + text_of(end_of(task, timeline) - timeline.first());
}

std::string label_of(const lane& of) {
  return shortened(of.name, 28);
}

} // namespace libpool::detail
