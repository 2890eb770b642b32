#include "libpool/observability/timeline/gantt/stack.hpp"

#include "libpool/observability/timeline/gantt/legend_words.hpp"
#include "libpool/observability/timeline/gantt/numbers.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace libpool::detail {

namespace {

/// Returns the height in steps of half a pixel, so that neighbours are often
/// equal.
pixels height_of(pixels exact, pixels least, pixels most) noexcept {
  if (exact < 1e-9)
    return 0;
  return std::min(std::max(std::round(exact * 2) / 2, least), most);
}

/// Returns the height of each column, limited by the available room.
std::vector<pixels> heights_of(std::vector<double> shares,
                               const std::vector<pixels>& below,
                               const stacking& stacking) {
  for (std::size_t i = 0; i < shares.size(); ++i)
    shares[i] = height_of(shares[i] * stacking.height / stacking.full,
                          stacking.least_height, stacking.height - below[i]);
  return shares;
}

/// Draws one rectangle for each sequence of equal columns.
void draw_columns(svg_writer& writer, const gantt_layout& in,
                  const std::vector<pixels>& below,
                  const std::vector<pixels>& heights, pixels bottom) {
  auto column = in.width / static_cast<double>(heights.size());
  for (std::size_t i = 0; i < heights.size();) {
    auto begin = i++;
    while (i < heights.size() && heights[i] == heights[begin]
           && below[i] == below[begin])
      ++i;
    if (heights[begin] <= 0)
      continue;
    auto width = text_of(column * static_cast<double>(i - begin));
    writer.put("M", text_of(in.left + column * static_cast<double>(begin)), ",",
               text_of(bottom - below[begin]), "h", width, "v-",
               text_of(heights[begin]), "h-", width, "z");
  }
}

} // namespace

void draw_shares(svg_writer& writer, const gantt_layout& in,
                 const column_shares& shares, const stacking& stacking) {
  std::vector<pixels> below(shares.columns());
  for (std::size_t colour = 0; colour < palette.size(); ++colour) {
    if (shares.count(colour) == 0)
      continue;
    auto heights = heights_of(shares.of(colour), below, stacking);
    writer.put("<path class=\"", look_of(colour), "\" d=\"");
    draw_columns(writer, in, below, heights, stacking.bottom);
    writer.put("\"><title>", xml(title_of(colour, in.content)),
               counted(shares.count(colour), "task"), stacking.state,
               "</title></path>\n");
    column_shares::add_to(below, heights);
  }
}

} // namespace libpool::detail
