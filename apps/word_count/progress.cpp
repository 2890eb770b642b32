#include "progress.hpp"

#include "console/text.hpp"

#include <fmt/format.h>

#include <vector>

namespace word_count {

std::string render(const tally& at, double seconds, std::size_t width) {
  std::vector<std::string> figures{fmt::format("{} files", at.files.load()),
                                   console::human_bytes(at.bytes)};
  if (seconds > 0)
    figures.push_back(console::human_rate(at.bytes, seconds));
  figures.push_back(fmt::format("{} words", at.words.load()));
  return console::line_of(figures, width);
}

} // namespace word_count
