/// What poolctl prints of answers that a test makes.

#include "poolctl/report.hpp"

#include "run_poolctl.hpp"
#include "support/process.hpp"

#include <doctest/doctest.h>
#include <httplib.h>

#include <cstdlib>
#include <filesystem>
#include <thread>

namespace poolctl_report_tests {

using poolctl::json;
using test::has;

namespace {

/// A server that gives one answer to all requests.
class one_answer {
public:
  explicit one_answer(const std::string& body, int status = 200) {
    const auto answer = [=](const auto&, auto& reply) {
      reply.status = status;
      reply.set_content(body, "text/plain");
    };
    server_.Get(".*", answer);
    server_.Post(".*", answer);
    port_ = server_.bind_to_any_port("127.0.0.1");
    thread_ = std::thread{[this] { server_.listen_after_bind(); }};
  }

  one_answer(const one_answer&) = delete;
  one_answer& operator=(const one_answer&) = delete;

  ~one_answer() {
    server_.stop();
    thread_.join();
  }

  test::ended_poolctl stats() const {
    return run({"stats"});
  }

  test::ended_poolctl run(std::vector<const char*> arguments) const {
    const auto address = "127.0.0.1:" + std::to_string(port_);
    arguments.insert(arguments.begin(), address.c_str());
    return test::run_poolctl(std::move(arguments));
  }

private:
  httplib::Server server_;
  int port_ = 0;
  std::thread thread_;
};

} // namespace

TEST_CASE("a report has units, problems, and no zeros") {
  const auto pool = json::parse(R"({
    "name": "images", "policy": "", "workers": 4, "held": 0, "is_paused": true,
    "oldest_waiting_s": 1.25, "capacity": null, "left": {"crashed": 2},
    "problems": [{"text": "tasks are lost", "loses_tasks": true},
                {"text": "flow batch floods the pool: 1\u202f000 tasks", "loses_tasks": false}],
    "window": {"seconds": 10, "arrived_per_s": 48000.4, "failed_per_s": 0.25,
               "wait_ms": {"p50": 0.25, "p95": 3400}},
    "members": [{"number": 0, "name": "hasher", "busy_share": 0.981, "failed": 0},
                {"number": 12, "name": "writer", "busy_share": null}],
    "flows": [{"name": "", "waiting": 7, "seat_s": 8000}], "nodes": [],
    "unreachable": ["node9"]})");
  CHECK(poolctl::report_of_pool(pool) == R"(pool images ((no name))
  !! tasks are lost
  !  flow batch floods the pool: 1 000 tasks
  unreachable nodes: node9
  workers 4, paused, oldest waiting 1.25 s, left crashed 2

  last ten seconds
  seconds 10, arrived 48000/s, failed 0.2/s, wait p50 250 µs, wait p95 3.4 s

  workers
  number  name    busy share
       0  hasher        98 %
      12  writer           -

  flows
  name       waiting  seat
  (no name)        7   2 h

)");
}

TEST_CASE("texts that could change a terminal are in quotes, with escapes") {
  CHECK(poolctl::printable("bl\u00f6d 7") == "bl\u00f6d 7");
  for (const std::string text : {"x\x1b[31m", "x\n", "x\u009b", "x\u202e"}) {
    const auto printed = poolctl::printable(text);
    CHECK(printed.front() == '"');
    CHECK(printed.find('\\') != std::string::npos);
    CHECK(!has(printed, text.substr(1)));
  }
}

TEST_CASE("a pipeline is shown with its stages") {
  const auto text = poolctl::report_of_server(json::parse(R"({"pools": [],
    "pipelines": [{"name": "files", "problems": [{"text": "stage parse is full"}],
      "stages": [{"name": "read", "held": 3, "credit": 4, "is_slowest": false},
                 {"name": "parse", "held": 8, "credit": 8, "is_slowest": true}]}]})"));
  CHECK(text == R"(pipeline files
  !  stage parse is full
  name   held  credit  slowest
  read      3       4       no
  parse     8       8      yes

)");
}

TEST_CASE("an answer that is none of a live view is an error") {
  for (const std::string body :
       {"", "no JSON", "[]", R"({"pools": 1})", R"({"pools": [1]})",
        R"({"pools": [{}]})", R"({"pools": [{"name": 1}]})",
        R"({"pools": [{"name": "a", "problems": ["x"]}]})"}) {
    const auto ended = one_answer{body}.stats();
    CHECK(ended.code == 1);
    CHECK(has(ended.err, "live view of libpool"));
  }
  const auto page = one_answer{"<html>", 404}.stats();
  CHECK(has(page.err, "refused the request (404); check that it is a live"));
  const auto reason = one_answer{"too many viewers\x1b\nno more", 503}.stats();
  CHECK(has(reason.err, "(503): \"too many viewers\\"));
  CHECK(!has(reason.err, "\x1b"));
}

TEST_CASE("a change or a recording that the server did not make is an error") {
  const one_answer state{R"({"pools": [{"name": "a"}]})"};
  const auto paused = state.run({"pause"});
  CHECK(paused.code == 1);
  CHECK(has(paused.err, "refused the request (200)"));
  const auto recorded = state.run({"record", "--svg"});
  CHECK(recorded.code == 1);
  CHECK(has(recorded.err, "did not send a recording; check that it is a live"));
  CHECK(recorded.out.empty());
}

TEST_CASE("a pool of which little is known is shown") {
  const auto ended = one_answer{R"({"pools": [{"name": "mail"}]})"}.stats();
  CHECK(ended.code == 0);
  CHECK(ended.out == "pool mail (-)\n\n");
}

#ifdef CPPHTTPLIB_OPENSSL_SUPPORT
TEST_CASE("a server with TLS is asked only if its certificate is trusted and "
          "has its name") {
  const std::string folder = "poolctl_certificates";
  std::filesystem::remove_all(folder);
  REQUIRE(
    test::run_program({"sh", LIBPOOL_CERTIFICATES, folder, "localhost"}).status
    == 0);
  httplib::SSLServer server{(folder + "/localhost.pem").c_str(),
                            (folder + "/localhost.key").c_str()};
  server.Get(".*", [](const auto&, auto& reply) {
    reply.set_content(R"({"pools": [{"name": "mail"}]})", "text/plain");
  });
  const auto port = std::to_string(server.bind_to_any_port("127.0.0.1"));
  std::thread serving{[&] { server.listen_after_bind(); }};
  const auto stats_of = [&](const std::string& host) {
    return test::run_poolctl(
      {("https://" + host + ':' + port).c_str(), "stats"});
  };
  CHECK(has(stats_of("localhost").err, "certificate verify failed"));
  ::setenv("SSL_CERT_FILE", (folder + "/ca.pem").c_str(), 1);
  CHECK(stats_of("localhost").out == "pool mail (-)\n\n");
  CHECK(has(stats_of("127.0.0.1").err, "certificate verify failed"));
  ::unsetenv("SSL_CERT_FILE");
  server.stop();
  serving.join();
  std::filesystem::remove_all(folder);
}
#endif

} // namespace poolctl_report_tests
