#include "element.hpp"

#include "nearest.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace poolsim {

using nlohmann::json;

std::string escaped_key(std::string_view key) {
  std::string result;
  for (auto each : key)
    if (each == '~')
      result += "~0";
    else if (each == '/')
      result += "~1";
    else
      result += each;
  return result;
}

std::string listed(const std::vector<std::string_view>& names) {
  std::string result;
  for (auto each : names)
    result.append(result.empty() ? "" : ", ").append(each);
  return result;
}

std::string suggestion(std::string_view given,
                       const std::vector<std::string_view>& names) {
  auto meant = nearest(given, names);
  return meant ? "; did you mean '" + std::string{*meant} + "'?" : "";
}

namespace {

std::string choices(std::string_view given,
                    const std::vector<std::string_view>& names) {
  return "choose from: " + listed(names) + suggestion(given, names);
}

} // namespace

void element::fail(const std::string& why) const {
  auto where = path();
  throw invalid_scenario((where.empty() ? "/" : where) + ": " + why);
}

void element::fail_bound(const std::string& bound) const {
  fail("must be " + bound + ", got " + value_->dump());
}

void element::fail_at(std::string_view key, const std::string& why) const {
  element{*value_, *this, key, 0}.fail(why);
}

std::string element::path() const {
  if (parent_ == nullptr)
    return {};
  auto last = parent_->is_list() ? std::to_string(index_) : escaped_key(key_);
  return parent_->path() + "/" + last;
}

// -- objects ------------------------------------------------------------------

bool element::is_object() const noexcept {
  return value_->is_object();
}

void element::expect_keys(const std::vector<std::string_view>& known) const {
  if (!is_object())
    fail("must be an object");
  for (const auto& [key, value] : value_->items())
    if (std::find(known.begin(), known.end(), key) == known.end())
      fail_at(key, "unknown key, " + choices(key, known));
}

std::vector<std::string_view> element::keys() const {
  std::vector<std::string_view> result;
  const auto& members = value_->get_ref<const json::object_t&>();
  for (const auto& [key, value] : members)
    result.emplace_back(key);
  return result;
}

std::optional<element> element::find(std::string_view key) const {
  auto i = value_->find(key);
  if (i == value_->end())
    return std::nullopt;
  return element{*i, *this, i.key(), 0};
}

element element::at(std::string_view key) const {
  auto result = find(key);
  if (!result)
    fail_at(key, "is missing");
  return *result;
}

// -- lists --------------------------------------------------------------------

bool element::is_list() const noexcept {
  return value_->is_array();
}

std::size_t element::size() const {
  if (!is_list())
    fail("must be a list");
  return value_->size();
}

element element::at(std::size_t index) const {
  return {(*value_)[index], *this, {}, index};
}

// -- values -------------------------------------------------------------------

bool element::truth() const {
  if (!value_->is_boolean())
    fail("must be true or false");
  return value_->get<bool>();
}

const std::string& element::text() const {
  if (!value_->is_string())
    fail("must be a string");
  return value_->get_ref<const std::string&>();
}

const std::string&
element::one_of(const std::vector<std::string_view>& names) const {
  const auto& result = text();
  if (std::find(names.begin(), names.end(), result) == names.end())
    fail("unknown name '" + result + "', " + choices(result, names));
  return result;
}

double element::amount() const {
  if (!value_->is_number())
    fail("must be a number");
  auto result = value_->get<double>();
  if (!std::isfinite(result) || result < 0)
    fail_bound("at least 0");
  return result;
}

double element::factor() const {
  if (value_->is_number() && value_->get<double>() <= 0)
    fail_bound("above 0");
  return amount();
}

std::int64_t element::integer(std::int64_t low, std::int64_t high) const {
  if (!value_->is_number_integer())
    fail("must be an integer");
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  auto is_beyond = value_->is_number_unsigned()
                   && value_->get<std::uint64_t>() > std::uint64_t{most};
  auto result = is_beyond ? most : value_->get<std::int64_t>();
  if (result < low)
    fail_bound("at least " + std::to_string(low));
  if (result > high || is_beyond)
    fail_bound("at most " + std::to_string(high));
  return result;
}

std::uint64_t element::bits() const {
  if (!value_->is_number_integer())
    fail("must be a 64-bit integer");
  return value_->is_number_unsigned()
           ? value_->get<std::uint64_t>()
           : static_cast<std::uint64_t>(value_->get<std::int64_t>());
}

std::size_t element::count(std::size_t low, std::size_t high) const {
  return static_cast<std::size_t>(
    integer(static_cast<std::int64_t>(low), static_cast<std::int64_t>(high)));
}

std::size_t element::number_of(std::size_t workers) const {
  auto result = integer(0, std::numeric_limits<std::int64_t>::max());
  if (result >= static_cast<std::int64_t>(workers))
    fail("must be at most " + std::to_string(workers - 1) + ", got "
         + std::to_string(result) + ": there "
         + (workers == 1 ? "is 1 worker"
                         : "are " + std::to_string(workers) + " workers")
         + ", numbered from 0");
  return static_cast<std::size_t>(result);
}

duration element::time() const {
  auto result = time_of_any_sign();
  if (result < duration{0})
    fail_bound("at least 0");
  return result;
}

duration element::time_above_zero() const {
  auto result = time();
  if (result == duration{0})
    fail_bound("above 0");
  return result;
}

duration element::time_of_any_sign() const {
  if (value_->is_number_integer())
    return duration{integer(-longest_time.count(), longest_time.count())};
  if (!value_->is_string())
    fail("must be a time: a whole number of nanoseconds, or a string such as "
         "\"5ms\"");
  try {
    return time_of(text());
  } catch (const std::invalid_argument& why) {
    fail(why.what());
  }
}

std::vector<duration> element::one_or(std::size_t many,
                                      std::string_view kind) const {
  if (!is_list())
    return {time()};
  if (size() != many)
    fail("must have one entry per " + std::string{kind} + ": "
         + std::to_string(many) + ", got " + std::to_string(size()));
  std::vector<duration> result;
  for (std::size_t i = 0; i < many; ++i)
    result.push_back(at(i).time());
  return result;
}

} // namespace poolsim
