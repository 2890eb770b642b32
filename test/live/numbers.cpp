/// The JSON of a live view: its numbers are those of `stats`.

#include "served.hpp"

#include <cmath>

using libpool::live_view;
using nlohmann::json;
using test::client_of;
using test::comes_true;
using test::served_world;
using test::until_opened;

namespace {

void check_ledger(const json& shown, const libpool::pool_stats& stats) {
  CHECK(shown["workers"] == stats.workers);
  CHECK(shown["busy"] == stats.busy);
  CHECK(shown["leaving"] == stats.leaving);
  CHECK(shown["slots"] == stats.slots);
  CHECK(shown["waiting"] == stats.tasks.waiting);
  CHECK(shown["assigned"] == stats.tasks.assigned);
  CHECK(shown["sent"] == stats.tasks.sent);
  CHECK(shown["running"] == stats.tasks.running);
  CHECK(shown["held"] == stats.held);
  CHECK(shown["accepted"] == stats.tasks.accepted);
  CHECK(shown["refused"] == stats.refused);
  CHECK(shown["completed"] == stats.tasks.completed);
  CHECK(shown["failed"] == stats.tasks.failed);
  CHECK(shown["cancelled"] == stats.tasks.cancelled);
}

} // namespace

TEST_CASE("the numbers that the live view shows for a pool equal those in the "
          "stats of the pool") {
  libpool::managed_options how;
  how.capacity = 10;
  served_world world{3, {}, how};
  world.send("short", {}, 4);
  CHECK(comes_true([&] { return world.stats().tasks.completed == 4; }));
  world.block(3);
  world.send("waiting", until_opened, 12);
  CHECK(comes_true([&] { return world.stats().refused == 2; }));
  auto stats = world.stats();
  json shown;
  CHECK(comes_true([&] {
    shown = world.client.pool();
    return shown["refused"] == 2;
  }));
  check_ledger(shown, stats);
  CHECK(shown["name"] == "pool");
  CHECK(shown["policy"] == stats.policy);
  CHECK(shown["running"] == 3);
  CHECK(shown["waiting"] == 10);
  CHECK(shown["capacity"] == 10);
  CHECK(shown["refusals"] == json{{"queue_full", 2}});
  CHECK(shown["errors"] == json::object());
  CHECK(shown["oldest_waiting_s"] >= 0);
  CHECK(shown["longest_running_s"] >= 0);
  CHECK(shown["nodes"] == json::array());
  CHECK(shown["unreachable"] == json::array());
}

TEST_CASE("the workers that the live view shows for a pool equal the workers "
          "in the stats of the pool") {
  served_world world{3};
  world.send("short", {}, 4);
  CHECK(comes_true([&] { return world.stats().tasks.completed == 4; }));
  world.block(2);
  auto stats = world.stats();
  json shown;
  CHECK(comes_true([&] {
    shown = world.client.pool();
    return shown["running"] == 2;
  }));
  REQUIRE(shown["members"].size() == 3);
  CHECK(shown["all_members"] == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    auto& one = shown["members"][i];
    auto& known = stats.members[i];
    CHECK(one["number"] == known.number);
    CHECK(one["name"] == known.name);
    CHECK(one["in_flight"] == known.in_flight);
    CHECK(one["completed"] == known.completed);
    CHECK(one["state"] == (known.in_flight > 0 ? "busy" : "idle"));
    CHECK(one["running_for_s"].is_null() == (known.in_flight == 0));
    CHECK(one["busy_share"] >= 0);
    CHECK(one["busy_share"] <= 1);
  }
}

TEST_CASE("the live view shows the flows that are in the stats of a pool") {
  served_world world{1};
  world.block(1);
  world.send("big", until_opened, 7);
  world.send("small", until_opened, 2);
  json shown;
  CHECK(comes_true([&] {
    shown = world.client.pool();
    return shown["waiting"] == 9;
  }));
  REQUIRE(shown["flows"].size() == 3);
  CHECK(shown["flows"][0]["name"] == "big");
  CHECK(shown["flows"][0]["waiting"] == 7);
  CHECK(shown["flows"][0]["waiting_for_s"] >= 0);
  CHECK(shown["flows"][1]["name"] == "small");
  CHECK(shown["flows"][1]["waiting"] == 2);
  CHECK(shown["flows"][2]["running"] == 1);
  CHECK(shown["flows"][2]["waiting_for_s"].is_null());
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
  CHECK(window["wait_ms"]["p99"] > 0);
  CHECK(window["service_ms"]["p50"] <= window["service_ms"]["p99"]);
}

TEST_CASE("names of flows may contain any bytes") {
  const std::string evil = "</script><script>alert(1)</script>\"\\\n\xff";
  served_world world{1};
  world.view.add(libpool::spawn_pool(world.system, 1,
                                     [&] {
                                       return world.system.spawn(test::passing,
                                                                 world.gate);
                                     }),
                 "gone");
  world.send(evil, until_opened, 2);
  json shown;
  CHECK(comes_true([&] {
    shown = world.client.pool();
    return !shown["flows"].empty() && shown["waiting"] == 1;
  }));
  auto name = shown["flows"][0]["name"].get<std::string>();
  CHECK(name == "</script><script>alert(1)</script>\"\\\n\xEF\xBF\xBD");
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
  test::config settings;
  caf::actor_system system{settings};
  auto gate = std::make_shared<test::turnstile>();
  libpool::stage_options two;
  two.credit = 2;
  auto plan = libpool::function_stage(
                "read", [](int x) { return x; }, two)
              | libpool::function_stage(
                "parse",
                [gate](int x) {
                  gate->pass(until_opened);
                  return x;
                },
                two);
  libpool::pipeline_options how;
  how.answer = libpool::answer_when::accepted;
  auto line = libpool::spawn_pipeline(system, plan, how);
  live_view view;
  view.add_pipeline(line, "words");
  client_of client{view};
  for (auto i = 0; i < 9; ++i)
    caf::anon_send(line, i);
  json shown;
  CHECK(comes_true([&] {
    shown = client.pools()["pipelines"].at(0);
    return shown["waiting"] == 5 && shown["stages"][0]["answered"] == 4;
  }));
  CHECK(shown["name"] == "words");
  CHECK(shown["accepted"] == 4);
  CHECK(shown["in_line"] == 4);
  REQUIRE(shown["stages"].size() == 2);
  CHECK(shown["stages"][0]["name"] == "read");
  CHECK(shown["stages"][1]["name"] == "parse");
  CHECK(shown["stages"][1]["credit"] == 2);
  CHECK(shown["stages"][1]["held"] == 2);
  CHECK(shown["matters"]
        == json::array(
          {{{"text", "stage parse is full, 5 items wait to enter the pipeline"},
            {"cure", "a-full-stage"},
            {"loses_tasks", false}}}));
  gate->open();
  caf::anon_send_exit(line, caf::exit_reason::user_shutdown);
}
