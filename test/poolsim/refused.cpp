/// Scenarios that are rejected.

#include "poolsim/element.hpp"
#include "poolsim/process.hpp"
#include "poolsim/runs.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace {

std::string error_about(const std::string& scenario) {
  try {
    poolsim::read_scenario(scenario);
  } catch (const poolsim::invalid_scenario& why) {
    return why.what();
  }
  return "none";
}

bool is_like(const std::string& text, const std::string& pattern) {
  const std::string any{"…"};
  const auto at = pattern.find(any);
  if (at == std::string::npos)
    return text == pattern;
  const auto end = pattern.substr(at + any.size());
  return text.size() >= at + end.size()
         && text.compare(0, at, pattern, 0, at) == 0
         && text.substr(text.size() - end.size()) == end;
}

} // namespace

TEST_CASE("the error about an invalid scenario names the place and the "
          "problem") {
  test::for_each_pair_in(
    REFUSED, [](const std::string& scenario, const std::string& expected) {
      const auto error = error_about(scenario);
      CAPTURE(error);
      CHECK(is_like(error, expected));
    });
}

TEST_CASE("the error about an invalid scenario is one line on standard error, "
          "and the status is 2") {
  struct row {
    std::string scenario;
    const char* error;
  };
  const std::vector<row> rows{{"", "/: "},
                              {"   ", "/: "},
                              {"{\"seed\": \"\xff\"}", "/seed: "},
                              {"{\"seed\": \"a\nb\"}", "/seed: "},
                              {R"({"a\nb": 1})", "/a?b: unknown key"},
                              {std::string(100'000, '['), "/0/0/"}};
  for (const auto& row : rows) {
    auto ended = test::simulate_text(row.scenario);
    CAPTURE(ended.err);
    CHECK(ended.status == 2);
    CHECK(ended.out.empty());
    CHECK(ended.err.rfind("poolsim: " + std::string{row.error}, 0) == 0);
    CHECK(ended.err.back() == '\n');
    CHECK(std::count(ended.err.begin(), ended.err.end(), '\n') == 1);
  }
}
