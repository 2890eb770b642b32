#include "progress.hpp"

#include "console/text.hpp"

#include <fmt/format.h>

#include <vector>

namespace word_count {

std::string render(const tally& tally, double seconds, std::size_t width) {
  std::vector<std::string> figures{fmt::format("{} files", tally.files.load()),
                                   console::human_bytes(tally.bytes)};
  if (seconds > 0)
    figures.push_back(console::human_rate(tally.bytes, seconds));
  figures.push_back(fmt::format("{} words", tally.words.load()));
  return console::line_of(figures, width);
}

} // namespace word_count
