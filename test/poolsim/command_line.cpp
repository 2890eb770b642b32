/// poolsim as a user runs it.

#include "poolsim/process.hpp"
#include "support/scratch_folder.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>

using nlohmann::ordered_json;
using test::run_poolsim;

namespace {

constexpr const char* two_tasks =
  R"({"tasks": [{"service": 5, "flow": "a\"b\n"}, {"service": 5, "at": 1}]})";

using names = std::vector<std::string>;

} // namespace

TEST_CASE("option --trace writes a trace with each task that ran, and option "
          "--plot writes a picture") {
  scratch_folder folder;
  auto trace = folder / "trace.json";
  auto plot = folder / "plot.svg";
  auto ended = run_poolsim({"--trace", trace, "--plot", plot, "-"}, two_tasks);
  CHECK(ended.status == 0);
  CHECK(ended.out == run_poolsim({"-"}, two_tasks).out);
  std::ifstream traced{trace};
  auto events = ordered_json::parse(traced)["traceEvents"];
  CHECK(std::count_if(events.begin(), events.end(),
                      [](const auto& each) {
                        return each["ph"] == "X" && each["pid"] == 1;
                      })
        == 2);
  std::ifstream drawn{plot};
  std::string start(4, ' ');
  drawn.read(start.data(), 4);
  CHECK(start == "<svg");
}

TEST_CASE(
  "option --table prints the number of workers, a row for each flow, and the "
  "waiting tasks that are held back, in aligned columns") {
  // Flow a: one of three tasks is cancelled while it waits, one while it runs.
  // Flow b: the second attempt ends at 5 ms; retries are immediate.
  auto ended = run_poolsim({"--table", "-"}, R"({"policy": "shared_queue",
    "workers": [{"count": 2}], "retry_on": {"attempts": 2},
    "backoff": {"first": 0, "most": 0},
    "tasks": [{"flow": "a", "service": "1ms", "count": 3, "every": "1500us"},
              {"flow": "b|\nc", "service": "2500us", "errors": {"busy": 1}}],
    "events": [{"do": "pause", "at": "1ms", "flow": "a"},
               {"do": "cancel", "at": "2ms", "flow": "a"},
               {"do": "resume", "at": "3ms", "flow": "a"},
               {"do": "cancel", "at": "3500us", "flow": "a"}]})");
  CHECK(ended.status == 0);
  CHECK(ended.out == R"(| workers | makespan |
| ------- | -------: |
| 2       |     5 ms |

| flow     | submitted | completed | with an error | failed |   cancelled | refused | attempts, mean | most | retried errors | parked, mean | most | paused | response, mean |  p50 |  p95 |  p99 |
| -------- | --------: | --------: | ------------: | -----: | ----------: | ------: | -------------: | ---: | -------------: | -----------: | ---: | -----: | -------------: | ---: | ---: | ---: |
| "a"      |         3 |         1 |             0 |      0 | 2 cancelled |       0 |           1.00 |    1 |              0 |         0.10 |    1 |   2 ms |           1 ms | 1 ms | 1 ms | 1 ms |
| "b\|\nc" |         1 |         1 |             1 |      0 |           0 |       0 |           2.00 |    2 |              1 |         0.00 |    0 |    0 s |           5 ms | 5 ms | 5 ms | 5 ms |

| waiting tasks | mean | most |
| ------------- | ---: | ---: |
| parked        | 0.10 |    1 |
| retrying      | 0.00 |    0 |
)");
}

TEST_CASE("the picture counts a task that ran several times as one task") {
  scratch_folder folder;
  auto plot = folder / "plot.svg";
  run_poolsim({"--plot", plot, "-"}, R"({
    "policy": "shared_queue", "on_crash": "retry",
    "workers": [{"crash": "52ms"}, {}],
    "tasks": [{"count": 100, "every": "10ms", "service": "15ms"}]})");
  std::ifstream drawn{plot};
  std::string text{std::istreambuf_iterator<char>{drawn}, {}};
  CHECK(text.find(">100 tasks, 101 runs on 2 workers in ")
        != std::string::npos);
}

TEST_CASE("a picture that cannot be written is an error") {
  auto ended = run_poolsim({"--plot", "/nowhere/plot.svg", "-"}, two_tasks);
  CHECK(ended.status == 1);
  CHECK(ended.out.empty());
  CHECK(ended.err == "poolsim: cannot write '/nowhere/plot.svg'\n");
}

TEST_CASE("a file name for the picture that does not end in .svg is an error") {
  scratch_folder folder;
  for (const char* name : {"plot.png", "plot.SVG", "plot", "svg", ".svg"}) {
    auto ended = run_poolsim({"--plot", name, folder / "missing.json"});
    CAPTURE(ended.err);
    CHECK(ended.status == 2);
    CHECK(ended.out.empty());
    CHECK(ended.err.rfind("poolsim: --plot: '" + std::string{name} + "'", 0)
          == 0);
    CHECK(ended.err.find("must end in .svg") != std::string::npos);
    // The scenario has not been looked for.
    CHECK(ended.err.find("missing.json") == std::string::npos);
  }
}

TEST_CASE("a file that cannot be read is named in the error") {
  for (const char* path : {"/no/such/file", "/"}) {
    auto ended = run_poolsim({path});
    CAPTURE(ended.err);
    CHECK(ended.status == 2);
    CHECK(ended.out.empty());
    CHECK(ended.err.rfind("poolsim: ", 0) == 0);
    CHECK(ended.err.find("'" + std::string{path} + "'") != std::string::npos);
    CHECK(std::count(ended.err.begin(), ended.err.end(), '\n') == 1);
  }
}

TEST_CASE("wrong usage prints the usage and ends with status 2") {
  for (const auto& words :
       {names{}, names{"a", "b"}, names{"--nonsense", "-"}}) {
    auto ended = run_poolsim(words, two_tasks);
    CHECK(ended.status == 2);
    CHECK(ended.out.empty());
    CHECK(ended.err.rfind("poolsim: ", 0) == 0);
    CHECK(ended.err.find("Usage: poolsim") != std::string::npos);
  }
}

TEST_CASE("options --version and --help print what they are named after") {
  CHECK(run_poolsim({"--version"}).out == "poolsim " POOLSIM_VERSION "\n");
  auto ended = run_poolsim({"--help"});
  CHECK(ended.status == 0);
  CHECK(ended.out.find("--summary") != std::string::npos);
  CHECK(ended.out.find("\nUsage: poolsim [OPTIONS] SCENARIO.json\n")
        != std::string::npos);
}
