#include "report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <regex>
#include <sstream>
#include <vector>

namespace poolctl {

namespace {

constexpr std::size_t longest_path = 200; // of a value in nested objects

std::string time_text(double seconds) {
  const auto size = std::abs(seconds);
  if (size >= 7200)
    return fmt::format("{:.0f} h", seconds / 3600);
  if (size >= 120)
    return fmt::format("{:.0f} min", seconds / 60);
  return size >= 1      ? fmt::format("{:.3g} s", seconds)
         : size >= 1e-3 ? fmt::format("{:.3g} ms", seconds * 1e3)
                        : fmt::format("{:.3g} µs", seconds * 1e6);
}

std::string number_text(const std::string& path, double number) {
  const auto names = [place = path + '/'](const char* unit) {
    return place.find(unit) != std::string::npos;
  };
  if (names("_per_s/"))
    return fmt::format("{:.{}f}/s", number, std::abs(number) < 10 ? 1 : 0);
  if (names("_ms/"))
    return time_text(number / 1000);
  if (names("_s/"))
    return time_text(number);
  if (names("share/"))
    return fmt::format("{:.0f} %", number * 100);
  return number == std::floor(number) ? fmt::format("{:.0f}", number)
                                      : fmt::format("{:.3g}", number);
}

/// Returns the path as words, without units.
std::string title_of(const std::string& path) {
  static const std::regex noise{"_(per_s|ms|s)(?=/|$)|^window/|(^|/)is_"};
  static const std::regex gap{"[_/]"};
  const auto plain = std::regex_replace(path, noise, "$2");
  return printable(std::regex_replace(plain, gap, " "));
}

json value_at(const std::string& path, const json& object) {
  return object.value(json::json_pointer{'/' + path}, json{});
}

/// Returns the value at the path, such as `window/wait_ms/p95`, with the unit
/// that the path names; `-` if it is not known.
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

void add_figures(const json& object, const std::string& beginning,
                 std::vector<std::string>& texts) {
  for (const auto& [name, value] : object.items()) {
    const auto path = beginning + name;
    if (value.is_object() && path.size() < longest_path)
      add_figures(value, path + '/', texts);
    else if (value == true)
      texts.push_back(title_of(path));
    else if (value.is_number() && value != 0)
      texts.push_back(title_of(path) + ' ' + number_text(path, value));
  }
}

/// Returns what is known of the object and of the objects in it, except for
/// lists: names and values, without zeros, in lines of at most 100 bytes.
std::string figures(const json& object) {
  static const std::regex line{"(.{1,97}(,|$))( |$)"};
  std::vector<std::string> texts;
  add_figures(object, {}, texts);
  return std::regex_replace(fmt::format("{}", fmt::join(texts, ", ")), line,
                            "  $1\n");
}

/// Returns a table with a row for each object and a column for each of the
/// paths, which spaces separate. A column without values is left out. Empty
/// without rows.
std::string table(const json& rows, const std::string& paths) {
  std::vector<std::string> lines(rows.empty() ? 0 : rows.size() + 1);
  std::istringstream columns{paths};
  for (std::string path; columns >> path;) {
    std::vector<std::string> cells{title_of(path)};
    auto width = cells[0].size();
    auto has_some = false;
    auto has_words = false;
    for (const auto& row : rows) {
      const auto value = value_at(path, row);
      has_some = has_some || (value != nullptr && value != 0 && value != false);
      has_words = has_words || value.is_string();
      cells.push_back(value_text(path, row));
      width = std::max(width, cells.back().size());
    }
    const auto* alignment = has_words ? "  {:<{}}" : "  {:>{}}";
    for (std::size_t i = 0; has_some && i < lines.size(); ++i)
      lines[i] += fmt::format(fmt::runtime(alignment), cells[i], width);
  }
  std::string result;
  for (const auto& each : lines)
    result += each.substr(0, each.find_last_not_of(' ') + 1) + '\n';
  return result;
}

constexpr const char* limit_paths =
  "name is_of_pool is_paused parked most_running per_second";
constexpr const char* stage_paths =
  "name held credit workers completed_per_s time_ms is_full is_slowest";
constexpr const char* pool_paths =
  "name policy is_paused workers busy waiting running window/arrived_per_s "
  "window/completed_per_s window/failed_per_s window/wait_ms/p95 "
  "window/service_ms/p95";

constexpr const char* failed_paths =
  "number time client id attempts node kind bytes error";

/// A list of a pool that is shown as a table.
struct pool_list {
  const char* name;
  const char* title;
  const char* paths; // of the columns
};

constexpr std::array lists{
  pool_list{
    "members", "workers",
    "number name state in_flight busy_share completed failed stolen mean_ms "
    "max_ms running_for_s is_paused is_stuck"},
  pool_list{
    "flows", "flows",
    "name waiting running served refused share seat_s lag_ms mean_wait_ms "
    "waiting_for_s is_paused"},
  pool_list{
    "nodes", "nodes",
    "name slots in_flight silent_ms round_trip_ms bytes_per_s is_paused"},
  pool_list{"limits", "limits", limit_paths}};

std::string problems_of(const json& object, const std::string& beginning) {
  std::string result;
  for (const auto& each : object.value("problems", json{}))
    result += beginning + (each.value("loses_tasks", false) ? "!! " : "!  ")
              + value_text("text", each) + '\n';
  return result;
}

std::string section(const char* title, const std::string& text) {
  return text.empty() ? text : fmt::format("\n  {}\n{}", title, text);
}

} // namespace

std::string printable(const std::string& text) {
  static const std::regex thin_space{"\u202F"};
  auto plain = std::regex_replace(text, thin_space, " ");
  auto quoted = fmt::format("{:?}", plain);
  return quoted.size() == plain.size() + 2 ? plain : quoted;
}

std::string report_of_pool(const json& pool) {
  auto result = fmt::format("pool {} ({})\n", value_text("name", pool),
                            value_text("policy", pool))
                + problems_of(pool, "  ");
  const std::vector<std::string> nodes = pool.value("unreachable",
                                                    json::array());
  if (!nodes.empty())
    result += "  unreachable nodes: "
              + printable(fmt::format("{}", fmt::join(nodes, ", "))) + '\n';
  auto numbers = pool;
  numbers.erase("window");
  result += figures(numbers);
  result += section("last ten seconds", figures(pool.value("window", json{})));
  for (const auto& [name, title, paths] : lists)
    result += section(title, table(pool.value(name, json{}), paths));
  return result + '\n';
}

std::string report_of_server(const json& server) {
  std::string result;
  for (const auto& each : server.at("pools"))
    result += report_of_pool(each);
  for (const auto& each : server.value("pipelines", json{}))
    result += "pipeline " + value_text("name", each) + '\n'
              + problems_of(each, "  ")
              + table(each.value("stages", json{}), stage_paths) + '\n';
  return result;
}

std::string report_of_limits(const json& limits) {
  return limits.empty() ? "no limit holds back a task\n"
                        : table(limits, limit_paths);
}

std::string report_of_failed(const json& messages) {
  return messages.empty() ? "no failed messages\n"
                          : table(messages, failed_paths);
}

std::string report_of_failed_message(const json& message) {
  std::string result;
  for (const auto& [name, value] : message.items())
    if (value != nullptr)
      result += fmt::format("  {:<8}  {}\n", printable(name),
                            value_text(name, message));
  return result;
}

std::string overview_of(const json& pools) {
  auto result = table(pools, pool_paths);
  for (const auto& each : pools)
    result += problems_of(each, "  " + value_text("name", each) + ": ");
  return result + '\n';
}

} // namespace poolctl
