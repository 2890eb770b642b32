/// Runs the vectors in test/vectors; LIBPOOL_VECTOR names one of them.

#include "poolsim/expectations.hpp"
#include "poolsim/invariants.hpp"
#include "poolsim/process.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace test {

namespace {

using nlohmann::json;

std::vector<std::filesystem::path> vector_files() {
  if (const char* path = std::getenv("LIBPOOL_VECTOR"))
    return {path};
  std::vector<std::filesystem::path> result;
  for (const auto& each :
       std::filesystem::recursive_directory_iterator(VECTORS))
    if (each.path().extension() == ".json")
      result.push_back(each.path());
  std::sort(result.begin(), result.end());
  return result;
}

void check_summary(const std::string& text, const std::string& output) {
  auto ended = run_poolsim({"--summary", "-"}, text);
  CHECK(ended.status == 0);
  auto expected = json::parse(output);
  expected.erase("tasks");
  CHECK(json::parse(ended.out) == expected);
}

/// Checks an expectation that takes another run of the program; false for any
/// other key.
bool check_rerun(const std::string& key, const std::string& text,
                 const std::string& output) {
  if (key == "deterministic")
    CHECK(simulate_text(text).out == output);
  else if (key == "stdin")
    CHECK(run_poolsim({"-"}, text).out == output);
  else if (key == "summary")
    check_summary(text, output);
  else
    return false;
  return true;
}

void check_vector(const json& vector) {
  auto text = vector.at("scenario").dump();
  auto ended = simulate_text(text);
  CAPTURE(ended.err);
  REQUIRE(ended.status == 0);
  CHECK(ended.err.empty());
  const observed seen{text, ended.out};
  if (!vector.at("scenario").contains("nodes"))
    check_invariants(seen);
  for (const auto& [key, wanted] : vector.at("expect").items())
    if (!check_rerun(key, text, ended.out))
      check_expectation(seen, key, wanted);
}

} // namespace

TEST_CASE("poolsim has the results that the test vectors, scenarios with "
          "expected results, state") {
  auto files = vector_files();
  REQUIRE(!files.empty());
  for (const auto& each : files) {
    INFO(each.string());
    std::ifstream in{each};
    REQUIRE(in.is_open());
    check_vector(json::parse(in));
  }
}

} // namespace test
