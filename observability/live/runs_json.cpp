#include "libpool/observability/live/runs_json.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace libpool::live {

namespace {

/// Names that the JSON has, numbered in the order of the runs.
class used_names {
public:
  explicit used_names(const std::vector<std::string>& all) : all_(all) {
    // nop
  }

  std::size_t number_of(std::uint32_t name) {
    auto [i, is_new] = numbers_.emplace(name, numbers_.size());
    if (is_new)
      used_.push_back(all_[name]);
    return i->second;
  }

  json take() {
    return std::move(used_);
  }

private:
  const std::vector<std::string>& all_;
  std::map<std::uint32_t, std::size_t> numbers_;
  json used_ = json::array();
};

/// Flow and kind of a task.
struct sort_of_task {
  std::size_t flow;
  std::size_t kind;
};

/// What a worker did in a part of the time.
struct share_key {
  std::uint64_t worker;
  std::int64_t column;
  sort_of_task of;

  bool operator<(const share_key& other) const {
    return std::tie(worker, column, of.flow, of.kind)
           < std::tie(other.worker, other.column, other.of.flow, other.of.kind);
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

/// Adds the part of the run in each column.
void add(std::map<share_key, share>& shares, const recorded_run& run,
         sort_of_task task, instant source) {
  auto first = std::max(run.started, source) - source;
  auto last = run.ended - source;
  for (auto i = first / column; i <= last / column; ++i) {
    auto& part = shares[{number_of(run), i, task}];
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

known_time known_time_of(const recording& runs, instant time, instant target) {
  if (time == instant{} || runs.since <= time || runs.since >= target)
    return {time, target, time};
  auto count = [](duration x) { return static_cast<double>(x.count()); };
  return {runs.since, target, time,
          count(target - time) / count(target - runs.since)};
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
    result.push_back(
      {key.worker, key.of.flow, moment(known.column_at(key.column)),
       milliseconds_of(length) * known.stretch, share_of(part.time),
       share_of(part.not_completed), part.runs, key.of.kind});
  }
  return result;
}

json span_json(const recorded_run& run, sort_of_task task) {
  return {number_of(run),
          task.flow,
          moment(run.started),
          moment(run.ended),
          run.how == outcome::completed ? 1 : 0,
          run.task,
          milliseconds_of(run.started - run.accepted),
          task.kind};
}

} // namespace

json json_of(const recording& runs, instant time, instant target,
             std::size_t most) {
  std::vector<const recorded_run*> seen;
  for (const auto& each : runs.runs)
    if (is_seen(each) && each.ended >= time && each.ended < target)
      seen.push_back(&each);
  json result;
  used_names flows{runs.flows};
  used_names kinds{runs.kinds};
  auto sort_of = [&](const recorded_run& run) {
    return sort_of_task{flows.number_of(run.flow), kinds.number_of(run.kind)};
  };
  if (seen.size() <= most) {
    auto spans = json::array();
    for (const auto* each : seen)
      spans.push_back(span_json(*each, sort_of(*each)));
    result["spans"] = std::move(spans);
  } else {
    std::map<share_key, share> shares;
    auto known = known_time_of(runs, time, target);
    for (const auto* each : seen)
      add(shares, *each, sort_of(*each), known.from);
    result["shares"] = shares_json(shares, known, most);
  }
  result["flows"] = flows.take();
  result["kinds"] = kinds.take();
  result["ended"] = seen.size();
  return result;
}

} // namespace libpool::live
