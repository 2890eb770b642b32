/// The parts of the example with the noisy tenant.

#include "tenants/plot.hpp"
#include "tenants/text.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <initializer_list>
#include <sstream>
#include <string>
#include <vector>

using libpool::duration;
using tenants::short_text_of;
using tenants::text_of;
using namespace std::chrono_literals;

namespace {

tenants::experience seen_by(const std::string& tenant,
                            std::initializer_list<duration> times) {
  tenants::experience out;
  out.wanted.tenant = tenant;
  out.answered = times.size();
  for (auto each : times)
    out.times.record(each);
  return out;
}

/// A picture of the tenants with fifo, and of these tenants with fair queuing.
std::string picture(const std::vector<tenants::experience>& with_fifo,
                    const std::vector<tenants::experience>& with_fair) {
  tenants::scenario scenario;
  scenario.workers = 3;
  scenario.length = 2s;
  for (auto& each : with_fifo)
    scenario.demands.push_back(each.wanted);
  std::vector<tenants::run_result> runs(2);
  runs[0].policy = "fifo";
  runs[0].tenants = with_fifo;
  runs[1].policy = "fair_queuing";
  runs[1].tenants = with_fair;
  std::ostringstream out;
  tenants::write_plot(out, scenario, runs);
  return out.str();
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE(
  "times have three digits, but at most two decimals, and round times have no "
  "unnecessary zeros in short texts") {
  CHECK(text_of(0ns) == "0.00 ms");
  CHECK(text_of(254us) == "0.25 ms");
  CHECK(text_of(9'994us) == "9.99 ms");
  CHECK(text_of(9'996us) == "10.0 ms");
  CHECK(text_of(99'940us) == "99.9 ms");
  CHECK(text_of(340ms) == "340 ms");
  CHECK(text_of(999'499us) == "999 ms");
  CHECK(text_of(999'500us) == "1.00 s");
  CHECK(text_of(75s) == "75.0 s");
  CHECK(text_of(-12ms) == "-12.0 ms");
  CHECK(text_of(-1us) == "0.00 ms");
  CHECK(short_text_of(2ms) == "2 ms");
  CHECK(short_text_of(1500us) == "1.5 ms");
  CHECK(short_text_of(100ms) == "100 ms");
  CHECK(short_text_of(20s) == "20 s");
}

TEST_CASE("columns are as wide as their longest entry, and numbers are aligned "
          "to the right") {
  CHECK(tenants::aligned({{"who", "n"}, {"me", "100"}}, "> ")
        == "> who    n\n> me   100\n");
}

TEST_CASE("a picture states how many requests of a tenant were refused, and on "
          "how many the tenant gave up") {
  auto refused = seen_by("alice", {});
  refused.refused = 7;
  auto gave_up = seen_by("alice", {2s});
  gave_up.gave_up = 3;
  auto out = picture({refused}, {gave_up});
  CHECK(has(out, "fifo: no answers, 7 refused"));
  CHECK(has(out, ", 3 given up<"));
}

TEST_CASE(
  "markup in names is escaped in the picture, and long names are shortened") {
  const std::string name{"<\"R&D\"> and all who work with them"};
  auto out = picture({seen_by(name, {1ms})}, {seen_by(name, {1ms})});
  CHECK(!has(out, "<\"R"));
  CHECK(!has(out, "R&D"));
  CHECK(has(out, "<title>&lt;&quot;R&amp;D&quot;&gt; and all who work with "
                 "them</title>"));
  CHECK(has(out, ">&lt;&quot;R&amp;D&quot;&gt; and all who wor\u2026<"));
}
