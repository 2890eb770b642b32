/// Who may look at a live view, and who may change pools there.

#include "served.hpp"

#include <fstream>
#include <sstream>

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

std::string refusal_of(const live_options& options) {
  try {
    live_view view{options};
  } catch (const std::invalid_argument& why) {
    return why.what();
  }
  return "none";
}

} // namespace

TEST_CASE("a request is refused unless its Host header consists of a loopback "
          "name and the port of the server") {
  served_world world{1};
  auto port = ':' + std::to_string(world.view.port());
  auto status = [&](const std::string& host) {
    CAPTURE(host);
    return world.client.get("/api/v1/pools", {{"Host", host}}).status;
  };
  CHECK(status("127.0.0.1" + port) == 200);
  CHECK(status("localhost" + port) == 200);
  CHECK(status("[::1]" + port) == 200);
  CHECK(status("evil.example" + port) == 403);
  CHECK(status("localhost.evil.example" + port) == 403);
  CHECK(status("127.0.0.1") == 403);
  CHECK(status("127.0.0.1:1") == 403);
  CHECK(status("") == 403);
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
  auto status = [&](const std::string& header) {
    return world.client.get("/", {{"Authorization", header}}).status;
  };
  CHECK(status("Bearer secret") == 200);
  CHECK(status("bearer secret") == 200);
  CHECK(status("Bearer secreT") == 401);
  CHECK(status("Bearer secret2") == 401);
  CHECK(status("Bearer ") == 401);
  CHECK(status("Basic bWU6c2VjcmV0") == 200); // me:secret
  CHECK(status("Basic OnNlY3JldA==") == 200); // :secret
  CHECK(status("Basic c2VjcmV0") == 401);     // secret
  CHECK(status("Basic bWU6") == 401);         // me:
  CHECK(status("Basic ====") == 401);
}

TEST_CASE(
  "a live view without a token can be served only at a loopback address") {
  live_options options;
  for (const auto* address : {"0.0.0.0", "192.0.2.1", "::", "localhost", ""}) {
    options.address = address;
    CHECK(refusal_of(options)
          == "libpool: live_view: address '" + std::string{address}
               + "' is not a numeric loopback address, so any program that can "
                 "reach it could see the pools: set a token");
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

TEST_CASE("the error about an option out of bounds names the option") {
  live_options options;
  options.most_viewers = 0;
  CHECK(
    refusal_of(options)
    == "libpool: live_view: most_viewers must be between 1 and 10000, got 0");
  options = {};
  options.recorded = std::chrono::minutes{11};
  CHECK(refusal_of(options)
        == "libpool: live_view: recorded must be above 0 and at most 10 min, "
           "got 660000000000 ns");
}

TEST_CASE("the error about a port in use names the port") {
  live_view view;
  live_options options;
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

TEST_CASE("a client with the control token can resize a pool") {
  served_world world{2, with_tokens("", "control")};
  auto answer = world.client.post("/api/v1/pools/pool/resize?n=5",
                                  bearer("control"));
  CHECK(answer.status == 202);
  CHECK(answer.body == "pool gets 5 workers\n");
  CHECK(comes_true([&] { return world.stats().workers == 5; }));
  for (const auto* number : {"0", "-1", "x", "", "65537", "1.5"}) {
    CAPTURE(number);
    auto path = std::string{"/api/v1/pools/pool/resize?n="} + number;
    CHECK(world.client.post(path, bearer("control")).status == 400);
  }
  CHECK(world.client.post("/api/v1/pools/none/drain", bearer("control")).status
        == 404);
}

TEST_CASE(
  "a client with the control token can drain a pool, whatever its name") {
  served_world world{2, with_tokens("", "control")};
  test::live_world other{1};
  world.view.add(other.pool, "a/b c");
  CHECK(
    world.client.post("/api/v1/pools/a%2Fb%20c/drain", bearer("control")).status
    == 202);
  CHECK(comes_true([&] { return other.stats().workers == 0; }));
  CHECK(world.stats().workers == 2);
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
