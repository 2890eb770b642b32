#include "reading_options.hpp"

#include "libpool/policies/requirement.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

namespace poolsim {

namespace {

void read(const element& element, const libpool::count_option& option) {
  constexpr std::size_t most = std::numeric_limits<std::int64_t>::max();
  option.value.set(element.count(option.least, std::min(option.most, most)));
}

void read(const element& element, const libpool::seed_option& option) {
  *option.value = element.bits();
}

void read(const element& element, const libpool::time_option& option) {
  option.value.set(option.may_be_zero ? element.time()
                                      : element.time_above_zero());
}

void read(const element& element, const libpool::number_option& option) {
  option.value.set(element.factor());
}

void read(const element& element, const libpool::choice_option& option) {
  const auto& name = element.one_of(option.names);
  auto i = std::find(option.names.begin(), option.names.end(), name);
  option.set(static_cast<std::size_t>(i - option.names.begin()));
}

void read(const element& element, const libpool::flag_option& option) {
  *option.value = element.truth();
}

/// A time, or `{"percentile": …}`.
void read(const element& element, const libpool::delay_option& option) {
  if (!element.is_object()) {
    *option.value = element.time_above_zero();
    return;
  }
  element.expect_keys({"percentile"});
  *option.value = libpool::percentile{element.at("percentile").factor()};
}

void read(const element& element, const libpool::shares_option& option) {
  if (!element.is_object())
    element.fail("must be an object");
  option.value->clear();
  for (auto name : element.keys())
    (*option.value)[std::string{name}] = element.at(name).factor();
}

[[noreturn]] void
fail_at_unknown(const element& element, std::string_view key,
                std::string_view policy,
                const std::vector<std::string_view>& options) {
  auto why = "unknown key; options of " + std::string{policy} + ": "
             + (options.empty() ? "none" : listed(options));
  element.fail_at(key, why + suggestion(key, options));
}

} // namespace

const std::string& policy_name(const element& element,
                               const std::vector<std::string_view>& choices) {
  if (element.is_object()) {
    auto name = element.at("name");
    return name.one_of(choices);
  }
  return element.one_of(choices);
}

void read_option(const element& element, const libpool::option& option) {
  std::visit([&](const auto& value) { read(element, value); }, option.value);
  try {
    libpool::check(option);
  } catch (const libpool::option_error&) {
    element.fail_bound(libpool::bound_of(option.value));
  }
}

void read_options(const element& element, std::string_view policy,
                  const std::vector<libpool::option>& options) {
  if (!element.is_object())
    return;
  std::vector<std::string_view> names;
  for (const auto& each : options)
    names.push_back(each.name);
  for (auto key : element.keys()) {
    auto i = std::find(names.begin(), names.end(), key);
    if (i != names.end())
      read_option(element.at(key),
                  options[static_cast<std::size_t>(i - names.begin())]);
    else if (key != "name")
      fail_at_unknown(element, key, policy, names);
  }
}

} // namespace poolsim
