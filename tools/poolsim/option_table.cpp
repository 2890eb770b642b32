#include "option_table.hpp"

#include "libpool/policies/catalogue.hpp"

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

namespace poolsim {

namespace {

std::string value_of(const libpool::option& option) {
  auto text = libpool::text_of(option.value);
  return text.empty() ? std::string{option.if_none} : text;
}

/// An option, and the policies that have it just so.
struct row {
  std::string policies;
  std::string option;
};

template <class Seam>
std::vector<row> rows_of(const std::vector<libpool::part_entry<Seam>>& parts) {
  std::vector<row> result;
  for (const auto& part : parts) {
    libpool::chosen<Seam> by_default{part.name};
    auto name = '`' + std::string{part.name} + '`';
    for (const auto& each : by_default.options()) {
      auto text = '`' + std::string{each.name} + "` | " + value_of(each) + " | "
                  + libpool::bound_of(each.value) + " | "
                  + std::string{each.meaning};
      auto same =
        std::find_if(result.begin(), result.end(),
                     [&](const auto& other) { return other.option == text; });
      if (same != result.end())
        same->policies += ", " + name;
      else
        result.push_back({name, text});
    }
  }
  return result;
}

void write_rows(std::ostream& out, const std::vector<row>& rows) {
  for (const auto& each : rows)
    out << "| " << each.policies << " | " << each.option << " |\n";
}

} // namespace

void write_option_table(std::ostream& out) {
  out << "| policy | option | default | bound | meaning |\n"
         "| --- | --- | --- | --- | --- |\n";
  write_rows(out, rows_of(libpool::orders()));
  write_rows(out, rows_of(libpool::placements()));
  write_rows(out, rows_of(libpool::stealings()));
  write_rows(out, rows_of(libpool::gathering_policies()));
}

} // namespace poolsim
