#include "line.hpp"

#include "unicode.hpp"

#include <sstream>
#include <utility>

namespace pooltop {

namespace {

/// Blanks that keep numbers together.
bool is_blank(std::string_view glyph) {
  return glyph == "\u00a0" || glyph == "\u2007" || glyph == "\u2009"
         || glyph == "\u202f";
}

std::string_view ascii_of(std::string_view glyph) {
  if (is_blank(glyph))
    return " ";
  return glyph.size() == 1 ? glyph : "?";
}

} // namespace

line& line::add(std::string_view text, look as) {
  for (auto& each : glyphs_of(text)) {
    cells_.push_back({std::move(each.bytes), as});
    if (each.width == 2)
      cells_.push_back({"", as});
  }
  return *this;
}

line& line::add(const line& other) {
  cells_.insert(cells_.end(), other.cells_.begin(), other.cells_.end());
  return *this;
}

line& line::pad_to(std::size_t width, look as) {
  if (cells_.size() < width)
    cells_.resize(width, {" ", as});
  return *this;
}

line& line::cut_to(std::size_t width, std::string_view ellipsis) {
  if (cells_.size() <= width)
    return *this;
  const auto kept = width == 0 ? 0 : width - 1;
  const auto halves = kept > 0 && cells_[kept].glyph.empty();
  const auto as = cells_[kept].as;
  cells_.resize(kept);
  if (halves)
    cells_.back() = {" ", as};
  return width == 0 ? *this : add(ellipsis, as);
}

line& line::fade() {
  for (auto& each : cells_)
    each.as = look::faint;
  return *this;
}

std::string line::text() const {
  std::string result;
  for (const auto& each : cells_)
    result += each.glyph;
  result.erase(result.find_last_not_of(' ') + 1);
  return result;
}

std::vector<line> flowing(const std::vector<line>& items, std::size_t width,
                          std::size_t blanks) {
  std::vector<line> result;
  for (const auto& each : items) {
    if (result.empty() || result.back().width() + blanks + each.width() > width)
      result.push_back(each);
    else
      result.back().pad_to(result.back().width() + blanks).add(each);
  }
  return result;
}

std::vector<line> wrapped(const std::string& mark, const std::string& text,
                          look as, std::size_t width) {
  std::vector<line> result{line{mark, as}};
  std::istringstream words{text};
  std::string word;
  for (auto is_first = true; words >> word; is_first = false) {
    if (!is_first && result.back().width() + 1 + width_of(word) > width) {
      result.emplace_back();
      result.back().pad_to(width_of(mark)).add(word, as);
    } else {
      result.back().add(is_first ? "" : " ", as).add(word, as);
    }
  }
  return result;
}

line in_ascii(const line& from) {
  line result;
  for (const auto& each : from.cells())
    result.add(ascii_of(each.glyph), each.as);
  return result;
}

} // namespace pooltop
