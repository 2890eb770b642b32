#include "libpool/observability/timeline/gantt/legend.hpp"

#include "libpool/observability/timeline/gantt/numbers.hpp"

#include <cstddef>
#include <utility>

namespace libpool::detail {

namespace {

/// Gives each entry a position in a line.
class legend_lines {
public:
  void add(std::string look, std::string text, std::string title) {
    auto width = 36 + text_width(text, 12);
    if (x_ > margin && x_ + width > page_width - margin) {
      x_ = margin;
      y_ += line_height;
    }
    entries_.push_back(
      {std::move(look), std::move(text), std::move(title), x_, y_});
    x_ += width;
  }

  std::vector<legend_entry> take() && {
    return std::move(entries_);
  }

private:
  std::vector<legend_entry> entries_;
  pixels x_ = margin;
  pixels y_ = 76;
};

/// Adds an entry for each flow, unless the only flow has no name.
void add_flows(legend_lines& lines, const gantt_content& content) {
  const auto& flows = content.recorded.flows();
  const auto& coloured = content.colours.flows();
  for (std::size_t i = 0; i < coloured.size(); ++i) {
    const auto& flow = flows[coloured[i]];
    if (!flow.empty() || flows.size() > 1)
      lines.add(look_of(i), flow.empty() ? "(no flow)" : shortened(flow, 40),
                flow);
  }
  if (auto more = flows.size() - coloured.size(); more > 0)
    lines.add(look_of(named_colours), counted(more, "more flow"), "");
}

} // namespace

std::vector<legend_entry> legend_of(const gantt_content& content) {
  legend_lines lines;
  add_flows(lines, content);
  if (!content.all_completed())
    lines.add("x", "not completed", "");
  return std::move(lines).take();
}

} // namespace libpool::detail
