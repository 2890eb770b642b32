#include "libpool/policies/catalogue.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

namespace {

std::vector<libpool::policy_entry> all_policies() {
  auto result = libpool::direct_policies();
  for (const auto& entry : libpool::managed_policies())
    result.push_back(entry);
  return result;
}

} // namespace

TEST_CASE("the policies have names of their own and a summary each") {
  std::set<std::string_view> names;
  for (const auto& entry : all_policies()) {
    CAPTURE(std::string{entry.name});
    CHECK_FALSE(entry.name.empty());
    CHECK_FALSE(entry.summary.empty());
    CHECK(names.insert(entry.name).second);
  }
  CHECK_FALSE(names.empty());
}

TEST_CASE("names can be typed: lower case letters and underscores") {
  for (const auto& entry : all_policies()) {
    CAPTURE(std::string{entry.name});
    CHECK(entry.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_")
          == std::string_view::npos);
  }
}

TEST_CASE("the catalogue is the same one at every look") {
  CHECK(&libpool::direct_policies() == &libpool::direct_policies());
  CHECK(&libpool::managed_policies() == &libpool::managed_policies());
}
