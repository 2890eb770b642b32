#include "libpool/live/guide.hpp"

#include <cctype>
#include <iterator>
#include <regex>
#include <sstream>
#include <utility>

namespace libpool::live {

namespace {

/// docs/operations/slow_pools.md, see CMakeLists.txt.
// NOLINTNEXTLINE(modernize-avoid-c-arrays)
constexpr unsigned char guide_bytes[] = {
#include "libpool/live/guide_bytes.inc"
};

std::string escaped(std::string_view text) {
  std::string result;
  for (auto each : text) {
    if (each == '<')
      result += "&lt;";
    else if (each == '&')
      result += "&amp;";
    else
      result += each;
  }
  return result;
}

/// Text without marks for links and code.
std::string plain(const std::string& text) {
  static const std::regex link{R"(\[([^\]]*)\]\([^)]*\))"};
  static const std::regex code{"`([^`]*)`"};
  static const std::regex strong{R"(\*\*([^*]*)\*\*)"};
  auto result = std::regex_replace(escaped(text), link, "$1");
  result = std::regex_replace(result, code, "<code>$1</code>");
  return std::regex_replace(result, strong, "<b>$1</b>");
}

/// Returns the anchor that GitHub makes from a heading.
std::string anchor_of(const std::string& heading) {
  std::string result;
  for (auto each : heading) {
    auto letter = static_cast<unsigned char>(each);
    if (std::isalnum(letter) != 0 || each == '-')
      result += static_cast<char>(std::tolower(letter));
    else if (each == ' ')
      result += '-';
  }
  return result;
}

bool starts_with(const std::string& text, std::string_view with) {
  return text.compare(0, with.size(), with) == 0;
}

/// Puts elements around lines.
class element_writer {
public:
  void add(const std::string& line) {
    if (line.empty())
      close();
    else if (starts_with(line, "!["))
      return;
    else if (starts_with(line, "#"))
      add_heading(line);
    else if (starts_with(line, "- "))
      open("<ul><li>", "</li></ul>", line.substr(2));
    else if (end_.empty())
      open("<p>", "</p>", line);
    else
      text_ += '\n' + plain(line);
  }

  std::string take() && {
    close();
    return std::move(text_);
  }

private:
  void open(const char* begin, const char* end, const std::string& line) {
    close();
    text_ += begin + plain(line);
    end_ = end;
  }

  void close() {
    if (!end_.empty())
      text_ += end_ + '\n';
    end_.clear();
  }

  void add_heading(const std::string& line) {
    auto level = line.find_first_not_of('#');
    auto heading = line.substr(level + 1);
    close();
    text_ += "<h" + std::to_string(level) + " id=\"" + anchor_of(heading)
             + "\">" + plain(heading) + "</h" + std::to_string(level) + ">\n";
  }

  std::string text_;
  std::string end_;
};

} // namespace

std::string page_of(std::string_view markdown) {
  std::istringstream lines{std::string{markdown}};
  element_writer body;
  for (std::string line; std::getline(lines, line);)
    body.add(line);
  return "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
         "<meta name=\"viewport\" content=\"width=device-width\">"
         "<meta name=\"color-scheme\" content=\"light dark\">"
         "<title>libpool: slow pools</title></head><body>\n"
         + std::move(body).take() + "</body></html>\n";
}

const std::string& guide_page() {
  static const auto result =
    page_of(std::string{std::begin(guide_bytes), std::end(guide_bytes)});
  return result;
}

} // namespace libpool::live
