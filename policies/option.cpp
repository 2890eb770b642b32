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

std::string bound(const count_option& option) {
  if (option.most != std::numeric_limits<std::size_t>::max())
    return "between " + std::to_string(option.least) + " and "
           + std::to_string(option.most);
  return option.least > 0 ? "at least " + std::to_string(option.least)
                          : std::string{};
}

std::string bound(const seed_option&) {
  return {};
}

std::string bound(const time_option& option) {
  return option.may_be_zero ? "at least 0" : "above 0";
}

std::string bound(const number_option& option) {
  auto result = "above " + text_of(option.above);
  return option.most == infinite
           ? result
           : result + " and at most " + text_of(option.most);
}

std::string bound(const flag_option&) {
  return "true or false";
}

std::string bound(const delay_option&) {
  return "above 0, or a percentile above 0 and below 100";
}

std::string bound(const choice_option& option) {
  std::string result;
  for (const auto& name : option.names) {
    auto is_last = &name == &option.names.back();
    result += result.empty() ? "" : is_last ? " or " : ", ";
    result += name;
  }
  return result;
}

std::string bound(const shares_option&) {
  return "a number above 0";
}

template <class T>
std::string text(const option_slot<T>& slot) {
  auto value = slot.get();
  return value ? text_of(*value) : std::string{};
}

std::string text(const count_option& option) {
  auto value = option.value.get();
  return value ? std::to_string(*value) : std::string{};
}

std::string text(const seed_option& option) {
  return std::to_string(*option.value);
}

std::string text(const time_option& option) {
  return text(option.value);
}

std::string text(const number_option& option) {
  return text(option.value);
}

std::string text(const flag_option& option) {
  return *option.value ? "true" : "false";
}

std::string text(const delay_option& option) {
  if (const auto* rank = std::get_if<percentile>(option.value))
    return "percentile " + text_of(rank->percent);
  return text_of(std::get<duration>(*option.value));
}

std::string text(const choice_option& option) {
  return std::string{option.names.at(option.get())};
}

std::string text(const shares_option& option) {
  std::string result;
  for (const auto& [name, share] : *option.value)
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

void check_value(const std::string& name, const count_option& option) {
  require_value(
    option.value, [&](auto n) { return option.least <= n && n <= option.most; },
    name, bound(option), text(option));
}

void check_value(const std::string&, const seed_option&) {
  // Every seed is valid.
}

void check_value(const std::string& name, const time_option& option) {
  const duration least{option.may_be_zero ? 0 : 1};
  require_value(
    option.value, [=](auto time) { return time >= least; }, name, bound(option),
    text(option));
}

void check_value(const std::string& name, const number_option& option) {
  require_value(
    option.value,
    [&](auto x) { return x > option.above && x <= option.most; }, // NaN not
    name, bound(option), text(option));
}

void check_value(const std::string&, const flag_option&) {
  // Both values are valid.
}

void check_value(const std::string& name, const delay_option& option) {
  const auto* rank = std::get_if<percentile>(option.value);
  auto holds = rank != nullptr
                 ? rank->percent > 0 && rank->percent < 100 // NaN is not
                 : std::get<duration>(*option.value) > duration{0};
  require(holds, name, bound(option), text(option));
}

void check_value(const std::string& name, const choice_option& option) {
  require(option.get() < option.names.size(), name, bound(option),
          "value " + std::to_string(option.get()));
}

void check_value(const std::string& name, const shares_option& option) {
  for (const auto& [flow, share] : *option.value)
    require(std::isfinite(share) && share > 0, (name + ": ").append(flow),
            bound(option), text_of(share));
}

} // namespace

std::string bound_of(const option_value& value) {
  return std::visit([](const auto& object) { return bound(object); }, value);
}

std::string text_of(const option_value& value) {
  return std::visit([](const auto& object) { return text(object); }, value);
}

void check(const option& each) {
  const std::string name{each.name};
  std::visit([&](const auto& object) { check_value(name, object); },
             each.value);
}

} // namespace libpool
