#include "reading_parts.hpp"

#include <utility>

namespace poolsim {

namespace {

constexpr double most_sigma = 10;

double read_sigma(const element& element) {
  auto result = element.factor();
  if (result > most_sigma)
    element.fail_bound("at most 10");
  return result;
}

double read_share(const element& element) {
  auto result = element.factor();
  if (result >= 1)
    element.fail_bound("below 1");
  return result;
}

/// `low` and `high`.
std::pair<duration, duration> read_range(const element& element) {
  auto low = element.at("low").time();
  auto high = element.at("high").time();
  if (high <= low)
    element.fail_at("high", "must be above low");
  return {low, high};
}

exponential read_exponential(const element& element) {
  element.expect_keys({"distribution", "mean"});
  return {element.at("mean").time_above_zero()};
}

lognormal read_lognormal(const element& element) {
  element.expect_keys({"distribution", "mean", "sigma"});
  return {element.at("mean").time_above_zero(),
          read_sigma(element.at("sigma"))};
}

uniform read_uniform(const element& element) {
  element.expect_keys({"distribution", "low", "high"});
  auto [low, high] = read_range(element);
  return {low, high};
}

bimodal read_bimodal(const element& element) {
  element.expect_keys({"distribution", "low", "high", "high_share"});
  auto [low, high] = read_range(element);
  return {low, high, read_share(element.at("high_share"))};
}

} // namespace

distribution read_distribution(const element& element) {
  auto name = element.at("distribution")
                .one_of({"exponential", "lognormal", "uniform", "bimodal"});
  if (name == "exponential")
    return {read_exponential(element)};
  if (name == "lognormal")
    return {read_lognormal(element)};
  if (name == "uniform")
    return {read_uniform(element)};
  return {read_bimodal(element)};
}

} // namespace poolsim
