#include "options.hpp"

#include "console/parsing.hpp"
#include "live_page/option.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tenants {

namespace {

using std::chrono::milliseconds;

constexpr const char* noisy = "mallory";
constexpr std::size_t most_tenants = 64;
constexpr std::size_t longest_name = 80;

constexpr const char* footer = R"(
Each tenant sends a request of 2 ms every 20 ms on average, even if earlier
requests have no answer yet, and waits up to 2 s for the answer. mallory sends a
request of 10 to 30 ms after each answer, and always has --noise requests
outstanding.

With fifo, all tenants wait behind mallory's requests. With fair_queuing each
tenant has a queue of its own, and the queues take turns: a tenant that uses less
than its share hardly waits.

Times are from sending to answer, as the tenants see them; p50: half of the
requests took at most this long. A request that was given up counts with the time
that its tenant waited. The same seed draws the same requests.

Exit codes: 0 success; 1 an output failed, see standard error; 2 wrong usage.)";

constexpr const char* usage_text =
  "Usage: tenants [--seconds N] [--workers N]"
  " [--tenants NAME,...] [--noise N] [--seed N] [--plot FILE]\n"
  "Try 'tenants --help'.";

/// The options as they are on the command line.
struct words {
  double seconds = 3;
  std::size_t workers = 4;
  std::string tenants = "alice,bob,carol";
  std::size_t noise = 100;
  std::uint64_t seed = 1;
  std::string plot;
  live_page::wanted live;
};

void describe(CLI::App& app, words& out) {
  app.footer(footer);
  app
    .add_option("-s,--seconds", out.seconds,
                "Duration of the run with each policy, in seconds")
    ->check(CLI::Range(0.1, 60.0))
    ->capture_default_str();
  app
    .add_option("-w,--workers", out.workers,
                "Number of workers, one thread each")
    ->check(CLI::Range(std::size_t{1}, std::size_t{256}))
    ->capture_default_str();
  app
    .add_option(
      "-t,--tenants", out.tenants,
      "Names of the tenants that send few requests, separated by commas")
    ->capture_default_str();
  app
    .add_option("-n,--noise", out.noise,
                "Number of unanswered requests that the greedy tenant, named "
                "mallory, keeps in the pool; 0: no greedy tenant")
    ->check(CLI::Range(std::size_t{0}, std::size_t{10'000}))
    ->capture_default_str();
  app.add_option("--seed", out.seed, "Seed of the random requests")
    ->capture_default_str();
  live_page::describe(app, out.live);
  app.add_option("--plot", out.plot, "Draw the response times as an SVG file");
}

std::vector<std::string> split(const std::string& names) {
  std::vector<std::string> out{""};
  for (const auto each : names)
    if (each == ',')
      out.emplace_back();
    else
      out.back() += each;
  return out;
}

bool is_printable(const std::string& text) {
  return std::all_of(text.begin(), text.end(),
                     [](char x) { return x >= ' ' && x <= '~'; });
}

void demand_that(bool holds, const char* option, const std::string& otherwise) {
  if (!holds)
    throw CLI::ValidationError(option, otherwise);
}

void check_names(std::vector<std::string> names) {
  const auto* option = "--tenants";
  demand_that(names.size() <= most_tenants, option,
              fmt::format("must have at most {} names, got {}", most_tenants,
                          names.size()));
  for (const auto& name : names) {
    demand_that(!name.empty(), option, "a name must not be empty");
    demand_that(name.size() <= longest_name, option,
                fmt::format("a name must have at most {} characters, got {}",
                            longest_name, name.size()));
    demand_that(is_printable(name), option,
                "a name must consist of printable ASCII characters");
    demand_that(name != noisy, option,
                std::string{noisy}
                  + " is the name of the noisy tenant: choose another name");
  }
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  demand_that(twice == names.end(), option,
              "the name is given twice: "
                + (twice == names.end() ? "" : *twice));
}

demand steady_demand(std::string tenant) {
  return {std::move(tenant), 0, milliseconds{20}, milliseconds{2},
          milliseconds{2}};
}

demand noisy_demand(std::size_t outstanding) {
  return {noisy, outstanding, duration{0}, milliseconds{10}, milliseconds{30}};
}

options options_of(const words& said) {
  // CLI11's range contains NaN.
  demand_that(std::isfinite(said.seconds), "--seconds", "must be a number");
  auto names = split(said.tenants);
  check_names(names);
  options out;
  out.plot = said.plot;
  out.live = said.live;
  out.scenario.workers = said.workers;
  out.scenario.seed = said.seed;
  out.scenario.length = milliseconds{std::llround(said.seconds * 1000)};
  for (auto& name : names)
    out.scenario.demands.push_back(steady_demand(std::move(name)));
  if (said.noise > 0)
    out.scenario.demands.push_back(noisy_demand(said.noise));
  return out;
}

} // namespace

std::variant<options, exit_code> parse(int argc, const char* const* argv) {
  words said;
  CLI::App app{
    "Shows the effect of a noisy tenant on other tenants of the same "
    "pool, without and with fair queuing.",
    "tenants"};
  describe(app, said);
  try {
    app.parse(argc, argv);
    return options_of(said);
  } catch (const CLI::ParseError& why) {
    return static_cast<exit_code>(console::end_parsing(app, why, usage_text));
  }
}

} // namespace tenants
