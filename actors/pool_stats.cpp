#include "libpool/actors/pool_stats.hpp"

#include <algorithm>
#include <type_traits>

namespace libpool {

namespace {

duration mean(duration sum, std::uint64_t n) {
  return n > 0 ? sum / static_cast<duration::rep>(n) : duration{0};
}

/// Returns the growth of a counter; zero if it is smaller than before, as the
/// counter of another pool may be. Values that do not count stay as they are.
template <class T>
T growth(const T& now, const T& earlier) {
  if constexpr (std::is_same_v<T, std::uint64_t> || std::is_same_v<T, duration>)
    return now - std::min(now, earlier);
  else if constexpr (std::is_same_v<
                       T, histogram> || std::is_same_v<T, reason_counts>)
    return now.since(earlier);
  else
    return now;
}

/// Changes the counters to what they have grown by since `earlier`.
template <class Stats>
void subtract(Stats& source, const Stats& earlier) {
  for_each_figure<Stats>([&](const auto& each) {
    auto& value = source.*each.member;
    if constexpr (is_described<std::decay_t<decltype(value)>>)
      subtract(value, earlier.*each.member);
    else if (each.kind == figure_kind::counter)
      value = growth(value, earlier.*each.member);
  });
}

} // namespace

std::string describe(const member_stats& worker) {
  auto result = "worker " + std::to_string(worker.number);
  return worker.name.empty() ? result : result + " (" + worker.name + ')';
}

pool_stats pool_stats::since(const pool_stats& earlier) const {
  pool_stats result;
  const pool_figures& now = *this;
  static_cast<pool_figures&>(result) = now;
  result.flows.clear();
  subtract<pool_figures>(result, earlier);
  auto& all = result.total;
  all.mean_wait = mean(all.waited, all.waits.count());
  all.mean_service = mean(all.busy, all.services.count());
  return result;
}

} // namespace libpool
