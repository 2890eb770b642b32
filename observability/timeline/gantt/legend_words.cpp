#include "libpool/observability/timeline/gantt/legend_words.hpp"

#include "libpool/observability/timeline/gantt/look.hpp"
#include "libpool/observability/timeline/gantt/numbers.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace libpool::detail {

namespace {

std::vector<std::uint64_t> outcome_counts(const gantt_content& content) {
  std::vector<std::uint64_t> out(content.recorded.outcomes().size());
  for (const auto& each : content.recorded.records())
    out[each.outcome] += content.is_shown(each) ? 1U : 0U;
  return out;
}

duration waited(const timeline::record& task, const gantt_content& in) {
  return std::min({task.started, task.finished, in.only.to}) - task.submitted;
}

duration longest_wait(const gantt_content& content) {
  auto out = duration{0};
  for (const auto& each : content.recorded.records())
    if (content.is_shown(each))
      out = std::max(out, waited(each, content));
  return out;
}

/// Returns the time between the left edge of the picture and the moment.
std::string moment_text(instant moment, const gantt_content& in) {
  auto since = moment - in.only.from;
  return since < duration{0} ? "\u2212" + text_of(-since) : text_of(since);
}

/// Returns the number of runs, if some tasks have several runs; otherwise an
/// empty text.
std::string runs_text(const gantt_content& content, std::size_t tasks) {
  auto runs = std::count_if(
    content.recorded.records().begin(), content.recorded.records().end(),
    [&](const timeline::record& each) { return content.is_shown(each); });
  auto several = static_cast<std::uint64_t>(runs);
  return several > tasks ? ", " + counted(several, "run") : "";
}

} // namespace

std::string caption(const gantt_content& content) {
  auto tasks = content.tasks();
  return counted(tasks, "task") + runs_text(content, tasks) + " on "
         + counted(content.lanes.size(), "worker") + " in "
         + text_of(content.only.to - content.only.from);
}

std::string summary(const gantt_content& content) {
  constexpr std::size_t most_outcomes = 6;
  const auto& outcomes = content.recorded.outcomes();
  auto counts = outcome_counts(content);
  std::string out;
  for (std::uint32_t i = 0; i < counts.size() && i < most_outcomes; ++i)
    if (!outcomes[i].empty())
      out += grouped(counts[i]) + " " + shortened(outcomes[i], 40) + ", ";
  if (counts.size() > most_outcomes)
    out += "\u2026, ";
  return out + "longest wait " + text_of(longest_wait(content));
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
         + text_of(waited(task, in));
  auto end = std::min(task.finished, in.only.to);
  if (task.started != never)
    out += ", ran " + text_of(end - task.started);
  return out + "\n" + moment_text(task.submitted, in) + " \u2013 "
         + moment_text(end, in);
}

std::string label_of(const lane& lane) {
  return shortened(lane.name, 28);
}

} // namespace libpool::detail
