#include "libpool/live/runs_json.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

namespace libpool::live {

namespace {

using flow_numbers = std::map<std::uint32_t, std::size_t>;

/// What a worker did in a part of the time.
struct share_key {
  std::uint64_t worker;
  std::int64_t column;
  std::size_t flow;

  bool operator<(const share_key& other) const {
    return std::tie(worker, column, flow)
           < std::tie(other.worker, other.column, other.flow);
  }
};

struct share {
  duration time{0};
  duration not_completed{0};
  std::uint64_t runs = 0;
};

constexpr duration column = std::chrono::milliseconds{500};

bool is_seen(const recorded_run& run) {
  return run.worker && run.started != never;
}

std::uint64_t number_of(const recorded_run& run) {
  return static_cast<std::uint64_t>(*run.worker);
}

/// A moment of the same clock as that of all others, in milliseconds.
double moment(instant when) {
  return milliseconds_of(when - instant{});
}

/// Numbers the names of the flows that there are, in the order of the runs.
std::size_t number_of(std::uint32_t flow, const recording& in,
                      flow_numbers& numbers, json& names) {
  auto [i, is_new] = numbers.emplace(flow, numbers.size());
  if (is_new)
    names.push_back(in.flows[flow]);
  return i->second;
}

/// Adds the part of the run in each column.
void add(std::map<share_key, share>& to, const recorded_run& run,
         std::size_t flow, instant from) {
  auto first = std::max(run.started, from) - from;
  auto last = run.ended - from;
  for (auto i = first / column; i <= last / column; ++i) {
    auto& part = to[{number_of(run), i, flow}];
    auto time = std::min(last, (i + 1) * column) - std::max(first, i * column);
    part.time += time;
    if (run.how != outcome::completed)
      part.not_completed += time;
    part.runs += i == last / column ? 1U : 0U;
  }
}

/// A part of the time of which runs are known, and the time that it stands for,
/// as times as long: where runs were forgotten, shares are taken to have been
/// the same.
struct known_time {
  instant from;
  instant to;
  instant stands_from;
  double stretch = 1;

  instant column_at(std::int64_t i) const {
    auto since = std::chrono::duration<double, duration::period>{i * column};
    return stands_from + std::chrono::round<duration>(since * stretch);
  }

  /// The last one ends with the time.
  duration length_of(std::int64_t i) const {
    return std::clamp(to - from - i * column, duration{1}, column);
  }
};

known_time known_time_of(const recording& runs, instant from, instant to) {
  if (from == instant{} || runs.since <= from || runs.since >= to)
    return {from, to, from};
  auto count = [](duration x) { return static_cast<double>(x.count()); };
  return {runs.since, to, from, count(to - from) / count(to - runs.since)};
}

json shares_json(const std::map<share_key, share>& shares,
                 const known_time& known, std::size_t most) {
  auto result = json::array();
  for (const auto& [key, part] : shares) {
    if (result.size() == most)
      break;
    auto length = known.length_of(key.column);
    auto share_of = [=](duration time) {
      return seconds_of(time) / seconds_of(length);
    };
    result.push_back({key.worker, key.flow, moment(known.column_at(key.column)),
                      milliseconds_of(length) * known.stretch,
                      share_of(part.time), share_of(part.not_completed),
                      part.runs});
  }
  return result;
}

/// Returns the kind of the task, if it was seen running.
std::string kind_of(const recorded_run& run,
                    const std::vector<running_task>& seen) {
  for (const auto& each : seen)
    if (each.task == run.task)
      return each.kind;
  return {};
}

/// Returns the run, and what tells more about its task: number, waiting time
/// and, if it is known, kind.
json span_json(const recorded_run& run, std::size_t flow,
               const std::string& kind) {
  json result{number_of(run),
              flow,
              moment(run.started),
              moment(run.ended),
              run.how == outcome::completed ? 1 : 0,
              run.task,
              milliseconds_of(run.started - run.accepted)};
  if (!kind.empty())
    result.push_back(kind);
  return result;
}

} // namespace

json json_of(const recording& runs, instant from, instant to, std::size_t most,
             const std::vector<running_task>& seen_running) {
  std::vector<const recorded_run*> seen;
  for (const auto& each : runs.runs)
    if (is_seen(each) && each.ended >= from && each.ended < to)
      seen.push_back(&each);
  json result;
  flow_numbers numbers;
  auto names = json::array();
  auto flow_of = [&](const recorded_run& run) {
    return number_of(run.flow, runs, numbers, names);
  };
  if (seen.size() <= most) {
    auto spans = json::array();
    for (const auto* each : seen)
      spans.push_back(
        span_json(*each, flow_of(*each), kind_of(*each, seen_running)));
    result["spans"] = std::move(spans);
  } else {
    std::map<share_key, share> shares;
    auto known = known_time_of(runs, from, to);
    for (const auto* each : seen)
      add(shares, *each, flow_of(*each), known.from);
    result["shares"] = shares_json(shares, known, most);
  }
  result["flows"] = std::move(names);
  result["ended"] = seen.size();
  return result;
}

} // namespace libpool::live
