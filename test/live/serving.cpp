/// What the addresses of a live view answer.

#include "served.hpp"

#include <set>
#include <string>
#include <vector>

using libpool::actor_pool;
using libpool::live_view;
using nlohmann::json;
using test::client_of;
using test::comes_true;
using test::served_world;
using test::until_opened;

TEST_CASE(
  "each address of a live view answers with the content type of its data") {
  served_world world{2};
  const std::string html = "text/html; charset=utf-8";
  const std::string data = "application/json";
  const std::vector<std::pair<std::string, std::string>> rows{
    {"/", html},
    {"/?once", html},
    {"/guide", html},
    {"/api/v1/pools", data},
    {"/api/v1/recent", data},
    {"/trace?seconds=10&pool=pool", data},
    {"/gantt.svg?seconds=10", "image/svg+xml"}};
  for (const auto& each : rows) {
    CAPTURE(each.first);
    auto answer = world.client.get(each.first);
    CHECK(answer.status == 200);
    CHECK(answer.get_header_value("Content-Type") == each.second);
  }
  CHECK(world.client.get("/guide").body.find("<h2 id=\"a-stuck-handler\">")
        != std::string::npos);
  auto metrics = world.client.get("/metrics");
#ifdef LIBPOOL_HAS_METRICS
  CHECK(metrics.status == 200);
  CHECK(metrics.body.find("pool=\"pool\"") != std::string::npos);
#else
  CHECK(metrics.status == 404);
  CHECK(metrics.body.find("prometheus-cpp") != std::string::npos);
#endif
}

TEST_CASE(
  "an unknown address is answered with 404, and a method that an address "
  "does not accept with 405") {
  served_world world{1};
  for (const std::string path : {"/x", "/api/v1/pools/", "/api/v1/pools/pool",
                                 "/page.html", "/../etc/passwd"}) {
    CAPTURE(path);
    CHECK(world.client.get(path).status == 404);
  }
  auto answer = world.client.post("/");
  CHECK(answer.status == 405);
  CHECK(answer.get_header_value("Allow") == "GET, HEAD");
  CHECK(world.client.post("/events").status == 405);
  CHECK(world.client.http.Options("/api/v1/pools")->status == 405);
  CHECK(world.client.http.Delete("/api/v1/pools")->status == 405);
  CHECK(world.client.http.Head("/api/v1/pools")->status == 200);
}

TEST_CASE(
  "answers may not be cached, sniffed, framed, or read by other pages") {
  served_world world{1};
  for (const auto* path :
       {"/", "/api/v1/pools", "/gantt.svg", "/trace", "/metrics", "/none"}) {
    CAPTURE(path);
    auto answer = world.client.get(path);
    CHECK(answer.get_header_value("Cache-Control") == "no-store");
    CHECK(answer.get_header_value("X-Content-Type-Options") == "nosniff");
    CHECK(answer.get_header_value_count("Content-Security-Policy") == 1);
    auto policy = answer.get_header_value("Content-Security-Policy");
    CHECK(policy.find("default-src 'none'") == 0);
    CHECK(policy.find("frame-ancestors 'none'") != std::string::npos);
    CHECK_FALSE(answer.has_header("Access-Control-Allow-Origin"));
  }
}

TEST_CASE("the page's script and styles carry a fresh nonce for each request") {
  served_world world{1};
  std::set<std::string> numbers;
  for (auto i = 0; i < 3; ++i) {
    auto answer = world.client.get("/");
    auto policy = answer.get_header_value("Content-Security-Policy");
    auto at = policy.find("script-src 'nonce-") + 18;
    auto number = policy.substr(at, policy.find('\'', at) - at);
    CHECK(number.size() == 32);
    CHECK(answer.body.find("<script nonce=\"" + number + "\">")
          != std::string::npos);
    CHECK(answer.body.find("<style nonce=\"" + number + "\">")
          != std::string::npos);
    CHECK(answer.body.find("@NONCE@") == std::string::npos);
    numbers.insert(number);
  }
  CHECK(numbers.size() == 3);
}

TEST_CASE(
  "a view refuses actors that are not pools, and names that are taken") {
  served_world world{1};
  auto actor = world.system.spawn(test::passing, world.gate);
  CHECK_THROWS_AS(world.view.add(actor, "actor"), std::invalid_argument);
  CHECK_THROWS_AS(world.view.add(caf::actor{}, "nobody"),
                  std::invalid_argument);
  CHECK_THROWS_AS(world.view.add_pipeline(world.pool, "pool"),
                  std::invalid_argument);
  CHECK_THROWS_WITH(world.view.add(world.pool, ""),
                    "libpool: live_view::add: the name must not be empty");
  CHECK_THROWS_WITH(
    world.view.add(world.pool, "pool"),
    "libpool: live_view::add: the name 'pool' is already in use");
}

TEST_CASE("a view does not keep a pool alive, and does not show a pool that "
          "has ended") {
  test::config settings;
  caf::actor_system system{settings};
  live_view view;
  client_of client{view};
  auto make_pool = [&] {
    return libpool::spawn_pool(system, 1, [&] {
      return system.spawn(test::passing, std::make_shared<test::turnstile>());
    });
  };
  auto pool = make_pool();
  auto address = caf::actor_cast<caf::actor_addr>(pool);
  view.add(pool, "short");
  CHECK(client.pools()["pools"].size() == 1);
  pool = caf::actor{};
  CHECK(comes_true([&] { return !caf::actor_cast<caf::actor>(address); }));
  CHECK(comes_true([&] { return client.pools()["pools"].empty(); }));
  CHECK(client.get("/trace?pool=short").status == 404);
  auto next = make_pool();
  view.add(next, "short"); // the name is free again
  CHECK(comes_true([&] { return client.pools()["pools"].size() == 1; }));
}

TEST_CASE("the runs of a pool are recorded only while a view shows the pool") {
  test::live_world world{1};
  auto run_some = [&] {
    auto ended = world.stats().tasks.completed;
    world.send("a", {}, 3);
    return comes_true(
      [&] { return world.stats().tasks.completed == ended + 3; });
  };
  {
    live_view view;
    view.add(world.pool, "pool");
    CHECK(run_some());
    CHECK(actor_pool::recorded(world.pool).runs.size() == 3);
  }
  CHECK(run_some());
  CHECK(actor_pool::recorded(world.pool).runs.empty());
}

TEST_CASE("pictures and traces show the pool that the request names") {
  served_world world{1};
  test::live_world other{1};
  world.view.add(other.pool, "a/b c");
  world.send("first", {});
  other.send("second", {});
  CHECK(comes_true([&] {
    return world.stats().tasks.completed == 1
           && other.stats().tasks.completed == 1;
  }));
  auto trace = world.client.get("/trace?pool=a%2Fb%20c").body;
  CHECK(trace.find("second") != std::string::npos);
  CHECK(trace.find("first") == std::string::npos);
  CHECK_FALSE(json::parse(trace)["traceEvents"].empty());
  auto picture = world.client.get("/gantt.svg?pool=pool&seconds=600").body;
  CHECK(picture.find("first") != std::string::npos);
  CHECK(picture.find("second") == std::string::npos);
  CHECK(picture.find("</svg>") != std::string::npos);
}

TEST_CASE(
  "pictures and traces contain the running tasks, and the waiting tasks "
  "by number") {
  served_world world{1};
  auto picture = world.client.get("/gantt.svg").body; // of no tasks yet
  CHECK(picture.find(">0 tasks on 1 worker in ") != std::string::npos);
  CHECK(picture.find(" in 0\u00A0ns<") == std::string::npos);
  world.block(1);
  world.send("queued", until_opened, 3);
  CHECK(comes_true([&] { return world.stats().tasks.waiting == 3; }));
  auto trace = json::parse(world.client.get("/trace").body);
  std::vector<std::string> running;
  json last_count;
  for (const auto& each : trace["traceEvents"])
    if (each["ph"] == "X" && each["pid"] == 1)
      running.push_back(each["args"]["outcome"]);
    else if (each["ph"] == "C" && each["name"] == "waiting")
      last_count = each["args"]["tasks"];
  CHECK(running == std::vector<std::string>{"running"});
  CHECK(last_count == 3);
  picture = world.client.get("/gantt.svg").body;
  CHECK(picture.find("queued") != std::string::npos);
}

TEST_CASE(
  "invalid requests for pictures and traces are refused with an explanation") {
  served_world world{1};
  auto refusal = [&](const std::string& path) {
    auto answer = world.client.get(path);
    return std::to_string(answer.status) + ' ' + answer.body;
  };
  CHECK(refusal("/trace?pool=none") == "404 the server shows no pool 'none'\n");
  auto bad_time = [](const std::string& given) {
    return "400 seconds must be a whole number between 1 and 600, got '" + given
           + "'\n";
  };
  CHECK(refusal("/trace?seconds=0") == bad_time("0"));
  CHECK(refusal("/trace?seconds=601") == bad_time("601"));
  CHECK(refusal("/gantt.svg?seconds=-1") == bad_time("-1"));
  CHECK(refusal("/gantt.svg?seconds=1x") == bad_time("1x"));
  CHECK(refusal("/gantt.svg?seconds=") == bad_time(""));
  test::live_world other{1};
  world.view.add(other.pool, "other");
  CHECK(refusal("/trace")
        == "400 the server shows several pools: choose one with ?pool=NAME\n");
}
