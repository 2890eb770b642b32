#include "reading_options.hpp"

#include "libpool/policies/requirement.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

namespace poolsim {

namespace {

void read(const element& from, const libpool::count_option& to) {
  constexpr std::size_t most = std::numeric_limits<std::int64_t>::max();
  to.value.set(from.count(to.least, std::min(to.most, most)));
}

void read(const element& from, const libpool::seed_option& to) {
  *to.value = from.bits();
}

void read(const element& from, const libpool::time_option& to) {
  to.value.set(to.may_be_zero ? from.time() : from.time_above_zero());
}

void read(const element& from, const libpool::number_option& to) {
  to.value.set(from.factor());
}

void read(const element& from, const libpool::choice_option& to) {
  const auto& name = from.one_of(to.names);
  auto i = std::find(to.names.begin(), to.names.end(), name);
  to.set(static_cast<std::size_t>(i - to.names.begin()));
}

void read(const element& from, const libpool::flag_option& to) {
  *to.value = from.truth();
}

/// A time, or `{"percentile": …}`.
void read(const element& from, const libpool::delay_option& to) {
  if (!from.is_object()) {
    *to.value = from.time_above_zero();
    return;
  }
  from.expect_keys({"percentile"});
  *to.value = libpool::percentile{from.at("percentile").factor()};
}

void read(const element& from, const libpool::shares_option& to) {
  if (!from.is_object())
    from.fail("must be an object");
  to.value->clear();
  for (auto name : from.keys())
    (*to.value)[std::string{name}] = from.at(name).factor();
}

[[noreturn]] void
fail_at_unknown(const element& from, std::string_view key,
                std::string_view policy,
                const std::vector<std::string_view>& options) {
  auto why = "unknown key; options of " + std::string{policy} + ": "
             + (options.empty() ? "none" : listed(options));
  from.fail_at(key, why + suggestion(key, options));
}

} // namespace

const std::string& policy_name(const element& from,
                               const std::vector<std::string_view>& choices) {
  if (from.is_object()) {
    auto name = from.at("name");
    return name.one_of(choices);
  }
  return from.one_of(choices);
}

void read_option(const element& from, const libpool::option& to) {
  std::visit([&](const auto& value) { read(from, value); }, to.value);
  try {
    libpool::check(to);
  } catch (const libpool::option_error&) {
    from.fail_bound(libpool::bound_of(to.value));
  }
}

void read_options(const element& from, std::string_view policy,
                  const std::vector<libpool::option>& options) {
  if (!from.is_object())
    return;
  std::vector<std::string_view> names;
  for (const auto& each : options)
    names.push_back(each.name);
  for (auto key : from.keys()) {
    auto i = std::find(names.begin(), names.end(), key);
    if (i != names.end())
      read_option(from.at(key),
                  options[static_cast<std::size_t>(i - names.begin())]);
    else if (key != "name")
      fail_at_unknown(from, key, policy, names);
  }
}

} // namespace poolsim
