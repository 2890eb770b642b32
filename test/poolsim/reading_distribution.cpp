/// Distributions in scenarios, good and bad ones.

#include "poolsim/reading.hpp"
#include "poolsim/refusals.hpp"

#include <doctest/doctest.h>

#include <string>
#include <variant>

using poolsim::duration;
using poolsim::read_scenario;
using test::check_refused;
using test::with_client;
using test::with_task;

namespace {

std::string with_service(const std::string& distribution) {
  return with_task(R"({"service": )" + distribution + "}");
}

std::string with_every(const std::string& distribution, int count) {
  return with_task(R"({"service": 1, "count": )" + std::to_string(count)
                   + R"(, "every": )" + distribution + "}");
}

/// The distribution of a service, as it is read.
poolsim::distribution read(const std::string& distribution) {
  return *read_scenario(with_service(distribution)).tasks[1].draws;
}

} // namespace

TEST_CASE("each distribution is read with its parameters") {
  auto by_mean = std::get<poolsim::exponential>(
    read(R"({"distribution": "exponential", "mean": "5us"})").shape);
  CHECK(by_mean.mean == duration{5000});
  auto by_sigma = std::get<poolsim::lognormal>(
    read(R"({"distribution": "lognormal", "mean": 7, "sigma": 0.5})").shape);
  CHECK(by_sigma.mean == duration{7});
  CHECK(by_sigma.sigma == 0.5);
  auto by_range = std::get<poolsim::uniform>(
    read(R"({"distribution": "uniform", "low": 0, "high": 3})").shape);
  CHECK(by_range.low == duration{0});
  CHECK(by_range.high == duration{3});
  auto by_share = std::get<poolsim::bimodal>(
    read(R"({"distribution": "bimodal", "low": 1, "high": 9,
             "high_share": 0.1})")
      .shape);
  CHECK(by_share.low == duration{1});
  CHECK(by_share.high == duration{9});
  CHECK(by_share.high_share == 0.1);
}

TEST_CASE("gaps between tasks and service times of calls may be given as "
          "distributions") {
  auto every = read_scenario(
    with_every(R"({"distribution": "exponential", "mean": 3})", 5));
  CHECK(every.tasks[1].gaps.has_value());
  CHECK(!every.tasks[1].draws.has_value());
  auto call = read_scenario(
    with_client(R"({"service": {"distribution": "exponential", "mean": 3}})"));
  CHECK(call.clients[0].draws.has_value());
}

TEST_CASE("an unknown distribution is rejected with a list of the choices") {
  check_refused(with_service(R"({"distribution": "normal", "mean": 1})"),
                "/tasks/1/service/distribution: unknown name 'normal', choose "
                "from: exponential, lognormal, uniform, bimodal");
  check_refused(with_service("{}"),
                "/tasks/1/service/distribution: is missing");
  check_refused(with_service(R"({"distribution": 1})"),
                "/tasks/1/service/distribution: must be a string");
}

TEST_CASE("an unknown or missing parameter of a distribution is rejected") {
  check_refused(
    with_service(R"({"distribution": "exponential", "mean": 1, "sigma": 1})"),
    "/tasks/1/service/sigma: unknown key");
  check_refused(
    with_service(R"({"distribution": "lognormal", "mean": 1, "high": 1})"),
    "/tasks/1/service/high: unknown key");
  check_refused(
    with_service(R"({"distribution": "uniform", "low": 1, "mean": 2})"),
    "/tasks/1/service/mean: unknown key");
  check_refused(
    with_service(R"({"distribution": "bimodal", "low": 1, "share": 2})"),
    "/tasks/1/service/share: unknown key");
  check_refused(with_service(R"({"distribution": "exponential"})"),
                "/tasks/1/service/mean: is missing");
  check_refused(with_service(R"({"distribution": "lognormal", "mean": 1})"),
                "/tasks/1/service/sigma: is missing");
  check_refused(with_service(R"({"distribution": "uniform", "low": 1})"),
                "/tasks/1/service/high: is missing");
  check_refused(
    with_service(R"({"distribution": "bimodal", "low": 1, "high": 2})"),
    "/tasks/1/service/high_share: is missing");
}

TEST_CASE("a parameter of a distribution that is out of bounds is rejected") {
  check_refused(with_service(R"({"distribution": "exponential", "mean": 0})"),
                "/tasks/1/service/mean: must be above 0");
  check_refused(
    with_service(R"({"distribution": "exponential", "mean": "5 ms"})"),
    "/tasks/1/service/mean: must be a time");
  auto lognormal = [](const std::string& sigma) {
    return with_service(R"({"distribution": "lognormal", "mean": 1, "sigma": )"
                        + sigma + "}");
  };
  check_refused(lognormal("0"), "/tasks/1/service/sigma: must be above 0");
  check_refused(lognormal("10.1"),
                "/tasks/1/service/sigma: must be at most 10");
  check_refused(lognormal("\"1\""), "/tasks/1/service/sigma: must be a number");
  for (const std::string name : {"uniform", "bimodal"})
    check_refused(with_service(R"({"distribution": ")" + name
                               + R"(", "low": 2, "high": 2})"),
                  "/tasks/1/service/high: must be above low");
  auto bimodal = [](const std::string& share) {
    return with_service(
      R"({"distribution": "bimodal", "low": 1, "high": 2, "high_share": )"
      + share + "}");
  };
  check_refused(bimodal("0"), "/tasks/1/service/high_share: must be above 0");
  check_refused(bimodal("1"), "/tasks/1/service/high_share: must be below 1");
}

TEST_CASE(
  "a distribution is refused in a list, and for times that cannot be drawn") {
  check_refused(with_service(R"([1, {"distribution": "exponential"}])"),
                "/tasks/1/service/1: must be a time");
  check_refused(
    with_task(R"({"service": 1, "at": {"distribution": "exponential"}})"),
    "/tasks/1/at: must be a time");
}

TEST_CASE("a scenario whose drawn times may be too long in total is rejected") {
  check_refused(with_task(R"({"count": 1000000, "service":
      {"distribution": "exponential", "mean": "100h"}})"),
                "/tasks/1/service: the total time of all tasks");
  check_refused(with_task(R"({"count": 1000000, "service":
      {"distribution": "uniform", "low": 0, "high": "2h"}})"),
                "/tasks/1/service: the total time of all tasks");
  check_refused(
    with_client(R"({"calls": 1000000, "service": {"distribution": "lognormal",
      "mean": "100h", "sigma": 1}})"),
    "/clients/0/service: the total time of all tasks");
  check_refused(
    with_every(R"({"distribution": "exponential", "mean": "1h"})", 1000000),
    "/tasks/1/every: the last time must not be later than 2^60 ns");
  check_refused(with_every(R"({"distribution": "bimodal", "low": 0,
      "high": "1h", "high_share": 0.01})",
                           1000000),
                "/tasks/1/every: the last time must not be later than 2^60 ns");
}

TEST_CASE("times that are drawn from an unbounded distribution are limited so "
          "that their sum is a valid time") {
  // 2^62 ns in all. The first group takes 1 ns of it. The million tasks get as
  // much each as there is, at least 64 means.
  auto scenario = read_scenario(with_task(R"({"count": 1000000, "service":
    {"distribution": "lognormal", "mean": "5ms", "sigma": 10}})"));
  auto most = scenario.tasks[1].draws->most;
  CHECK(most * 1'000'000 < poolsim::longest_work);
  CHECK(most * 1'000'001 > poolsim::longest_work);
  // 2^60 ns, over 999 999 gaps.
  auto gaps = read_scenario(
    with_every(R"({"distribution": "exponential", "mean": "5ms"})", 1'000'000));
  auto longest = gaps.tasks[1].gaps->most;
  CHECK(longest * 999'999 <= poolsim::longest_time);
  CHECK(longest * 1'000'000 > poolsim::longest_time);
}

TEST_CASE(
  "drawn times are limited so that run times on slow workers are valid") {
  // At a hundredth of the speed each is 100 times as long.
  auto scenario = read_scenario(test::with(R"("workers": [{"speed": 0.01}, {}],
    "tasks": [{"count": 1000, "service":
      {"distribution": "exponential", "mean": "5ms"}}])"));
  auto most = scenario.tasks[0].draws->most;
  CHECK(run_time(scenario, scenario.tasks[0], most, 0) * 1000
        <= poolsim::longest_work);
}
