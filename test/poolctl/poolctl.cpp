/// The commands of poolctl, with a live view.

#include "live/served.hpp"
#include "run_poolctl.hpp"

#include <cstdio>
#include <fstream>

namespace poolctl_tests {

using nlohmann::json;
using test::has;
using test::run_poolctl;

namespace {

libpool::live_options with_control() {
  libpool::live_options result;
  result.control_token = "secret";
  return result;
}

/// A pool of two workers whose view is asked by poolctl.
struct controlled_world : test::served_world {
  controlled_world() : served_world(2, with_control()) {
    // nop
  }

  test::ended_poolctl run(std::vector<const char*> arguments) const {
    arguments.insert(arguments.begin(), {"--token", "secret", url.c_str()});
    return run_poolctl(std::move(arguments));
  }

  /// Returns what poolctl prints, which must be well.
  std::string told(std::vector<const char*> arguments) const {
    const auto ended = run(std::move(arguments));
    CHECK(ended.code == 0);
    CHECK(ended.err == "");
    return ended.out;
  }

  const std::string url = view.url();
};

} // namespace

TEST_CASE("poolctl pauses and resumes a pool and a flow") {
  const controlled_world world;
  CHECK(world.told({"pause"}) == "pool is paused\n");
  CHECK(world.stats().is_paused);
  CHECK(world.told({"--json", "resume"}) == "{\"told\":\"pool is resumed\"}\n");
  CHECK(!world.stats().is_paused);
  CHECK(world.told({"pause", "--flow", "gold & co"})
        == "flow gold & co of pool is paused\n");
  world.send("gold & co", std::chrono::microseconds{1});
  CHECK(
    test::comes_true([&] { return has(world.told({"limits"}), "gold & co"); }));
  CHECK(world.told({"resume", "--flow", "gold & co"})
        == "flow gold & co of pool is resumed\n");
  CHECK(test::comes_true(
    [&] { return world.told({"limits"}) == "no limit holds back a task\n"; }));
}

TEST_CASE("poolctl resizes and drains a pool") {
  const controlled_world world;
  CHECK(world.told({"resize", "3"}) == "pool gets 3 workers\n");
  CHECK(test::comes_true([&] { return world.stats().workers == 3; }));
  CHECK(world.told({"drain"}) == "pool drains\n");
  CHECK(test::comes_true([&] { return world.stats().workers == 0; }));
}

TEST_CASE("poolctl cancels the messages of a flow, or all") {
  controlled_world world;
  world.block(2);
  world.send("gold", test::until_opened, 3);
  world.send("", test::until_opened, 2);
  CHECK(test::comes_true([&] { return world.stats().tasks.waiting == 5; }));
  CHECK(has(world.told({"cancel", "--flow", ""}), "2 waiting messages"));
  CHECK(has(world.told({"cancel", "--all"}), "3 waiting messages"));
  const auto unknown = world.run({"cancel", "--id", "none"});
  CHECK(unknown.code == 1); // the pool does not know ids
  CHECK(has(unknown.err, "id"));
}

TEST_CASE("poolctl prints pools for people and for programs") {
  controlled_world world;
  world.block(2);
  const auto text = world.told({"stats"});
  CHECK(has(text, "pool pool (fair_queuing)\n"));
  CHECK(has(text, "running 2"));
  CHECK(has(text, "blocking"));
  const auto told = json::parse(world.told({"stats", "--json"}));
  CHECK(told["pools"][0]["running"] == 2);
  CHECK(json::parse(world.told({"--json", "--pool", "pool", "stats"}))["name"]
        == "pool");
  const auto rows =
    world.told({"watch", "--tables", "2", "--interval", "0.05"});
  CHECK(has(rows, "  name  policy"));
  CHECK(rows.rfind("  name  policy") != rows.find("  name  policy"));
}

TEST_CASE("poolctl writes the last tasks of a pool") {
  const controlled_world world;
  world.send("gold", std::chrono::microseconds{1});
  CHECK(test::comes_true([&] { return world.stats().tasks.completed == 1; }));
  CHECK(json::parse(world.told({"record"})).contains("traceEvents"));
  const std::string file = "poolctl_record.svg";
  CHECK(world.told({"record", "--svg", "--output", file.c_str()}).empty());
  std::ifstream written{file};
  std::string line;
  std::getline(written, line);
  CHECK(has(line, "<svg"));
  std::remove(file.c_str());
  CHECK(has(world.run({"record", "--output", "/nowhere/at/all"}).err,
            "cannot write /nowhere/at/all"));
}

TEST_CASE("poolctl says why a command failed, with exit code 1") {
  const controlled_world world;
  const auto refused = run_poolctl({world.url.c_str(), "drain"});
  CHECK(refused.code == 1);
  CHECK(has(refused.err, "the control token is required"));
  CHECK(has(refused.err, "see --token and LIBPOOL_TOKEN"));
  const auto unknown = world.run({"--pool", "x\x1b", "stats"});
  CHECK(unknown.code == 1);
  CHECK(has(unknown.err, "\"; there are: pool\n"));
  const auto gone = run_poolctl({"127.0.0.1:1", "stats"});
  CHECK(gone.code == 1);
  CHECK(has(gone.err, "poolctl: no answer from 127.0.0.1:1: "));
  CHECK(gone.out.empty());
}

TEST_CASE("poolctl refuses wrong usage with exit code 2") {
  for (const auto& each : std::vector<std::vector<const char*>>{
         {},
         {"127.0.0.1"},
         {"stats"},
         {"ftp://127.0.0.1", "stats"},
         {"127.0.0.1:99999", "stats"},
         {"127.0.0.1/?a=b", "stats"},
         {"127.0.0.1", "resize"},
         {"127.0.0.1", "resize", "0"},
         {"127.0.0.1", "resize", "0x10"},
         {"127.0.0.1", "watch", "--interval", "nan"},
         {"127.0.0.1", "watch", "--tables", "-1"},
         {"127.0.0.1", "--token", "a\nb", "stats"},
         {"127.0.0.1", "pause", "--node", ""},
         {"127.0.0.1", "cancel"},
         {"127.0.0.1", "cancel", "--all", "--flow", "x"},
         {"127.0.0.1", "pause", "--flow", "x", "--node", "y"},
         {"127.0.0.1", "record", "--seconds", "601"},
         {"127.0.0.1", "explode"}}) {
    const auto ended = run_poolctl(each);
    CAPTURE(ended.err);
    CHECK(ended.code == 2);
    CHECK(!ended.err.empty());
    CHECK(ended.out.empty());
  }
  CHECK(run_poolctl({"--help"}).code == 0);
  CHECK(has(run_poolctl({"--version"}).out, "poolctl "));
}

} // namespace poolctl_tests
