#include "latency.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace poolsim {

namespace {

__extension__ using wide = __int128;

duration mean_of(const duration* first, const duration* last) {
  wide sum = 0;
  for (const auto* each = first; each != last; ++each)
    sum += each->count();
  return duration{static_cast<std::int64_t>(sum / (last - first))};
}

/// From submission to start.
duration wait_of(const task_row& task) {
  return task.started == not_yet ? not_yet : task.started - task.submitted;
}

/// From submission to the end, of tasks that have completed.
duration response_of(const task_row& task) {
  return task.is == fate::completed ? task.finished - task.submitted : not_yet;
}

/// Fills in one spread of each flow and of the whole. The times of a flow are
/// laid next to each other, so that they are its spread's and then part of the
/// whole's.
template <class TimeOf>
void measure(result& result, spread latencies::*member, TimeOf time_of) {
  std::vector<std::size_t> ends(result.flows.size() + 1);
  for (const auto& each : result.tasks)
    if (time_of(each) != not_yet)
      ++ends[each.flow + 1];
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  auto next = ends;
  std::vector<duration> times(ends.back());
  for (const auto& each : result.tasks)
    if (auto time = time_of(each); time != not_yet)
      times[next[each.flow]++] = time;
  auto* all = times.data();
  for (std::size_t i = 0; i < result.flows.size(); ++i)
    result.flows[i].latency
      .*member = spread_of(all + ends[i], all + ends[i + 1]);
  result.latency.*member = spread_of(all, all + times.size());
}

} // namespace

spread spread_of(duration* first, duration* last) {
  spread result;
  if (first == last)
    return result;
  result.mean = mean_of(first, last);
  auto* begin = first; // of the times that are not below the last quantile
  auto quantile = [&](std::ptrdiff_t percent) {
    auto rank = ((last - first) * percent + 99) / 100;
    std::nth_element(begin, first + rank - 1, last);
    begin = first + rank - 1;
    return *begin;
  };
  result.p50 = quantile(50);
  result.p95 = quantile(95);
  result.p99 = quantile(99);
  return result;
}

void measure_latencies(result& result) {
  measure(result, &latencies::wait, wait_of);
  measure(result, &latencies::response, response_of);
}

void sum_up(message_books& books) {
  std::vector<duration> times;
  for (const auto& each : books.rows) {
    books.answered += each.is == message_fate::answered ? 1 : 0;
    books.failed += each.is == message_fate::failed ? 1 : 0;
    books.refused += each.is == message_fate::refused ? 1 : 0;
    books.open += each.is == message_fate::open ? 1 : 0;
    if (each.is == message_fate::answered)
      times.push_back(each.finished - each.submitted);
  }
  books.response = spread_of(times.data(), times.data() + times.size());
}

} // namespace poolsim
