#pragma once

#include "libpool/observability/timeline/timeline.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace test {

inline libpool::instant at(libpool::duration since) {
  return libpool::instant{since};
}

/// A task that the worker has completed.
inline libpool::timeline::span
completed(std::uint64_t task, std::uint64_t worker, libpool::duration submitted,
          libpool::duration started, libpool::duration finished,
          std::string_view flow = "a") {
  return {task,        libpool::worker_number{worker},
          flow,        at(submitted),
          at(started), at(finished),
          "completed"};
}

inline std::string trace_of(const libpool::timeline& timeline) {
  std::ostringstream out;
  write_trace(out, timeline);
  return out.str();
}

inline std::string gantt_of(const libpool::timeline& timeline) {
  std::ostringstream out;
  write_gantt(out, timeline);
  return out.str();
}

inline std::string gantt_of(const libpool::timeline& timeline,
                            const libpool::time_span& only) {
  std::ostringstream out;
  write_gantt(out, timeline, only);
  return out.str();
}

/// The events of this phase.
inline std::vector<nlohmann::json> events(const libpool::timeline& timeline,
                                          const std::string& phase) {
  std::vector<nlohmann::json> out;
  auto trace = nlohmann::json::parse(trace_of(timeline));
  for (const auto& each : trace["traceEvents"])
    if (each["ph"] == phase)
      out.push_back(each);
  return out;
}

/// The slices of handlers, which are in the process of the workers.
inline std::vector<nlohmann::json> slices(const libpool::timeline& timeline) {
  std::vector<nlohmann::json> out;
  for (auto& each : events(timeline, "X"))
    if (each["pid"] == 1)
      out.push_back(std::move(each));
  return out;
}

inline std::map<std::uint64_t, std::string>
thread_names(const libpool::timeline& timeline) {
  std::map<std::uint64_t, std::string> out;
  for (const auto& each : events(timeline, "M"))
    if (each["name"] == "thread_name")
      out[each["tid"]] = each["args"]["name"];
  return out;
}

inline std::size_t count(std::string_view part, std::string_view in) {
  std::size_t found = 0;
  for (auto i = in.find(part); i != std::string_view::npos;
       i = in.find(part, i + 1))
    ++found;
  return found;
}

inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

inline bool is_escaped(std::string_view text) {
  for (auto i = text.find('&'); i != std::string_view::npos;
       i = text.find('&', i + 1)) {
    auto entity = text.substr(i, text.find(';', i) - i + 1);
    if (entity != "&lt;" && entity != "&gt;" && entity != "&amp;"
        && entity != "&quot;")
      return false;
  }
  return std::none_of(text.begin(), text.end(), [](char x) {
    return static_cast<unsigned char>(x) < 0x20 && x != '\n' && x != '\t';
  });
}

inline std::string_view name_of(std::string_view tag) {
  return tag.substr(0, tag.find_first_of(" \n/"));
}

/// Whether each tag that opens is closed, in turn, and nothing is inside of one
/// or in between that XML has no place for.
inline bool is_well_formed(std::string_view xml) {
  std::vector<std::string_view> open;
  while (!xml.empty()) {
    auto begin = xml.find('<');
    if (begin == std::string_view::npos)
      return open.empty() && is_escaped(xml);
    auto end = xml.find('>', begin);
    if (end == std::string_view::npos || !is_escaped(xml.substr(0, end)))
      return false;
    auto tag = xml.substr(begin + 1, end - begin - 1);
    xml.remove_prefix(end + 1);
    if (contains(tag, "<") || count("\"", tag) % 2 != 0)
      return false;
    if (tag.front() != '/' && tag.back() != '/')
      open.push_back(name_of(tag));
    if (tag.front() != '/')
      continue;
    if (open.empty() || open.back() != tag.substr(1))
      return false;
    open.pop_back();
  }
  return open.empty();
}

/// Many short tasks of a few flows, on so many workers.
inline libpool::timeline
busy(std::uint64_t workers, std::uint64_t tasks,
     libpool::duration service = std::chrono::milliseconds{1}) {
  libpool::timeline out;
  constexpr std::array flows{"a", "b", "c"};
  for (std::uint64_t i = 0; i < tasks; ++i) {
    auto start = service * static_cast<std::int64_t>(i / workers);
    out.add(completed(i, i % workers, libpool::duration{0}, start,
                      start + service, flows[i % flows.size()]));
  }
  return out;
}

inline const std::string replaced{"\uFFFD"};

/// Texts, and the same as viewers see them.
inline const std::vector<std::pair<std::string, std::string>> odd_texts{
  {"", ""},
  {"plain", "plain"},
  {"quote \" backslash \\ slash /", "quote \" backslash \\ slash /"},
  {"<a href='x'>&amp;</a>", "<a href='x'>&amp;</a>"},
  {"]]> --> \u00E9\u20AC\U0001F600", "]]> --> \u00E9\u20AC\U0001F600"},
  {"latin \xE4\xFF", "latin " + replaced + replaced},
  {"cut \xE2\x82", "cut " + replaced + replaced},
  {"overlong \xC0\xAF", "overlong " + replaced + replaced},
  {"surrogate \xED\xA0\x80", "surrogate " + replaced + replaced + replaced},
  {"beyond \xF4\x90\x80\x80",
   "beyond " + replaced + replaced + replaced + replaced},
};

} // namespace test
