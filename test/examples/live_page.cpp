#include "live_page/option.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace {

/// The port that these words ask for.
live_page::wanted port_of(std::vector<std::string> words) {
  live_page::wanted result;
  CLI::App app;
  live_page::describe(app, result);
  std::string path;
  app.add_option("PATH", path);
  app.parse(std::move(words));
  return result;
}

} // namespace

TEST_CASE("option --live is off by default, and takes an optional port") {
  CHECK(!port_of({}));
  CHECK(!port_of({"8080"}));
  CHECK(port_of({"--live"}) == 0);
  CHECK(port_of({"--live=8080"}) == 8080);
  CHECK(port_of({"8080", "--live"}) == 0); // a path; the last word comes first
}
