/// A Prometheus scrapes pools at work: it has their numbers, and data for each
/// query of the dashboard and of the alerts.

#define DOCTEST_CONFIG_IMPLEMENT
#include "libpool/observability/metrics/metrics_collector.hpp"
#include "metrics/scraping/world.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace scraping {

namespace {

using nlohmann::json;
using labels = std::map<std::string, std::string>;

const std::string sources = LIBPOOL_METRICS;

/// The world of all tests. It is gone before `main` ends: CAF cannot be ended
/// with the static objects.
std::optional<world> only_world;

world& the_world() {
  if (!only_world)
    only_world.emplace();
  return *only_world;
}

json read(const std::string& name) {
  std::ifstream file{sources + '/' + name};
  return json::parse(file);
}

std::string replaced(std::string text, const std::string& what,
                     const std::string& by) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what))
    text.replace(at, what.size(), by);
  return text;
}

/// The expressions of the panels, for all pools and a window that has the work.
std::vector<std::string> queries_of_dashboard() {
  std::vector<std::string> result;
  const auto dashboard = read("dashboard.json");
  for (const auto& panel : dashboard.at("panels"))
    for (const auto& each : panel.at("targets"))
      result.push_back(replaced(replaced(each.at("expr"), "$pool", ".*"),
                                "$__rate_interval", "30s"));
  return result;
}

/// The series of a family, with the labels that Prometheus gives each.
std::map<labels, double> values(const prometheus::MetricFamily& family) {
  std::map<labels, double> result;
  for (const auto& each : family.metric) {
    labels named{
      {"__name__", family.name},
      {"job", "pools"},
      {"instance", "127.0.0.1:" + std::to_string(the_world().server.port())}};
    for (const auto& [name, value] : each.label)
      named.emplace(name, value);
    auto is_counter = family.type == prometheus::MetricType::Counter;
    if (family.type == prometheus::MetricType::Histogram) {
      named["__name__"] += "_count";
      result.emplace(named, each.histogram.sample_count);
    } else {
      result.emplace(named, is_counter ? each.counter.value : each.gauge.value);
    }
  }
  return result;
}

/// The metrics that an expression asks for.
std::set<std::string> metrics_in(const std::string& expression) {
  const std::regex name{"libpool_[a-z_]+"};
  std::set<std::string> result;
  for (std::sregex_iterator i{expression.begin(), expression.end(), name};
       i != std::sregex_iterator{}; ++i)
    result.insert(i->str());
  return result;
}

} // namespace

TEST_CASE(
  "a Prometheus server stores each series of the collector with its value") {
  auto& w = the_world();
  std::map<labels, double> stored;
  for (const auto& each : w.query("{__name__=~'libpool_.+'}"))
    stored.emplace(each.at("metric").get<labels>(),
                   std::stod(world::value_of(each)));
  std::size_t known = 0;
  for (const auto& family : w.pools.collector().Collect())
    for (const auto& each : values(family)) {
      CAPTURE(json(each.first).dump());
      auto found = stored.find(each.first);
      REQUIRE(found != stored.end());
      if (family.name == "libpool_node_silence_seconds")
        CHECK(found->second >= 0); // changes with time
      else
        CHECK(found->second == doctest::Approx(each.second));
      ++known;
    }
  CHECK(known > 100);
}

TEST_CASE("each query of the dashboard returns data") {
  auto queries = queries_of_dashboard();
  CHECK(queries.size() > 30);
  for (const auto& each : queries) {
    CAPTURE(each);
    CHECK(!the_world().query(each).empty());
  }
}

TEST_CASE(
  "percentiles in Prometheus are within a factor of two of those of the pool") {
  auto& w = the_world();
  for (auto percent : {50, 95, 99}) {
    auto shown = w.value("histogram_quantile(0." + std::to_string(percent)
                         + ", libpool_task_service_seconds_bucket"
                           "{pool='fair'})");
    auto known = w.pools.stats().total.services.percentile(percent);
    auto seconds = std::chrono::duration<double>(known).count();
    CHECK(shown <= 2 * seconds); // the bounds are powers of two
    CHECK(2 * shown >= seconds / 17 * 16);
  }
}

TEST_CASE("each alert can be evaluated, and refers only to existing metrics") {
  auto& w = the_world();
  auto groups = w.prometheus->get("/api/v1/rules").at("groups");
  REQUIRE(groups.size() == 1);
  CHECK(groups.at(0).at("rules").size() == 10);
  for (const auto& rule : groups.at(0).at("rules")) {
    CAPTURE(rule.dump());
    CHECK(rule.at("health") == "ok");
    auto metrics = metrics_in(rule.at("query"));
    CHECK(!metrics.empty());
    for (const auto& each : metrics)
      CHECK(!w.query(each).empty());
  }
}

TEST_CASE("promtool accepts the exposition without warnings") {
  auto& w = the_world();
  w.scratch.file("metrics", w.pools.collector().exposition());
  auto run = std::string{LIBPOOL_PROMTOOL} + " check metrics <"
             + w.scratch / "metrics" + " >" + w.scratch / "said 2>&1";
  auto status = std::system(run.c_str());
  std::ifstream said{w.scratch / "said"};
  CHECK(std::string{std::istreambuf_iterator<char>{said}, {}} == "");
  CHECK(status == 0);
}

} // namespace scraping

int main(int argc, char** argv) {
  auto result = doctest::Context{argc, argv}.run();
  scraping::only_world.reset();
  return result;
}
