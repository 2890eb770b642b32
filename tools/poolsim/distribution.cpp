#include "distribution.hpp"

#include <boost/random/exponential_distribution.hpp>
#include <boost/random/normal_distribution.hpp>
#include <boost/random/uniform_01.hpp>
#include <boost/random/uniform_int_distribution.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace poolsim {

namespace {

using libpool::splitmix64;

template <class... Fs>
struct overloaded : Fs... {
  using Fs::operator()...;
};

template <class... Fs>
overloaded(Fs...) -> overloaded<Fs...>;

/// e^x to some 16 digits. That of the C library may differ in the last one from
/// machine to machine.
double exp_of(double x) {
  constexpr double ln_2_high = 6.93147180369123816490e-01; // ends in zeros
  constexpr double ln_2_low = 1.90821492927058770002e-10;
  constexpr int terms = 18;
  x = std::clamp(x, -700.0, 700.0);
  auto twos = std::floor(x / ln_2_high + 0.5);
  auto rest = (x - twos * ln_2_high) - twos * ln_2_low;
  double sum = 1;
  for (int i = terms; i > 0; --i)
    sum = 1 + sum * rest / i;
  return std::ldexp(sum, static_cast<int>(twos));
}

/// That multiple of a time, to the nearest nanosecond, no longer than allowed.
duration times(double factor, duration unit, duration most) {
  auto result = std::round(factor * static_cast<double>(unit.count()));
  if (result >= static_cast<double>(most.count()))
    return most;
  return duration{static_cast<std::int64_t>(result)};
}

constexpr double second = 1e9;

double seconds(duration time) {
  return static_cast<double>(time.count()) / second;
}

} // namespace

random_bits bits_for(std::uint64_t seed, draw_use use, std::uint64_t entry,
                     std::uint64_t thread, std::uint64_t n) noexcept {
  // Policies draw by the seed itself.
  auto state = splitmix64::mixed(seed ^ 0x706f6f6c73696d);
  for (auto each : {static_cast<std::uint64_t>(use), entry, thread, n})
    state = splitmix64::mixed(state + splitmix64::golden_gamma * (each + 1));
  return random_bits{state};
}

duration distribution::draw(random_bits bits) const {
  return std::visit(
    overloaded{[&](const exponential& exponential) {
                 boost::random::exponential_distribution<double> unit;
                 return times(unit(bits), exponential.mean, most);
               },
               [&](const lognormal& lognormal) {
                 boost::random::normal_distribution<double> unit;
                 auto factor = exp_of(lognormal.sigma * unit(bits)
                                      - lognormal.sigma * lognormal.sigma / 2);
                 return times(factor, lognormal.mean, most);
               },
               [&](const uniform& uniform) {
                 boost::random::uniform_int_distribution<std::int64_t> range{
                   uniform.low.count(), uniform.high.count()};
                 return std::min(duration{range(bits)}, most);
               },
               [&](const bimodal& bimodal) {
                 boost::random::uniform_01<double> unit;
                 return std::min(unit(bits) < bimodal.high_share ? bimodal.high
                                                                 : bimodal.low,
                                 most);
               }},
    shape);
}

bool distribution::is_bounded() const noexcept {
  return std::holds_alternative<uniform>(shape)
         || std::holds_alternative<bimodal>(shape);
}

duration distribution::least_room() const noexcept {
  auto means = [](duration mean) {
    return mean < longest_time / 64 ? mean * 64 : longest_time;
  };
  if (const auto* basis = std::get_if<exponential>(&shape))
    return means(basis->mean);
  if (const auto* key = std::get_if<lognormal>(&shape))
    return means(key->mean);
  if (const auto* basis_uniform = std::get_if<uniform>(&shape))
    return basis_uniform->high;
  return std::get<bimodal>(shape).high;
}

double expected_arrivals(const rate_curve& curve) {
  double result = 0;
  for (std::size_t i = 1; i < curve.size(); ++i)
    result += (curve[i - 1].per_second + curve[i].per_second) / 2
              * seconds(curve[i].at - curve[i - 1].at);
  return result;
}

std::optional<duration> time_after(const rate_curve& curve, duration time,
                                   double number) {
  auto end = std::upper_bound(
    curve.begin(), curve.end(), time,
    [](duration when, const rate_point& point) { return when < point.at; });
  for (; end != curve.end(); time = (end++)->at) {
    const auto& begin = *std::prev(end);
    auto left = seconds(end->at - time);
    if (left == 0)
      continue;
    auto slope = (end->per_second - begin.per_second)
                 / seconds(end->at - begin.at);
    auto rate = std::max(0.0, end->per_second - slope * left);
    auto arrivals = (rate + end->per_second) / 2 * left;
    if (number < arrivals) { // rate · x + slope · x² ÷ 2 = number
      auto root = std::sqrt(std::max(0.0, rate * rate + 2 * slope * number));
      auto x = std::min(left, 2 * number / (rate + root));
      return time + duration{static_cast<std::int64_t>(std::round(x * second))};
    }
    number -= arrivals;
  }
  return std::nullopt;
}

} // namespace poolsim
