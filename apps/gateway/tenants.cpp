#include "tenants.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <fstream>
#include <initializer_list>
#include <optional>
#include <set>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

namespace gateway {

namespace {

using nlohmann::json;

/// JSON object of the file, whose fields are read with their bounds.
class fields {
public:
  fields(const json& source, std::string where,
         std::initializer_list<std::string_view> known)
    : from_(source), where_(std::move(where)) {
    if (!from_.is_object())
      throw wrong("", "must be an object", from_);
    for (const auto& [name, value] : from_.items())
      if (std::find(known.begin(), known.end(), name) == known.end())
        throw std::runtime_error(
          fmt::format("{} is not a field; fields are {}", path_of(name),
                      fmt::join(known.begin(), known.end(), ", ")));
  }

  const json* find(const char* name) const {
    const auto found = from_.find(name);
    return found == from_.end() ? nullptr : &*found;
  }

  std::string text(const char* name) const {
    const auto* value = find(name);
    if (value == nullptr)
      throw std::runtime_error(path_of(name) + " is missing");
    if (!value->is_string() || value->get_ref<const std::string&>().empty())
      throw wrong(name, "must be a text that is not empty", *value);
    return value->get<std::string>();
  }

  std::optional<double> above_zero(const char* name) const {
    const auto* value = find(name);
    if (value == nullptr)
      return std::nullopt;
    if (!value->is_number() || !(value->get<double>() > 0))
      throw wrong(name, "must be a number above 0", *value);
    return value->get<double>();
  }

  std::optional<std::size_t> count(const char* name, std::size_t least) const {
    const auto* value = find(name);
    if (value == nullptr)
      return std::nullopt;
    if (!value->is_number_unsigned() || value->get<std::size_t>() < least)
      throw wrong(name, fmt::format("must be an integer of at least {}", least),
                  *value);
    return value->get<std::size_t>();
  }

  std::runtime_error wrong(const std::string& name, const std::string& bound,
                           const json& got) const {
    return std::runtime_error(
      fmt::format("{} {}, got {}", path_of(name), bound, got.dump()));
  }

private:
  std::string path_of(const std::string& name) const {
    if (name.empty())
      return where_.empty() ? "the content" : where_;
    return where_.empty() ? name : where_ + '.' + name;
  }

  const json& from_;
  const std::string where_;
};

libpool::throttle limits_in(const fields& fields) {
  libpool::throttle result;
  result.most_running = fields.count("most_running", 0);
  const auto burst = fields.count("burst", 1);
  if (const auto per_second = fields.above_zero("per_second"))
    result.most_begun = libpool::rate{*per_second, burst.value_or(1)};
  else if (burst)
    throw fields.wrong("burst", "needs per_second", *fields.find("burst"));
  return result;
}

void read_tenant(const json& value, const std::string& where,
                 tenants& tenants) {
  const fields each{
    value,
    where,
    {"name", "key", "share", "per_second", "burst", "most_running"}};
  tenant result;
  result.name = each.text("name");
  result.share = each.above_zero("share").value_or(1);
  result.limits = limits_in(each);
  for (const auto& [key, other] : tenants.by_key)
    if (other.name == result.name)
      throw each.wrong("name", "must be unique", result.name);
  if (!tenants.by_key.emplace(each.text("key"), result).second)
    throw std::runtime_error(where + ".key is that of another tenant");
}

tenants tenants_in(const json& value) {
  tenants result;
  const fields top{value, "", {"all", "tenants"}};
  if (const auto* all = top.find("all"))
    result.all =
      limits_in({*all, "all", {"per_second", "burst", "most_running"}});
  if (result.all.most_begun)
    result.all.most_begun->counts_retries = true; // as the upstream does
  const auto* list = top.find("tenants");
  if (list == nullptr || !list->is_array() || list->empty())
    throw top.wrong("tenants", "must be a list that is not empty",
                    list == nullptr ? json{} : *list);
  for (std::size_t i = 0; i < list->size(); ++i)
    read_tenant((*list)[i], fmt::format("tenants[{}]", i), result);
  return result;
}

} // namespace

libpool::throttles tenants::throttles() const {
  libpool::throttles result;
  result.of_all = all;
  for (const auto& [key, each] : by_key)
    result.of_flows[each.name] = each.limits;
  return result;
}

std::map<std::string, double> tenants::shares() const {
  std::map<std::string, double> result;
  for (const auto& [key, each] : by_key)
    result[each.name] = each.share;
  return result;
}

tenants read_tenants(const std::string& path) {
  errno = 0;
  std::ifstream file{path};
  if (!file)
    throw std::runtime_error(path + ": "
                             + std::generic_category().message(errno));
  try {
    return tenants_in(json::parse(file));
  } catch (const std::exception& why) { // of the library, with line and column
    throw std::runtime_error(path + ": " + why.what());
  }
}

} // namespace gateway
