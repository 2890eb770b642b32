/// The JSON of a live view: its numbers are those of `stats`.

#include "served.hpp"

#include <cmath>
#include <utility>
#include <vector>

using libpool::live_view;
using nlohmann::json;
using test::client_of;
using test::comes_true;
using test::served_world;
using test::until_opened;

namespace {

void check_busy_workers(const json& shown, const libpool::pool_stats& stats) {
  REQUIRE(shown.size() == stats.members.size());
  for (std::size_t i = 0; i < shown.size(); ++i) {
    auto& one = shown[i];
    auto& known = stats.members[i];
    CHECK(one["number"] == known.number);
    CHECK(one["name"] == known.name);
    CHECK(one["in_flight"] == known.in_flight);
    CHECK(one["completed"] == known.completed);
    CHECK(one["state"] == "busy");
    CHECK(one["running_for_s"] >= 0);
    CHECK(one["busy_share"] >= 0);
    CHECK(one["busy_share"] <= 1);
  }
}

} // namespace

TEST_CASE("the numbers, workers and flows that the live view shows for a pool "
          "equal those in the stats of the pool") {
  libpool::managed_options how;
  how.capacity = 10;
  served_world world{3, {}, how};
  world.send("short", {}, 4);
  CHECK(comes_true([&] { return world.stats().tasks.completed == 4; }));
  world.block(3);
  world.send("big", until_opened, 9);
  world.send("small", until_opened, 3);
  CHECK(comes_true([&] { return world.stats().refused == 2; }));
  auto stats = world.stats();
  json shown;
  CHECK(comes_true([&] {
    shown = world.client.pool();
    return shown["refused"] == 2 && shown["running"] == 3;
  }));
  const std::vector<std::pair<const char*, std::uint64_t>> counts{
    {"workers", stats.workers},
    {"busy", stats.busy},
    {"leaving", stats.leaving},
    {"slots", stats.slots},
    {"waiting", 10},
    {"assigned", stats.tasks.assigned},
    {"sent", stats.tasks.sent},
    {"running", 3},
    {"held", stats.held},
    {"accepted", stats.tasks.accepted},
    {"completed", stats.tasks.completed},
    {"failed", stats.tasks.failed},
    {"cancelled", stats.tasks.cancelled},
    {"capacity", 10},
    {"all_members", 3}};
  for (const auto& each : counts) {
    CAPTURE(std::string{each.first});
    CHECK(shown[each.first] == each.second);
  }
  CHECK(shown["name"] == "pool");
  CHECK(shown["policy"] == stats.policy);
  CHECK(shown["refusals"] == json{{"queue_full", 2}});
  CHECK(shown["errors"] == json::object());
  CHECK(shown["oldest_waiting_s"] >= 0);
  CHECK(shown["longest_running_s"] >= 0);
  CHECK(shown["nodes"] == json::array());
  CHECK(shown["unreachable"] == json::array());
  check_busy_workers(shown["members"], stats);
  REQUIRE(shown["flows"].size() == 4);
  CHECK(shown["flows"][0]["name"] == "big");
  CHECK(shown["flows"][0]["waiting"] == 9);
  CHECK(shown["flows"][0]["waiting_for_s"] >= 0);
  CHECK(shown["flows"][1]["name"] == "small");
  CHECK(shown["flows"][1]["waiting"] == 1);
}

TEST_CASE("the live view shows no times for workers and flows that have no "
          "task, and names of any bytes") {
  const std::string evil = "</script><script>alert(1)</script>\"\\\n\xff";
  served_world world{2};
  world.send(evil, {});
  json shown;
  CHECK(comes_true([&] {
    shown = world.client.pool();
    return shown["completed"] == 1;
  }));
  CHECK(shown["members"][0]["state"] == "idle");
  CHECK(shown["members"][0]["running_for_s"].is_null());
  REQUIRE(shown["flows"].size() == 1);
  CHECK(shown["flows"][0]["waiting_for_s"].is_null());
  CHECK(shown["flows"][0]["name"]
        == "</script><script>alert(1)</script>\"\\\n\xEF\xBF\xBD");
}

TEST_CASE("the rates that the live view shows are the events since the "
          "beginning of the time window, per second") {
  served_world world{2};
  CHECK(world.client.pool()["window"]["wait_ms"]["p50"].is_null());
  world.send("a", {}, 10);
  CHECK(comes_true([&] { return world.stats().tasks.completed == 10; }));
  json window;
  CHECK(comes_true([&] {
    auto shown = world.client.pool();
    window = shown["window"];
    return shown["completed"] == 10;
  }));
  auto count = window["completed_per_s"].get<double>()
               * window["seconds"].get<double>();
  CHECK(std::abs(count - 10) < 0.001);
  CHECK(window["arrived_per_s"] == window["completed_per_s"]);
  CHECK(window["failed_per_s"] == 0);
  CHECK(window["retries_per_s"] == 0);
  CHECK(window["wait_ms"]["p99"] > 0);
  CHECK(window["service_ms"]["p50"] <= window["service_ms"]["p99"]);
}

TEST_CASE("the live view shows only the workers and the refused messages of a "
          "direct pool") {
  test::config settings;
  caf::actor_system system{settings};
  auto gate = std::make_shared<test::turnstile>();
  auto pool = libpool::actor_pool::make(
    system, 3, [&] { return system.spawn(test::passing, gate); },
    libpool::actor_pool::round_robin());
  live_view view;
  view.add(pool, "direct");
  auto shown = client_of{view}.pool();
  CHECK(shown["name"] == "direct");
  CHECK(shown["policy"] == "direct");
  CHECK(shown["workers"] == 3);
  CHECK(shown["refused"] == 0);
  CHECK(shown["waiting"].is_null());
  CHECK(shown["completed"].is_null());
  CHECK(shown["members"] == json::array());
  caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
}

TEST_CASE("the numbers that the live view shows for a pipeline equal those in "
          "the stats of the pipeline") {
  test::served_line world{"parse"};
  auto shown = world.shown();
  CHECK(shown["name"] == "words");
  CHECK(shown["accepted"] == 4);
  CHECK(shown["in_line"] == 4);
  REQUIRE(shown["stages"].size() == 3);
  CHECK(shown["stages"][0]["name"] == "read");
  CHECK(shown["stages"][1]["name"] == "parse");
  CHECK(shown["stages"][1]["credit"] == 2);
  CHECK(shown["stages"][1]["held"] == 2);
  CHECK(shown["problems"]
        == json::array(
          {{{"text", "stage parse is full, 5 items wait to enter the pipeline"},
            {"cure", "a-full-stage"},
            {"loses_tasks", false},
            {"worker", nullptr}}}));
}
