#include "libpool/observability/timeline/lanes.hpp"

#include <functional>
#include <queue>
#include <tuple>
#include <utility>

namespace libpool::detail {

namespace {

/// Gives each run the first free row, so that runs in a row do not overlap.
class row_giver {
public:
  std::uint32_t take(instant time, instant target) {
    while (!taken_.empty() && taken_.top().first <= time) {
      free_.push(taken_.top().second);
      taken_.pop();
    }
    if (free_.empty())
      free_.push(rows_++);
    auto row = free_.top();
    free_.pop();
    taken_.emplace(target, row);
    return row;
  }

  std::uint32_t rows() const noexcept {
    return rows_;
  }

private:
  template <class T>
  using least_first = std::priority_queue<T, std::vector<T>, std::greater<>>;

  least_first<std::pair<instant, std::uint32_t>> taken_;
  least_first<std::uint32_t> free_;
  std::uint32_t rows_ = 0;
};

/// Assigns a row to each run. Returns the number of rows, at least 1.
std::uint32_t give_rows(runs::iterator begin, runs::iterator end) {
  row_giver giver;
  for (auto i = begin; i != end; ++i)
    i->row = giver.take(i->record->started, i->record->finished);
  std::sort(begin, end, [](const run& x, const run& y) {
    return std::tie(x.row, x.record->started, x.record)
           < std::tie(y.row, y.record->started, y.record);
  });
  return std::max(giver.rows(), 1U);
}

std::string name_of(worker_number worker, const std::string& name) {
  if (!name.empty())
    return name;
  return "worker " + std::to_string(static_cast<std::uint64_t>(worker));
}

} // namespace

runs started_runs(const timeline& timeline) {
  runs out;
  for (const auto& each : timeline.records())
    if (each.started != never)
      out.push_back({&each, 0});
  std::sort(out.begin(), out.end(), [](const run& x, const run& y) {
    return std::tie(x.record->worker, x.record->started, x.record)
           < std::tie(y.record->worker, y.record->started, y.record);
  });
  return out;
}

std::vector<lane> lanes_of(const timeline& timeline, runs& all) {
  std::vector<lane> out;
  auto end = all.begin();
  for (const auto& [worker, name] : timeline.workers()) {
    auto begin = end;
    while (end != all.end() && end->record->worker == worker)
      ++end;
    out.push_back(
      {worker, name_of(worker, name), give_rows(begin, end), begin, end});
  }
  return out;
}

} // namespace libpool::detail
