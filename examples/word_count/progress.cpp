#include "progress.hpp"

#include "console/text.hpp"

#include <fmt/format.h>

namespace word_count {

std::string render(const tally& at, double seconds, std::size_t width) {
  auto out = fmt::format("{} files  {}  ", at.files.load(),
                         console::human_bytes(at.bytes));
  if (seconds > 0)
    out += console::human_rate(at.bytes, seconds) + "  ";
  out += fmt::format("{} words", at.words.load());
  return out.substr(0, width);
}

} // namespace word_count
