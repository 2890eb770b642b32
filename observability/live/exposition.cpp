#include "libpool/observability/live/exposition.hpp"

#ifdef LIBPOOL_HAS_METRICS
#  include "libpool/observability/metrics/metrics_collector.hpp"
#endif

namespace libpool::live {

#ifdef LIBPOOL_HAS_METRICS

struct exposition::collector {
  metrics_collector metrics;
};

exposition::exposition() : collector_(std::make_unique<collector>()) {
  // nop
}

void exposition::add(const caf::actor& pool, const std::string& name) {
  collector_->metrics.add(pool, name);
}

void exposition::add_pipeline(const caf::actor& pipeline,
                              const std::string& name) {
  collector_->metrics.add_pipeline(pipeline, name);
}

std::optional<std::string> exposition::text() const {
  return collector_->metrics.exposition();
}

#else

struct exposition::collector {};

exposition::exposition() = default;

void exposition::add(const caf::actor&, const std::string&) {
  // nop
}

void exposition::add_pipeline(const caf::actor&, const std::string&) {
  // nop
}

std::optional<std::string> exposition::text() const {
  return std::nullopt;
}

#endif

exposition::~exposition() = default;

} // namespace libpool::live
