/// Those who look at a live view: how many, how slow, and until when.

#include "served.hpp"
#include "support/raw_connection.hpp"

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <poll.h>
#include <set>
#include <thread>
#include <vector>

using libpool::live_options;
using libpool::live_view;
using nlohmann::json;
using test::client_of;
using test::comes_true;
using test::raw_connection;
using test::served_world;

namespace {

live_options for_viewers(std::size_t most) {
  live_options result;
  result.most_viewers = most;
  return result;
}

/// A viewer that has asked for events.
std::unique_ptr<raw_connection> viewer_of(const live_view& view) {
  auto result = std::make_unique<raw_connection>(view.port());
  result->send("GET /events HTTP/1.1\r\nHost: localhost:"
               + std::to_string(view.port()) + "\r\n\r\n");
  return result;
}

/// The first bytes that come.
std::string first_of(const raw_connection& connection) {
  std::array<char, 4096> bytes{};
  auto n = ::recv(connection.socket(), bytes.data(), bytes.size(), 0);
  return {bytes.data(), n > 0 ? static_cast<std::size_t>(n) : 0};
}

bool is_welcome(const raw_connection& viewer) {
  return first_of(viewer).find("HTTP/1.1 200 ") == 0;
}

/// Looks until the function has seen enough.
void look(const live_view& view, const std::function<bool(json)>& wants_more) {
  client_of client{view};
  std::string text;
  client.http.Get("/events", [&](const char* data, std::size_t size) {
    text.append(data, size);
    for (auto end = text.find("\n\n"); end != std::string::npos;
         end = text.find("\n\n")) {
      auto event = json::parse(text.substr(6, end - 6)); // behind "data: "
      text.erase(0, end + 2);
      if (!wants_more(std::move(event)))
        return false;
    }
    return true;
  });
}

} // namespace

TEST_CASE("all viewers of a live view receive the same sequence of events, "
          "without gaps") {
  served_world world{2};
  constexpr auto most = 4U;
  std::vector<std::map<int, json>> seen(3);
  std::vector<std::thread> viewers;
  for (auto& each : seen)
    viewers.emplace_back([&] {
      look(world.view, [&](json event) {
        auto number = event["recent"]["number"].get<int>();
        each.emplace(number, std::move(event));
        return each.size() < most;
      });
    });
  for (auto& each : viewers)
    each.join();
  for (auto& each : seen) {
    REQUIRE(each.size() == most);
    CHECK(each.rbegin()->first - each.begin()->first == most - 1);
    for (auto& [number, event] : each)
      for (auto& other : seen)
        if (other.count(number) > 0)
          CHECK(other.at(number) == event);
  }
}

TEST_CASE(
  "a viewer who connects later can read the events of the last minute") {
  served_world world{1};
  look(world.view,
       [&](const json& event) { return event["recent"]["number"] < 3; });
  auto recent = json::parse(world.client.get("/api/v1/recent").body);
  CHECK(recent.size() >= 3);
  CHECK(recent[0]["number"] == 1);
  CHECK(recent[0]["pools"][0]["name"] == "pool");
}

TEST_CASE("the events that a viewer receives contain each run of a task once, "
          "with the flow and the kind of the task") {
  served_world world{1};
  std::map<std::string, int> seen;
  std::set<std::string> kinds;
  auto asked = false;
  look(world.view, [&](const json& event) {
    for (auto& pool : event["recent"]["pools"])
      for (auto& span : pool["runs"]["spans"]) {
        ++seen[pool["runs"]["flows"].at(span.at(1).get<std::size_t>())];
        kinds.insert(pool["runs"]["kinds"].at(span.at(7).get<std::size_t>()));
      }
    if (!std::exchange(asked, true)) {
      world.send("a", {}, 3);
      world.send("b", {}, 2);
    }
    return seen["a"] + seen["b"] < 5
           || event["recent"]["number"].get<int>() < 6;
  });
  CHECK(seen["a"] == 3);
  CHECK(seen["b"] == 2);
  REQUIRE(kinds.size() == 1);
  CHECK(kinds.begin()->find("64") != std::string::npos); // by the CAF
}

TEST_CASE(
  "runs beyond the limit of an event are summarised as shares of time") {
  served_world world{2};
  world.send("a", {}, 30'000);
  auto runs = json{};
  CHECK(comes_true([&] {
    auto recent = json::parse(world.client.get("/api/v1/recent").body);
    for (auto& each : recent)
      if (each["pools"][0]["runs"]["ended"] > 2000)
        runs = each["pools"][0]["runs"];
    return !runs.is_null();
  }));
  CHECK_FALSE(runs.contains("spans"));
  CHECK(runs["shares"].size() <= 2000);
  auto count = 0;
  for (auto& share : runs["shares"])
    count += share.at(6).get<int>();
  CHECK(count == runs["ended"]);
}

TEST_CASE("with a limit of 99 viewers, a further viewer is refused, and other "
          "requests are still answered") {
  served_world world{1};
  std::vector<std::unique_ptr<raw_connection>> viewers;
  for (auto i = 0; i < 99; ++i) {
    viewers.push_back(viewer_of(world.view));
    REQUIRE(is_welcome(*viewers.back()));
  }
  auto answer = world.client.get("/events");
  CHECK(answer.status == 503);
  CHECK(answer.body
        == "the maximum of 99 viewers is reached: close a page, or raise "
           "most_viewers\n");
  CHECK(world.client.get("/").status == 200);
  CHECK(world.client.get("/api/v1/pools").status == 200);
  viewers.pop_back();
  CHECK(comes_true([&] { return is_welcome(*viewer_of(world.view)); }));
}

TEST_CASE(
  "a viewer that does not read loses its seat, and delays no other viewer") {
  // Each event is large, so that the system's buffers are soon full.
  served_world world{1500, for_viewers(2), {}, false};
  auto stalled = viewer_of(world.view);
  REQUIRE(comes_true([&] {
    pollfd asked{stalled->socket(), POLLIN, 0};
    return ::poll(&asked, 1, 0) > 0;
  }));
  auto events = 0;
  look(world.view, [&](const json&) {
    world.send("a", {});
    return ++events < 5;
  });
  CHECK(events == 5);
  CHECK(comes_true([&] { return world.stats().tasks.completed == 5; }));
  std::unique_ptr<raw_connection> other;
  CHECK(comes_true([&] {
    other = viewer_of(world.view);
    return is_welcome(*other);
  }));
  // The seat of the one that stalls is free at last.
  CHECK(comes_true([&] { return is_welcome(*viewer_of(world.view)); }));
}

TEST_CASE("a client that does not complete its request is disconnected") {
  served_world world{1};
  std::vector<std::unique_ptr<raw_connection>> silent;
  for (auto i = 0; i < 20; ++i) {
    silent.push_back(std::make_unique<raw_connection>(world.view.port()));
    silent.back()->send("GET / HTT");
  }
  CHECK(world.client.get("/api/v1/pools").status == 200);
  for (auto& each : silent)
    CHECK(each->is_closed_by_other());
}

TEST_CASE("a live view can be destroyed while viewers read, stall, or have not "
          "completed a request") {
  std::optional<served_world> world;
  world.emplace(1500, for_viewers(50), libpool::managed_options{}, false);
  std::vector<std::unique_ptr<raw_connection>> open;
  for (auto i = 0; i < 10; ++i) {
    open.push_back(viewer_of(world->view));
    open.push_back(std::make_unique<raw_connection>(world->view.port()));
    open.push_back(std::make_unique<raw_connection>(world->view.port()));
    open.back()->send("GET /trace HTT");
  }
  REQUIRE(is_welcome(*open[0]));
  world.reset(); // hangs if it does not end them
  for (auto& each : open)
    CHECK(each->is_closed_by_other());
}

TEST_CASE("if a pool ends while a viewer watches, the live view continues to "
          "show the other pools") {
  test::live_world keeping{1};
  live_view view;
  view.add(keeping.pool, "kept");
  auto ended = false;
  auto world = std::make_unique<test::live_world>(2);
  view.add(world->pool, "ending");
  look(view, [&](const json& event) {
    if (!std::exchange(ended, true))
      world.reset();
    return event["state"]["pools"].size() == 2
           && event["recent"]["number"].get<int>() < 100;
  });
  CHECK(client_of{view}.pools()["pools"].size() == 1);
}
