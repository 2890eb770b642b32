#include "libpool/metrics/pipeline_families.hpp"

#include "libpool/metrics/table.hpp"

namespace libpool::detail {

namespace {

// NOLINTNEXTLINE(modernize-avoid-c-arrays): counts its rows by itself
constexpr metric<seen_pipeline> of_pipelines[] = {
  {"stage_items", gauge, "Items in a stage of a pipeline.",
   [](const seen_pipeline& line, series& to) {
     to.add_each("stage", line.stats.stages, [](auto& x) { return x.held; });
   }},
  {"stage_credit", gauge, "Maximum number of items in a stage of a pipeline.",
   [](const seen_pipeline& line, series& to) {
     to.add_each("stage", line.stats.stages, [](auto& x) { return x.credit; });
   }},
  {"stage_items_total", counter, "Items that have left a stage, by outcome.",
   [](const seen_pipeline& line, series& to) {
     to.add_each("stage", line.stats.stages, [](auto& x) { return x.answered; },
                 {{"outcome", "completed"}});
     to.add_each("stage", line.stats.stages, [](auto& x) { return x.failed; },
                 {{"outcome", "failed"}});
   }},
};

} // namespace

void append_pipeline_families(const std::vector<seen_pipeline>& pipelines,
                              std::vector<prometheus::MetricFamily>& to) {
  append_families(
    of_pipelines, pipelines, [](const seen_pipeline&) { return true; }, to);
}

} // namespace libpool::detail
