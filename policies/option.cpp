#include "libpool/policies/option.hpp"

#include "libpool/policies/requirement.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

namespace libpool {

namespace {

constexpr auto infinite = std::numeric_limits<double>::infinity();

/// Returns the number with up to ten significant digits.
std::string text_of(double number) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.10g", number);
  return text.data();
}

/// Returns the time as a whole number of the largest possible unit.
std::string text_of(duration time) {
  using unit = std::pair<duration::rep, const char*>;
  constexpr std::array<unit, 4> units{
    {{1'000'000'000, "s"}, {1'000'000, "ms"}, {1000, "us"}, {1, "ns"}}};
  for (auto [size, name] : units)
    if (time.count() % size == 0)
      return std::to_string(time.count() / size) + name;
  return {};
}

// -- kinds of values ----------------------------------------------------------

std::string bound(const count_option& of) {
  if (of.most != std::numeric_limits<std::size_t>::max())
    return "between " + std::to_string(of.least) + " and "
           + std::to_string(of.most);
  return of.least > 0 ? "at least " + std::to_string(of.least) : std::string{};
}

std::string bound(const seed_option&) {
  return {};
}

std::string bound(const time_option& of) {
  return of.may_be_zero ? "at least 0" : "above 0";
}

std::string bound(const number_option& of) {
  auto result = "above " + text_of(of.above);
  return of.most == infinite ? result
                             : result + " and at most " + text_of(of.most);
}

std::string bound(const flag_option&) {
  return "true or false";
}

std::string bound(const delay_option&) {
  return "above 0, or a percentile above 0 and below 100";
}

std::string bound(const choice_option& of) {
  std::string result;
  for (const auto& name : of.names) {
    auto is_last = &name == &of.names.back();
    result += result.empty() ? "" : is_last ? " or " : ", ";
    result += name;
  }
  return result;
}

std::string bound(const shares_option&) {
  return "a number above 0";
}

template <class T>
std::string text(const option_slot<T>& of) {
  auto value = of.get();
  return value ? text_of(*value) : std::string{};
}

std::string text(const count_option& of) {
  auto value = of.value.get();
  return value ? std::to_string(*value) : std::string{};
}

std::string text(const seed_option& of) {
  return std::to_string(*of.value);
}

std::string text(const time_option& of) {
  return text(of.value);
}

std::string text(const number_option& of) {
  return text(of.value);
}

std::string text(const flag_option& of) {
  return *of.value ? "true" : "false";
}

std::string text(const delay_option& of) {
  if (const auto* rank = std::get_if<percentile>(of.value))
    return "percentile " + text_of(rank->percent);
  return text_of(std::get<duration>(*of.value));
}

std::string text(const choice_option& of) {
  return std::string{of.names.at(of.get())};
}

std::string text(const shares_option& of) {
  std::string result;
  for (const auto& [name, share] : *of.value)
    result += (result.empty() ? "" : ", ") + name + ": " + text_of(share);
  return result;
}

// -- checks -------------------------------------------------------------------

/// Checks a value. An unset value is within its bounds.
template <class T, class Predicate>
void require_value(const option_slot<T>& slot, Predicate holds,
                   const std::string& name, const std::string& bound,
                   const std::string& given) {
  auto value = slot.get();
  require(!value || holds(*value), name, bound, given);
}

void check_value(const std::string& name, const count_option& of) {
  require_value(
    of.value, [&](auto n) { return of.least <= n && n <= of.most; }, name,
    bound(of), text(of));
}

void check_value(const std::string&, const seed_option&) {
  // Every seed is valid.
}

void check_value(const std::string& name, const time_option& of) {
  const duration least{of.may_be_zero ? 0 : 1};
  require_value(
    of.value, [=](auto time) { return time >= least; }, name, bound(of),
    text(of));
}

void check_value(const std::string& name, const number_option& of) {
  require_value(
    of.value, [&](auto x) { return x > of.above && x <= of.most; }, // NaN not
    name, bound(of), text(of));
}

void check_value(const std::string&, const flag_option&) {
  // Both values are valid.
}

void check_value(const std::string& name, const delay_option& of) {
  const auto* rank = std::get_if<percentile>(of.value);
  auto holds = rank != nullptr
                 ? rank->percent > 0 && rank->percent < 100 // NaN is not
                 : std::get<duration>(*of.value) > duration{0};
  require(holds, name, bound(of), text(of));
}

void check_value(const std::string& name, const choice_option& of) {
  require(of.get() < of.names.size(), name, bound(of),
          "value " + std::to_string(of.get()));
}

void check_value(const std::string& name, const shares_option& of) {
  for (const auto& [flow, share] : *of.value)
    require(std::isfinite(share) && share > 0, (name + ": ").append(flow),
            bound(of), text_of(share));
}

} // namespace

std::string bound_of(const option_value& value) {
  return std::visit([](const auto& of) { return bound(of); }, value);
}

std::string text_of(const option_value& value) {
  return std::visit([](const auto& of) { return text(of); }, value);
}

void check(const option& each) {
  const std::string name{each.name};
  std::visit([&](const auto& of) { check_value(name, of); }, each.value);
}

} // namespace libpool
