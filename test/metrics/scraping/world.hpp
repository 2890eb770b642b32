#pragma once

#include "metrics/scraping/at_work.hpp"
#include "metrics/scraping/metrics_server.hpp"
#include "metrics/scraping/prometheus.hpp"
#include "support/patience.hpp"
#include "support/scratch_folder.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>

namespace scraping {

/// A Prometheus that has scraped pools at work for a while. They are at rest.
class world {
public:
  world() {
    scratch.file("prometheus.yml", configuration());
    prometheus.emplace(scratch / "data", scratch / "prometheus.yml");
    server.await_stored();
    for (auto last = server.scrapes() + 8; server.scrapes() < last;)
      pools.work();
    await([this] { return pools.are_at_rest(); });
    await([this] { return found_scrape(); });
  }

  /// The series that the expression had when the pools were at rest.
  nlohmann::json query(const std::string& expression) const {
    return prometheus->query(expression, time_);
  }

  /// The value of the only series that the expression has.
  double value(const std::string& expression) const {
    auto result = query(expression);
    REQUIRE_MESSAGE(result.size() == 1, expression, ": ", result.dump());
    return std::stod(value_of(result.at(0)));
  }

  static std::string value_of(const nlohmann::json& series) {
    return series.at("value").at(1);
  }

  scratch_folder scratch;
  pools_at_work pools;
  metrics_server server{pools.collector()};
  std::optional<prometheus_server> prometheus;

private:
  std::string configuration() const {
    return "global: {scrape_interval: 200ms, scrape_timeout: 200ms,\n"
           "         evaluation_interval: 200ms}\n"
           "rule_files: ['" LIBPOOL_METRICS "/alerts.yml']\n"
           "scrape_configs:\n"
           "  - job_name: pools\n"
           "    static_configs:\n"
           "      - targets: ['127.0.0.1:"
           + std::to_string(server.port()) + "']\n";
  }

  /// Looks after each scrape whether it is so.
  template <class F>
  void await(F is_so) {
    auto comes = test::comes_true([&] {
      server.await_stored();
      return is_so();
    });
    if (!comes)
      throw std::runtime_error("the pools do not come to rest, or no scrape is "
                               "in time");
  }

  /// Whether the last scrape was in time, and when.
  bool found_scrape() {
    auto found = prometheus->query("timestamp(up == 1)");
    if (!found.empty())
      time_ = value_of(found.at(0));
    return !found.empty();
  }

  std::string time_;
};

} // namespace scraping
