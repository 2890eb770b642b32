/// Who may look at a live view, and who may change pools there.

#include "served.hpp"

#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using libpool::live_options;
using libpool::live_view;
using test::client_of;
using test::comes_true;
using test::served_world;

namespace {

live_options with_tokens(const std::string& token,
                         const std::string& control_token = {}) {
  live_options result;
  result.token = token;
  result.control_token = control_token;
  return result;
}

httplib::Headers bearer(const std::string& token) {
  return {{"Authorization", "Bearer " + token}};
}

} // namespace

TEST_CASE("a request is refused unless its Host header consists of a loopback "
          "name and the port of the server") {
  served_world world{1};
  auto port = ':' + std::to_string(world.view.port());
  const std::vector<std::pair<std::string, int>> rows{
    {"127.0.0.1" + port, 200},
    {"localhost" + port, 200},
    {"[::1]" + port, 200},
    {"evil.example" + port, 403},
    {"localhost.evil.example" + port, 403},
    {"127.0.0.1", 403},
    {"127.0.0.1:1", 403},
    {"", 403}};
  for (const auto& each : rows) {
    CAPTURE(each.first);
    CHECK(world.client.get("/api/v1/pools", {{"Host", each.first}}).status
          == each.second);
  }
}

TEST_CASE("a page of another site may link to a live view, but may not load "
          "data from the live view") {
  served_world world{1};
  auto status = [&](const char* site, const char* mode) {
    return world.client
      .get("/api/v1/pools",
           {{"Sec-Fetch-Site", site}, {"Sec-Fetch-Mode", mode}})
      .status;
  };
  CHECK(status("same-origin", "cors") == 200);
  CHECK(status("cross-site", "navigate") == 200);
  CHECK(status("cross-site", "no-cors") == 403);
  CHECK(status("cross-site", "cors") == 403);
}

TEST_CASE("a view with a token answers only requests with the token") {
  served_world world{1, with_tokens("secret")};
  for (const auto* path :
       {"/", "/events", "/api/v1/pools", "/trace", "/metrics", "/none"}) {
    CAPTURE(path);
    auto answer = world.client.get(path);
    CHECK(answer.status == 401);
    CHECK(answer.has_header("WWW-Authenticate"));
    CHECK(answer.body.find("hashing") == std::string::npos);
  }
  const std::vector<std::pair<const char*, int>> rows{
    {"Bearer secret", 200},
    {"bearer secret", 200},
    {"Bearer secreT", 401},
    {"Bearer secret2", 401},
    {"Bearer ", 401},
    {"Basic bWU6c2VjcmV0", 200}, // me:secret
    {"Basic OnNlY3JldA==", 200}, // :secret
    {"Basic c2VjcmV0", 401},     // secret
    {"Basic bWU6", 401},         // me:
    {"Basic ====", 401}};
  for (const auto& each : rows) {
    CAPTURE(std::string{each.first});
    CHECK(world.client.get("/", {{"Authorization", each.first}}).status
          == each.second);
  }
}

TEST_CASE(
  "a live view without a token can be served only at a loopback address") {
  live_options options;
  for (const auto* address : {"0.0.0.0", "192.0.2.1", "::", "localhost", ""}) {
    options.address = address;
    const auto error =
      "libpool: live_view: address '" + std::string{address}
      + "' is not a numeric loopback address, so any program that can "
        "reach it could see the pools: set a token";
    CHECK_THROWS_WITH(live_view{options}, error.c_str());
  }
  options.address = "127.0.0.2";
  live_view view{options};
  CHECK(view.url() == "http://127.0.0.2:" + std::to_string(view.port()) + '/');
  httplib::Client client{"127.0.0.2", view.port()};
  CHECK(client.Get("/")->status == 200);
}

TEST_CASE(
  "a view with a token may open at any address, and answers under any name") {
  auto options = with_tokens("secret");
  options.address = "0.0.0.0";
  served_world world{1, options};
  auto headers = bearer("secret");
  headers.emplace("Host", "pools.example");
  CHECK(world.client.get("/", headers).status == 200);
  CHECK(world.client.get("/").status == 401);
}

TEST_CASE(
  "the error about an option out of bounds, or a port in use, names it") {
  live_options options;
  options.most_viewers = 0;
  CHECK_THROWS_WITH(
    live_view{options},
    "libpool: live_view: most_viewers must be between 1 and 10000, got 0");
  options = {};
  options.recorded = std::chrono::minutes{11};
  CHECK_THROWS_WITH(
    live_view{options},
    "libpool: live_view: recorded must be above 0 and at most 10 min, "
    "got 660000000000 ns");
  live_view view;
  options = {};
  options.port = view.port();
  CHECK_THROWS_WITH_AS(live_view{options},
                       doctest::Contains(std::to_string(view.port()).c_str()),
                       std::runtime_error);
}

TEST_CASE("no client can change a pool without a control token") {
  served_world world{2, with_tokens("secret")};
  CHECK(world.client.post("/api/v1/pools/pool/drain", bearer("secret")).status
        == 404);
  CHECK(world.client.post("/api/v1/pools/pool/drain", bearer("")).status
        == 401);
  CHECK(world.stats().workers == 2);
}

TEST_CASE("a client needs the control token to change a pool") {
  served_world world{2, with_tokens("secret", "control")};
  auto path = "/api/v1/pools/pool/resize?n=5";
  CHECK(world.client.post(path).status == 401);
  CHECK(world.client.post(path, bearer("secret")).status == 403);
  // Browsers send passwords for pages of others, too.
  CHECK(world.client.post(path, {{"Authorization", "Basic bWU6Y29udHJvbA=="}})
          .status
        == 401);
  auto answer = world.client.get(path, bearer("control"));
  CHECK(answer.status == 405);
  CHECK(answer.get_header_value("Allow") == "POST");
  CHECK(world.stats().workers == 2);
  CHECK(world.client.get("/", bearer("control")).status == 200);
}

TEST_CASE(
  "a client with the control token can resize and drain a pool, whatever "
  "its name") {
  served_world world{2, with_tokens("", "control")};
  test::live_world other{1};
  world.view.add(other.pool, "a/b c");
  auto post = [&](const std::string& path) {
    return world.client.post("/api/v1/pools/" + path, bearer("control"));
  };
  auto answer = post("pool/resize?n=5");
  CHECK(answer.status == 202);
  CHECK(answer.body == "pool gets 5 workers\n");
  CHECK(comes_true([&] { return world.stats().workers == 5; }));
  for (const std::string number : {"0", "-1", "x", "", "65537", "1.5"}) {
    CAPTURE(number);
    CHECK(post("pool/resize?n=" + number).status == 400);
  }
  auto bare = libpool::actor_pool::make(other.system,
                                        libpool::actor_pool::shared_queue());
  world.view.add(bare, "bare");
  auto refused = post("bare/resize?n=2");
  CHECK(refused.status == 400);
  CHECK(refused.body.find("the pool has no factory") != std::string::npos);
  CHECK(post("none/drain").status == 404);
  CHECK(post("a%2Fb%20c/drain").status == 202);
  CHECK(comes_true([&] { return other.stats().workers == 0; }));
  CHECK(world.stats().workers == 5);
}

TEST_CASE("a client with the control token can pause, resume and cancel") {
  served_world world{2, with_tokens("", "control")};
  auto post = [&](const std::string& path) {
    return world.client.post("/api/v1/pools/pool/" + path, bearer("control"));
  };
  auto paused = post("pause");
  CHECK(paused.status == 202);
  CHECK(paused.body == "pool is paused\n");
  CHECK(world.stats().is_paused);
  CHECK(post("resume").body == "pool is resumed\n");
  CHECK(!world.stats().is_paused);
  auto unknown = post("pause?node=a");
  CHECK(unknown.status == 400);
  CHECK(unknown.body.find("the pool has no node 'a'") != std::string::npos);
  CHECK(post("pause?flow=").body
        == "the flow without a name of pool is paused\n");
  CHECK(!world.stats().is_paused);
  CHECK(post("resume?flow=").body
        == "the flow without a name of pool is resumed\n");
  CHECK(post("cancel?flow=").status == 202);
  CHECK(post("cancel").status == 400);
  CHECK(post("cancel?all=true").body
        == "pool: 0 waiting messages were cancelled, handlers of 0 messages "
           "are asked to stop\n");
}

TEST_CASE("a view does not change the signal handling of the process") {
  struct sigaction before {};
  struct sigaction ends {};
  ends.sa_handler = SIG_DFL;
  ::sigaction(SIGPIPE, &ends, &before);
  live_view view;
  struct sigaction now {};
  ::sigaction(SIGPIPE, &before, &now);
  CHECK((now.sa_handler == SIG_DFL));
}
