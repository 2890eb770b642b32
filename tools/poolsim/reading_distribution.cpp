#include "reading_parts.hpp"

#include <utility>

namespace poolsim {

namespace {

constexpr double most_sigma = 10;

double read_sigma(const element& from) {
  auto result = from.factor();
  if (result > most_sigma)
    from.fail_bound("at most 10");
  return result;
}

double read_share(const element& from) {
  auto result = from.factor();
  if (result >= 1)
    from.fail_bound("below 1");
  return result;
}

/// `low` and `high`.
std::pair<duration, duration> read_range(const element& from) {
  auto low = from.at("low").time();
  auto high = from.at("high").time();
  if (high <= low)
    from.fail_at("high", "must be above low");
  return {low, high};
}

exponential read_exponential(const element& from) {
  from.expect_keys({"distribution", "mean"});
  return {from.at("mean").time_above_zero()};
}

lognormal read_lognormal(const element& from) {
  from.expect_keys({"distribution", "mean", "sigma"});
  return {from.at("mean").time_above_zero(), read_sigma(from.at("sigma"))};
}

uniform read_uniform(const element& from) {
  from.expect_keys({"distribution", "low", "high"});
  auto [low, high] = read_range(from);
  return {low, high};
}

bimodal read_bimodal(const element& from) {
  from.expect_keys({"distribution", "low", "high", "high_share"});
  auto [low, high] = read_range(from);
  return {low, high, read_share(from.at("high_share"))};
}

} // namespace

distribution read_distribution(const element& from) {
  auto name = from.at("distribution")
                .one_of({"exponential", "lognormal", "uniform", "bimodal"});
  if (name == "exponential")
    return {read_exponential(from)};
  if (name == "lognormal")
    return {read_lognormal(from)};
  if (name == "uniform")
    return {read_uniform(from)};
  return {read_bimodal(from)};
}

} // namespace poolsim
