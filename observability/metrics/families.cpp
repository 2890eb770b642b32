#include "libpool/observability/metrics/families.hpp"

#include "libpool/core/errc.hpp"
#include "libpool/core/figure.hpp"
#include "libpool/observability/metrics/series.hpp"
#include "libpool/version.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <type_traits>

namespace libpool::detail {

namespace {

using of = const seen_pool&;
using families = std::vector<prometheus::MetricFamily>;

/// Reasons why managed pools refuse tasks, and why tasks are not completed.
/// Each has a time series from the start, since a rate needs a first value.
constexpr std::array refusals{
  errc::no_workers,       errc::policy_failed, errc::cycle,
  errc::pool_closed,      errc::queue_full,    errc::no_streams,
  errc::flow_full,        errc::too_wide,      errc::too_few_workers,
  errc::not_serializable, errc::too_many_parts};
constexpr std::array errors{
  errc::no_workers,        errc::worker_down, errc::pool_closed,
  errc::worker_crashed,    errc::queue_full,  errc::deadline_exceeded,
  errc::poisoned,          errc::client_gone, errc::not_needed,
  errc::retries_exhausted, errc::node_lost,   errc::unreadable,
  errc::overloaded};

/// Adds the counts of these reasons, and of others that have occurred.
template <class Reasons>
void add_reasons(series& series, const reason_counts& counts,
                 const Reasons& usual) {
  for (auto why : usual)
    series.add(counts[why], {{"reason", name_of(why)}});
  counts.for_each([&](errc why, std::uint64_t count) {
    if (std::find(std::begin(usual), std::end(usual), why) == std::end(usual))
      series.add(count, {{"reason", name_of(why)}});
  });
}

std::string policy_of(of pool) {
  if (!pool.is_managed())
    return "direct";
  return pool.stats.policy.empty() ? "own" : label_text(pool.stats.policy);
}

// -- metrics that are more than a figure, or that direct pools have as well ---

void add_info(of pool, series& series) {
  series.add(1,
             {{"policy", policy_of(pool)}, {"version", std::string{version}}});
}

void add_workers(of pool, series& series) {
  const auto& now = pool.stats;
  if (!pool.is_managed())
    return series.add(now.workers, {{"state", "serving"}});
  series.add(now.workers - now.busy, {{"state", "idle"}});
  series.add(now.busy, {{"state", "busy"}});
  series.add(now.leaving, {{"state", "leaving"}});
}

void add_refusals(of pool, series& series) {
  if (!pool.is_managed())
    return series.add(pool.stats.refused, {{"reason", "unknown"}});
  add_reasons(series, pool.stats.refusals, refusals);
}

void add_each_worker(of pool, series& series) {
  for (const auto& each : pool.stats.members)
    series.add(each.in_flight, {{"worker", label_text(describe(each))}});
}

struct other_metric {
  figure_metric what;
  prometheus::MetricType type = prometheus::MetricType::Gauge;
  void (*add)(of pool, series& series) = nullptr;
};

constexpr std::array others{
  other_metric{
    {"pool_info",
     "Policy of the pool and version of libpool, as labels; always 1."},
    prometheus::MetricType::Gauge,
    add_info},
  other_metric{
    {"workers",
     "Workers by state: idle, busy, or leaving (removed, but still with a "
     "task). A direct pool does not know these states, and shows all workers "
     "with the state serving."},
    prometheus::MetricType::Gauge,
    add_workers},
  other_metric{{"tasks_refused_total",
                "Refused tasks, by reason; unknown if the pool is direct."},
               prometheus::MetricType::Counter,
               add_refusals},
  other_metric{{"worker_in_flight",
                "Tasks that were sent to a worker and have not ended."},
               prometheus::MetricType::Gauge,
               add_each_worker},
};

// -- metrics of described figures --------------------------------------------

/// Appends time series to the metric, which is the last one or a new one. For
/// each pool or pipeline in `all` for which `has` returns true, `add` adds time
/// series. A metric without time series is left out.
template <class Seen, class Has, class Add>
void append_metric(const figure_metric& metric, prometheus::MetricType type,
                   const std::vector<Seen>& all, Has has, Add add,
                   families& result) {
  auto name = std::string{"libpool_"} + metric.name;
  if (result.empty() || result.back().name != name)
    result.push_back({name, metric.help, type, {}});
  for (const auto& each : all)
    if (has(each)) {
      series mine{result.back(), Seen::label, each.name};
      add(each, mine);
    }
  if (result.back().metric.empty())
    result.pop_back();
}

template <class T, class... Others>
constexpr bool is_one_of = (std::is_same_v<T, Others> || ...);

template <class T>
constexpr bool is_time = is_one_of<T, duration, instant, histogram>;

template <class T>
constexpr bool is_list = false;

template <class T>
constexpr bool is_list<std::vector<T>> = true;

/// Appends the metric of a figure, if a metric shows it. `has` is called with a
/// pool or pipeline, and with whether the figure is a time.
template <class Stats, class T, class Seen, class Has, class Add>
void append_metric(const figure<Stats, T>& shown, const std::vector<Seen>& all,
                   Has has, Add add, families& result) {
  if (shown.metric.name == nullptr)
    return;
  auto type = std::is_same_v<T, histogram> ? prometheus::MetricType::Histogram
              : shown.kind == figure_kind::counter
                ? prometheus::MetricType::Counter
                : prometheus::MetricType::Gauge;
  append_metric(
    shown.metric, type, all,
    [&](const Seen& each) { return has(each, is_time<T>); }, add, result);
}

/// Returns the value of a figure: times in seconds, points in time as ages,
/// which are zero if there was no event.
template <class T>
double number_of(const T& value, [[maybe_unused]] instant now) {
  if constexpr (std::is_same_v<T, duration>)
    return seconds(value);
  else if constexpr (std::is_same_v<T, instant>)
    return value < now ? seconds(now - value) : 0;
  else if constexpr (std::is_arithmetic_v<T>)
    return static_cast<double>(value);
  else
    return 0; // texts, which no metric shows
}

template <class Stats, class T, class Derived>
void add_figure(const figure<Stats, T>& shown, const Derived& stats,
                instant now, series& series) {
  const auto& value = stats.*shown.member;
  if constexpr (std::is_same_v<T, histogram>)
    series.add(value, stats.*shown.sum);
  else if constexpr (std::is_same_v<T, reason_counts>)
    add_reasons(series, value, errors);
  else if constexpr (is_list<T>)
    series.add(value.size());
  else if (!shown.is_unset_in(stats))
    series.add_labelled(number_of(value, now), shown.metric);
}

/// Appends the metrics of the rows of lists, with a label that names the row.
template <class Row, class Seen, class Has, class Get>
void append_rows(const char* row_label, const std::vector<Seen>& all, Has has,
                 Get rows_of, families& result) {
  for_each_figure<Row>([&](const auto& each) {
    auto add = [&](const Seen& seen, series& mine) {
      auto value_of = [&](const Row& row) {
        return number_of(row.*each.member, seen.taken());
      };
      mine.add_rows(row_label, rows_of(seen), value_of, each);
    };
    append_metric(each, all, has, add, result);
  });
}

/// Appends the metrics of the struct `Stats` that `get` returns of a pool or
/// pipeline, and of described structs and lists in it.
template <class Stats, class Seen, class Has, class Get>
void append_figures(const std::vector<Seen>& all, Has has, Get get,
                    families& result) {
  for_each_figure<Stats>([&](const auto& each) {
    using value = std::decay_t<decltype(get(all.front()).*each.member)>;
    auto member = [&](const Seen& seen) -> const value& {
      return get(seen).*each.member;
    };
    auto add = [&](const Seen& seen, series& mine) {
      add_figure(each, get(seen), seen.taken(), mine);
    };
    append_metric(each, all, has, add, result);
    if constexpr (is_described<value>)
      append_figures<value>(all, has, member, result);
    else if constexpr (is_list<value>)
      if constexpr (is_described<typename value::value_type>)
        append_rows<typename value::value_type>(each.metric.label, all, has,
                                                member, result);
  });
}

} // namespace

void append_families(const std::vector<seen_pool>& pools, families& families) {
  for (const auto& each : others)
    append_metric(
      each.what, each.type, pools, [](of) { return true; }, each.add, families);
  append_figures<pool_figures>(
    pools,
    [](of x, bool is_time) {
      return is_time ? x.stats.is_timed : x.is_managed();
    },
    [](of x) -> const pool_figures& { return x.stats; }, families);
  append_figures<nodes_stats>(
    pools, [](of x, bool) { return x.nodes.has_value(); },
    [](of x) -> const nodes_stats& { return *x.nodes; }, families);
}

void append_families(const std::vector<seen_pipeline>& pipelines,
                     families& families) {
  using of_line = const seen_pipeline&;
  append_figures<pipeline_stats>(
    pipelines, [](of_line, bool) { return true; },
    [](of_line x) -> const pipeline_stats& { return x.stats; }, families);
}

} // namespace libpool::detail
