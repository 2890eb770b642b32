#include "reading.hpp"

#include "unicode.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace pooltop {

namespace {

using nlohmann::json;

const json nothing;

/// The member of that name; null where there is none.
const json& at(const json& from, const char* name) {
  if (!from.is_object())
    return nothing;
  const auto found = from.find(name);
  return found == from.end() ? nothing : *found;
}

void read(const json& from, std::string& to) {
  if (from.is_string())
    to = escaped(from.get_ref<const std::string&>());
}

void read(const json& from, reasons& to) {
  if (!from.is_object())
    return;
  for (const auto& [name, count] : from.items())
    if (count.is_number() && count.get<double>() > 0)
      to.emplace_back(escaped(name), count.get<double>());
  std::stable_sort(to.begin(), to.end(), [](const auto& a, const auto& b) {
    return a.second > b.second;
  });
}

void read(const json& from, finding& to) {
  read(at(from, "text"), to.sentence);
  to.loses_tasks = at(from, "loses_tasks") == true;
}

/// Reads the numbers of an object, and those of objects in it, whose names
/// follow on `within`.
void read_numbers(const json& from, const std::string& within, row& to) {
  constexpr auto most_levels = 3;
  for (const auto& [name, each] : from.items())
    if (each.is_number() && std::isfinite(each.get<double>()))
      to.numbers[within + name] = each.get<double>();
    else if (each.is_boolean())
      to.numbers[within + name] = each.get<bool>() ? 1 : 0;
    else if (each.is_object()
             && std::count(within.begin(), within.end(), '.') < most_levels)
      read_numbers(each, within + name + '.', to);
}

void read(const json& from, row& to) {
  read(at(from, "name"), to.name);
  if (const auto& name = at(from, "name"); name.is_string())
    to.key = name.get<std::string>();
  read(at(from, "state"), to.state);
  read_numbers(from, {}, to);
}

void read(const json& from, pipeline& to);
void read(const json& from, pool& to);

/// Reads the objects of a list, and passes over what else is in it.
template <class T>
void read(const json& from, std::vector<T>& to) {
  if (!from.is_array())
    return;
  for (const auto& each : from)
    if (each.is_object())
      read(each, to.emplace_back());
}

void read(const json& from, pipeline& to) {
  read(from, static_cast<row&>(to));
  read(at(from, "matters"), to.matters);
  read(at(from, "stages"), to.stages);
}

void read(const json& from, pool& to) {
  read(from, static_cast<row&>(to));
  read(at(from, "policy"), to.policy);
  read(at(from, "matters"), to.matters);
  read(at(from, "refusals"), to.refusals);
  read(at(from, "errors"), to.errors);
  read(at(from, "flows"), to.flows);
  read(at(from, "members"), to.members);
  read(at(from, "nodes"), to.nodes);
}

} // namespace

snapshot read_snapshot(std::string_view text) {
  const auto from = json::parse(text, nullptr, false);
  if (from.is_discarded())
    throw unreadable{"the answer is not JSON"};
  if (!at(from, "pools").is_array())
    throw unreadable{"the answer has no list of pools"};
  snapshot result;
  read(at(from, "version"), result.version);
  result.may_control = at(from, "control") == "open";
  read(at(from, "pools"), result.pools);
  read(at(from, "pipelines"), result.pipelines);
  return result;
}

} // namespace pooltop
