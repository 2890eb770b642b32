#include "json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <regex>

namespace poolctl {

namespace {

constexpr std::size_t line_width = 100;
constexpr std::size_t longest_path = 200; // of a value in nested objects

std::string time_text(double seconds) {
  const auto size = std::abs(seconds);
  if (size < 1e-3)
    return fmt::format("{:.3g} µs", seconds * 1e6);
  if (size < 1)
    return fmt::format("{:.3g} ms", seconds * 1000);
  if (size < 120)
    return fmt::format("{:.3g} s", seconds);
  return size < 7200 ? fmt::format("{:.0f} min", seconds / 60)
                     : fmt::format("{:.0f} h", seconds / 3600);
}

std::string number_text(const std::string& path, double number) {
  const auto names = [&](const char* unit) {
    return path.find(unit) != std::string::npos;
  };
  if (names("_per_s"))
    return fmt::format("{:.{}f}/s", number, std::abs(number) < 10 ? 1 : 0);
  if (names("_ms"))
    return time_text(number / 1000);
  if (path.size() > 2 && path.compare(path.size() - 2, 2, "_s") == 0)
    return time_text(number);
  if (names("share"))
    return fmt::format("{:.0f} %", number * 100);
  return number == std::floor(number) ? fmt::format("{:.0f}", number)
                                      : fmt::format("{:.3g}", number);
}

/// Returns the path as words, without units.
std::string title_of(const std::string& path) {
  static const std::regex noise{"_(per_s|ms|s)(?=/|$)|^window/|(^|/)is_"};
  auto result = std::regex_replace(path, noise, "$2");
  std::replace_if(
    result.begin(), result.end(),
    [](char each) { return each == '_' || each == '/'; }, ' ');
  return printable(result);
}

json value_at(const std::string& path, const json& object) {
  const json::json_pointer place{'/' + path};
  return object.contains(place) ? object[place] : json{};
}

/// Whether the value says something: it is not zero, false, empty or unknown.
bool is_some(const json& value) {
  return value.is_number()    ? value != 0
         : value.is_boolean() ? value == true
                              : value.is_string();
}

bool are_words(const json& value) {
  return value.is_string();
}

/// Whether the predicate holds for the value in one of the rows.
template <class Predicate>
bool holds_once(const json& rows, const std::string& path, Predicate holds) {
  return std::any_of(rows.begin(), rows.end(), [&](const json& row) {
    return holds(value_at(path, row));
  });
}

void add_figures(const json& object, const std::string& beginning,
                 std::vector<std::string>& texts) {
  for (const auto& [name, value] : object.items()) {
    const auto path = beginning + name;
    if (value.is_object() && path.size() < longest_path)
      add_figures(value, path + '/', texts);
    else if (value.is_boolean() && value == true)
      texts.push_back(title_of(path));
    else if (value.is_number() && value != 0)
      texts.push_back(title_of(path) + ' ' + number_text(path, value));
  }
}

} // namespace

std::string printable(const std::string& text) {
  static const std::regex thin_space{"\u202F"};
  auto plain = std::regex_replace(text, thin_space, " ");
  auto quoted = fmt::format("{:?}", plain);
  return quoted.size() == plain.size() + 2 ? plain : quoted;
}

std::string value_text(const std::string& path, const json& object) {
  const auto value = value_at(path, object);
  if (value.is_number())
    return number_text(path, value);
  if (value.is_boolean())
    return value == true ? "yes" : "no";
  if (!value.is_string())
    return "-";
  return value == "" ? "(no name)" : printable(value);
}

std::string figures(const json& object) {
  std::vector<std::string> texts;
  add_figures(object, {}, texts);
  std::string result;
  std::string line;
  for (const auto& each : texts) {
    if (line.size() + each.size() + 2 > line_width) {
      result += line + ",\n";
      line.clear();
    }
    line += (line.empty() ? "  " : ", ") + each;
  }
  return line.empty() ? result : result + line + '\n';
}

std::string table(const json& rows, const std::vector<std::string>& paths) {
  std::vector<std::string> lines(rows.empty() ? 0 : rows.size() + 1);
  for (const auto& path : paths) {
    if (!holds_once(rows, path, is_some))
      continue;
    std::vector<std::string> cells{title_of(path)};
    for (const auto& row : rows)
      cells.push_back(value_text(path, row));
    std::size_t width = 0;
    for (const auto& each : cells)
      width = std::max(width, each.size());
    const auto* alignment = holds_once(rows, path, are_words) ? "  {:<{}}"
                                                              : "  {:>{}}";
    for (std::size_t i = 0; i < lines.size(); ++i)
      lines[i] += fmt::format(fmt::runtime(alignment), cells[i], width);
  }
  std::string result;
  for (const auto& each : lines)
    result += each.substr(0, each.find_last_not_of(' ') + 1) + '\n';
  return result;
}

} // namespace poolctl
