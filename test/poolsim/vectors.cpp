/// Runs the vectors in test/vectors; LIBPOOL_VECTOR names one of them.

#include "poolsim/expectations.hpp"
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

/// The scenario, or a text that is none.
std::string text_of(const json& vector) {
  return vector.contains("text") ? vector.at("text").get<std::string>()
                                 : vector.at("scenario").dump();
}

void check_failure(const ended_process& ended, const json& expect) {
  CAPTURE(ended.err);
  CHECK(ended.status == expect.at("exit").get<int>());
  CHECK(ended.out.empty());
  CHECK(std::count(ended.err.begin(), ended.err.end(), '\n') == 1);
  CHECK(ended.err.back() == '\n');
  for (const auto& piece : expect.value("stderr_contains", json::array()))
    CHECK(ended.err.find(piece.get<std::string>()) != std::string::npos);
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

void check_result(const std::string& text, const ended_process& ended,
                  const json& expect) {
  CAPTURE(ended.err);
  REQUIRE(ended.status == 0);
  CHECK(ended.err.empty());
  const observed seen{text, ended.out};
  for (const auto& [key, wanted] : expect.items())
    if (key != "exit" && !check_rerun(key, text, ended.out))
      check_expectation(seen, key, wanted);
}

void check_vector(const json& vector) {
  auto text = text_of(vector);
  const auto& expect = vector.at("expect");
  auto ended = simulate_text(text);
  if (expect.value("exit", 0) != 0)
    check_failure(ended, expect);
  else
    check_result(text, ended, expect);
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
