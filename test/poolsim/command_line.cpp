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

std::vector<std::string> keys_of(const ordered_json& object) {
  std::vector<std::string> result;
  for (const auto& [key, value] : object.items())
    result.push_back(key);
  return result;
}

using names = std::vector<std::string>;

} // namespace

TEST_CASE(
  "the output is one JSON object, with its keys in the order of the format") {
  auto ended = run_poolsim({"-"}, two_tasks);
  REQUIRE(ended.status == 0);
  CHECK(ended.err.empty());
  CHECK(ended.out.back() == '\n');
  auto all = ordered_json::parse(ended.out);
  CHECK(keys_of(all)
        == names{"now", "makespan", "steals", "tasks", "workers", "flows",
                 "ledger", "latency"});
  CHECK(keys_of(all["tasks"][0])
        == names{"id", "flow", "worker", "submitted", "started", "finished",
                 "outcome", "moves"});
  CHECK(keys_of(all["workers"][0])
        == names{"id", "completed", "busy", "running", "queued"});
  CHECK(keys_of(all["flows"][0])
        == names{"flow", "submitted", "completed", "failed", "cancelled",
                 "refused", "waiting", "mean_seats", "latency"});
  CHECK(keys_of(all["flows"][0]["latency"]) == names{"wait", "response"});
  for (const char* kind : {"wait", "response"})
    CHECK(keys_of(all["latency"][kind]) == names{"mean", "p50", "p95", "p99"});
  CHECK(keys_of(all["ledger"])
        == names{"accepted", "completed", "failed", "cancelled", "refused",
                 "waiting", "assigned", "running"});
  CHECK(all["tasks"][0]["flow"] == "a\"b\n");
}

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

TEST_CASE("option --policies lists each option of each policy, with its "
          "default, its bound and its meaning") {
  auto ended = run_poolsim({"--policies"});
  CHECK(ended.status == 0);
  CHECK(ended.err.empty());
  CHECK(ended.out.rfind("| policy | option | default | bound | meaning |\n", 0)
        == 0);
  CHECK(ended.out.find("| `peak_ewma` | `decay` | 10s | above 0 | time after "
                       "which the weight of a latency has fallen to 1/e |\n")
        != std::string::npos);
  CHECK(ended.out.find("| `fair_queuing` | `queue_limit` | no limit in "
                       "mode exact, 50 in mode kubernetes | at least 1 | ")
        != std::string::npos);
  CHECK(
    ended.out.find("| `cost_aware` | `alpha` | 0.25 | above 0 and at most 1 | ")
    != std::string::npos);
}

TEST_CASE(
  "option --summary leaves only the list of single tasks out of the result") {
  auto full = ordered_json::parse(run_poolsim({"-"}, two_tasks).out);
  auto ended = run_poolsim({"--summary", "-"}, two_tasks);
  CHECK(ended.status == 0);
  full.erase("tasks");
  CHECK(ordered_json::parse(ended.out) == full);
}

TEST_CASE("poolsim prints the same result for a scenario in a file and on "
          "standard input") {
  CHECK(test::simulate_text(two_tasks).out
        == run_poolsim({"-"}, two_tasks).out);
}

TEST_CASE("a file that cannot be read is named in the error") {
  for (const char* path : {"/no/such/file", "/"}) {
    auto ended = run_poolsim({path});
    CAPTURE(ended.err);
    CHECK(ended.status == 2);
    CHECK(ended.out.empty());
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
    CHECK(ended.err.find("Usage: poolsim") != std::string::npos);
  }
}

TEST_CASE("the version of poolsim equals the version of the library") {
  auto ended = run_poolsim({"--version"});
  CHECK(ended.status == 0);
  CHECK(ended.err.empty());
  CHECK(ended.out == "poolsim " POOLSIM_VERSION "\n");
}

TEST_CASE("option --help prints the options, and succeeds") {
  auto ended = run_poolsim({"--help"});
  CHECK(ended.status == 0);
  CHECK(ended.out.find("--summary") != std::string::npos);
}
