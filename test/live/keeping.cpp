/// What a live view keeps for viewers who come later.

#include "served.hpp"

#include "libpool/observability/live/exposition.hpp"
#include "libpool/observability/live/http_server.hpp"
#include "libpool/observability/live/sampler.hpp"
#include "libpool/observability/live/view_pages.hpp"

#include <chrono>
#include <future>
#include <stdexcept>
#include <utility>
#include <vector>

using libpool::instant;
using nlohmann::json;
using test::comes_true;
using test::live_world;
using test::until_opened;

namespace {

using namespace std::chrono_literals;

/// A pool that a sampler watches, whose clock the test sets.
struct kept_world : live_world {
  explicit kept_world(std::size_t workers) : live_world(workers) {
    shown.add(pool, "pool", 30s);
  }

  /// Lets seconds pass, without viewers.
  void pass(int count) {
    for (auto i = 0; i < count; ++i) {
      now += 1s;
      sampler.keep();
    }
  }

  /// What a viewer sees of the last minute, of the pool.
  std::vector<json> seen() {
    std::vector<json> result;
    for (auto& each : json::parse(sampler.recent()))
      for (auto& one : each["pools"])
        result.push_back(one);
    return result;
  }

  instant now = std::chrono::steady_clock::now();
  libpool::live::watched shown;
  libpool::live::sampler sampler{shown, [this] { return now; }};
};

std::uint64_t waiting_in(const json& seen) {
  std::uint64_t result = 0;
  for (const auto& [flow, count] :
       seen["waiting"]
         .get<std::vector<std::pair<std::string, std::uint64_t>>>())
    result += count;
  return result;
}

} // namespace

TEST_CASE(
  "a viewer who comes after an incident sees it, although no viewer was "
  "there") {
  kept_world world{1};
  world.pass(5);
  world.send("a", until_opened, 31);
  REQUIRE(comes_true([&] { return world.stats().tasks.running == 1; }));
  world.pass(3);
  world.gate->open();
  REQUIRE(comes_true([&] { return world.stats().tasks.completed == 31; }));
  world.pass(20);
  world.now += 700ms;
  auto seen = world.seen();
  REQUIRE(seen.size() == 29); // and one of the viewer
  for (auto i = 0U; i < seen.size(); ++i) {
    CAPTURE(i);
    CHECK(waiting_in(seen[i]) == (i >= 5 && i < 8 ? 30 : 0));
  }
  CHECK(seen[7]["waiting"][0] == json{"a", 30});
  CHECK(seen[5]["arrived_per_s"] == 31);
  CHECK(seen[6]["arrived_per_s"] == 0);
  CHECK(seen[8]["completed_per_s"] == 31);
  CHECK(seen[7]["longest_running_ms"] > 0);
  CHECK(seen[8]["wait_ms"]["p99"] > 0);
  CHECK(seen.back()["wait_ms"]["p99"].is_null()); // none in the last 10 s
  // The viewer also gets the runs of the tasks.
  CHECK(seen.back()["runs"]["ended"] == 31);
}

TEST_CASE("the history kept without viewers covers at most a minute") {
  kept_world world{1};
  world.pass(1000);
  CHECK(world.seen().size() <= 61);
  auto numbers = json::parse(world.sampler.recent());
  CHECK(numbers.back()["number"] == 1001);
}

TEST_CASE("a summary is kept only if the last one is a second old") {
  kept_world world{1};
  world.sampler.keep();
  world.now += 400ms;
  world.sampler.keep();
  CHECK(json::parse(world.sampler.recent()).size() == 2); // with the viewer's
  world.now += 400ms;
  world.sampler.keep(); // the viewer has just looked
  CHECK(json::parse(world.sampler.recent()).size() == 2);
}

TEST_CASE("the busy shares of workers are those since the last look at the "
          "workers, for a viewer who comes later as well") {
  kept_world world{1};
  world.send("a", until_opened, 1);
  REQUIRE(comes_true([&] { return world.stats().tasks.running == 1; }));
  world.pass(60);
  auto pool = json::parse(world.sampler.look().pools)["pools"][0];
  CHECK(pool["members"][0]["busy_share"].is_number());
  CHECK(pool["members"][0]["task"]["number"] == 1);
  CHECK(pool["members"][0]["task"]["flow"] == "a");
  CHECK(pool["window"]["seconds"] == doctest::Approx(10));
}

TEST_CASE("a live view keeps a summary for later viewers") {
  live_world world{1};
  libpool::live::watched shown;
  shown.add(world.pool, "pool", 30s);
  libpool::live::exposition metrics;
  libpool::live::view_pages pages{{}, shown, metrics};
  auto answer_at = [&](const std::string& path) {
    libpool::live::request asked;
    asked.set_target(path);
    asked.method = "GET";
    asked.host = "localhost:80";
    asked.port = 80;
    return pages(asked);
  };
  pages.keep();
  auto recent = json::parse(answer_at("/api/v1/recent").body);
  REQUIRE(recent.size() == 2);
  CHECK(recent[0]["pools"][0]["runs"].empty());
  CHECK(recent[1]["pools"][0]["runs"]["ended"] == 0);
}

TEST_CASE("a server runs its task once a second") {
  std::promise<void> done;
  auto calls = 0;
  libpool::live::http_server server{
    "127.0.0.1", 0, 1, [](const auto&) { return libpool::live::reply{}; },
    [&] {
      if (++calls == 2)
        done.set_value();
      throw std::runtime_error{"ignored"};
    }};
  CHECK(done.get_future().wait_for(test::patience)
        == std::future_status::ready);
}

TEST_CASE("the slowest stage of a pipeline has a rate, a time and workers") {
  test::served_line world{"parse"};
  auto shown = world.shown();
  CHECK(shown["slowest"] == "parse");
  CHECK(shown["stages"][1]["is_slowest"] == true);
  CHECK(shown["stages"][0]["is_slowest"] == false);
  CHECK(shown["stages"][1]["workers"] == 1);
  world.gate->open();
  CHECK(comes_true([&] {
    shown = world.shown();
    return shown["completed"] == 9 && shown["stages"][1]["completed_per_s"] > 0;
  }));
  CHECK(shown["stages"][1]["time_ms"] > 0);
}
