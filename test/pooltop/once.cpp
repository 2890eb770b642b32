/// pooltop as scripts run it.

#include "pooltop/fake_server.hpp"
#include "pooltop/layout.hpp"
#include "pooltop/samples.hpp"
#include "support/process.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using test::ended_process;
using test::fake_server;

namespace {

using words = std::vector<std::string>;

/// Runs pooltop in an environment that has these variables.
ended_process run_in(const words& variables, const words& arguments) {
  words all{"env", "-u", "COLUMNS", "-u", "LIBPOOL_TOKEN", "LC_ALL=C.UTF-8"};
  all.insert(all.end(), variables.begin(), variables.end());
  all.emplace_back(POOLTOP);
  all.insert(all.end(), arguments.begin(), arguments.end());
  return test::run_program(all);
}

ended_process run(const words& arguments) {
  return run_in({}, arguments);
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// The program has failed, and says why in one line.
void check_complaint(const ended_process& ended, const std::string& why) {
  CAPTURE(ended.err);
  CHECK(ended.status == 1);
  CHECK(ended.out.empty());
  CHECK(ended.err.rfind("pooltop: ", 0) == 0);
  CHECK(has(ended.err, why));
  CHECK(std::count(ended.err.begin(), ended.err.end(), '\n') == 1);
}

std::string report_at(const fake_server& server, std::size_t width) {
  auto what = test::view_of_busy_pools(1);
  what.address = server.url();
  return test::text_of(report_of(what, width));
}

} // namespace

TEST_CASE("one report is printed if the output is not a terminal, or with "
          "option --once") {
  const fake_server server;
  for (const auto& arguments :
       {words{server.url()}, words{"--once", server.url()},
        words{server.url().substr(7)}}) {
    const auto ended = run(arguments);
    CHECK(ended.status == 0);
    CHECK(ended.err.empty());
    CHECK(ended.out == report_at(server, 80));
  }
}

TEST_CASE("variable COLUMNS sets the width of a report") {
  const fake_server server;
  CHECK(run_in({"COLUMNS=120"}, {server.url()}).out == report_at(server, 120));
  for (const char* nonsense : {"COLUMNS=", "COLUMNS=x", "COLUMNS=1"})
    CHECK(run_in({nonsense}, {server.url()}).out == report_at(server, 80));
}

TEST_CASE("a report is ASCII if requested, or if the locale has only ASCII") {
  const fake_server server;
  const auto asked = run({"--ascii", server.url()}).out;
  CHECK(has(asked, "[read 3/4] -> [parse 8/8 45/s full slowest]"));
  CHECK(std::none_of(asked.begin(), asked.end(),
                     [](char each) { return each < 0; }));
  CHECK(run_in({"LC_ALL=C"}, {server.url()}).out == asked);
}

TEST_CASE("option --pool selects a pool, and the error about an unknown pool "
          "quotes the name") {
  const fake_server server;
  CHECK(has(run({"--pool", "mail", server.url()}).out, "[mail]"));
  check_complaint(run({"--pool", "no\x1bpe", server.url()}),
                  "shows no pool 'no\\x1bpe'.");
}

TEST_CASE(
  "a request has the name of the host that the user gave, and the token "
  "of the option or else of the environment") {
  const fake_server server;
  run({server.url()});
  CHECK(server.header("Host") == server.url().substr(7));
  CHECK(server.header("Authorization").empty());
  run_in({"LIBPOOL_TOKEN=secret"}, {server.url()});
  CHECK(server.header("Authorization") == "Bearer secret");
  run_in({"LIBPOOL_TOKEN=secret"}, {"--token", "other", server.url()});
  CHECK(server.header("Authorization") == "Bearer other");
}

TEST_CASE("a token with line breaks is refused") {
  const auto ended = run({"--token", "a\r\nX: b", "http://127.0.0.1:1"});
  CHECK(ended.status == 2);
  CHECK(has(ended.err, "printable ASCII"));
  const auto other = run_in({"LIBPOOL_TOKEN=a\nb"},
                            {"--once", "http://127.0.0.1:1"});
  CHECK(other.status == 2);
}

TEST_CASE("a server that cannot be reached is reported in a sentence") {
  check_complaint(run({"--once", "http://127.0.0.1:1"}),
                  "Cannot connect to http://127.0.0.1:1.");
  check_complaint(run({"--once", "http://no.such.host.invalid:1"}),
                  "http://no.such.host.invalid:1");
}

TEST_CASE("a server that refuses a request, or is no live view, is reported") {
  fake_server server;
  struct row {
    int status;
    std::string answer;
    std::string complaint;
  };
  const std::vector<row> rows{
    {401, "a token is required", "LIBPOOL_TOKEN"},
    {403, "requests from pages of other sites are not allowed\nreally",
     "refused the request (403): requests from pages of other sites are not "
     "allowed.\n"},
    {503, "the maximum of 4 viewers is reached",
     "(503): the maximum of 4 viewers is reached.\n"},
    {500, "\x1b[31mred", "status 500: \\x1b[31mred.\n"},
    {502, "<html>", "status 502.\n"},
    {200, "<html>hello</html>",
     "Cannot read the answer of " + server.url() + ": the answer is not JSON"},
    {200, R"({"status": "ok"})", "the answer has no list of pools"}};
  for (const auto& row : rows) {
    server.answer(row.answer, row.status);
    check_complaint(run({server.url()}), row.complaint);
  }
  check_complaint(run({server.url() + "/other"}), "has no /api/v1/pools (404)");
}

TEST_CASE("a server that does not answer is given up after a timeout") {
  fake_server server;
  server.fall_silent();
  check_complaint(run({"--once", server.url()}),
                  "did not answer in time, or closed the connection.");
  server.drip();
  check_complaint(run({"--once", server.url()}), "took too long to answer.");
}

TEST_CASE("wrong usage prints the usage and ends with status 2") {
  for (const auto& arguments :
       {words{}, words{"ftp://x"}, words{"x", "y"}, words{"--nonsense", "x"},
        words{"--interval", "0", "x"}, words{"--interval", "soon", "x"}}) {
    const auto ended = run(arguments);
    CAPTURE(ended.err);
    CHECK(ended.status == 2);
    CHECK(ended.out.empty());
    CHECK(has(ended.err, "Usage: pooltop"));
  }
}

TEST_CASE("a report that cannot be written is an error") {
  const fake_server server;
  const auto ended = test::run_program(
    {"sh", "-c", "exec \"$0\" \"$1\" >/dev/full", POOLTOP, server.url()});
  CHECK(ended.status == 1);
  CHECK(has(ended.err, "cannot write"));
}

TEST_CASE("options --version and --help print what they are named after") {
  CHECK(run({"--version"}).out == "pooltop " POOLTOP_VERSION "\n");
  const auto ended = run({"--help"});
  CHECK(ended.status == 0);
  CHECK(has(ended.out, "LIBPOOL_TOKEN"));
  CHECK(has(ended.out, "NO_COLOR"));
}
