/// The HTTP server of a live view, with answers that are made up.

#include "libpool/observability/live/http_server.hpp"
#include "support/patience.hpp"
#include "support/raw_connection.hpp"

#include <doctest/doctest.h>
#include <httplib.h>

#include <array>
#include <fcntl.h>
#include <optional>
#include <poll.h>
#include <stdexcept>
#include <string>

using libpool::live::http_server;
using libpool::live::reply;
using libpool::live::reply_part;
using libpool::live::request;
using test::raw_connection;

namespace {

/// Bytes of a reply that no buffer of the system holds.
constexpr std::size_t large = 16'000'000;

reply answer(const request& asked) {
  reply result;
  if (asked.path == "/large")
    result.set_content(std::string(large, 'x'), "text/plain");
  else if (asked.path == "/fails")
    throw std::runtime_error{"out of paper"};
  else if (asked.path == "/breaks")
    result.next = []() -> reply_part { throw std::runtime_error{"torn"}; };
  else
    result.set_content(asked.method + ' ' + asked.path, "text/plain");
  return result;
}

/// A server, and requests to it.
struct answering {
  explicit answering(std::size_t most_connections = 10)
    : server("127.0.0.1", 0, most_connections, answer) {
    client.set_read_timeout(test::patience);
  }

  /// Sends the bytes, and returns what comes until the server closes the
  /// connection.
  std::string told(const std::string& bytes, bool is_last = false) const {
    const raw_connection connection{server.port()};
    connection.send(bytes);
    if (is_last)
      ::shutdown(connection.socket(), SHUT_WR);
    return connection.rest();
  }

  http_server server;
  httplib::Client client{"127.0.0.1", server.port()};
};

const std::string get = "GET /x HTTP/1.1\r\n\r\n";

bool begins(const std::string& text, const std::string& with) {
  return text.rfind(with, 0) == 0;
}

} // namespace

TEST_CASE("a server that fails to make an answer says so, and continues") {
  answering world;
  auto failed = world.client.Get("/fails");
  REQUIRE(failed);
  CHECK(failed->status == 500);
  CHECK(failed->body == "out of paper\n");
  CHECK(failed->get_header_value("Cache-Control") == "no-store");
  auto broken = world.client.Get("/breaks");
  REQUIRE(broken);
  CHECK(broken->body.empty());
  CHECK(world.client.Get("/x")->body == "GET /x");
}

TEST_CASE("a request beyond the limits of a server is refused") {
  const answering world;
  auto cookies = [](std::size_t size) {
    return "GET /x HTTP/1.1\r\nCookie: " + std::string(size, 'c') + "\r\n\r\n";
  };
  CHECK(begins(world.told(cookies(15'000)), "HTTP/1.1 200 "));
  CHECK(begins(world.told(cookies(100'000)), "HTTP/1.1 431 "));
  auto content = [](std::size_t size) {
    return "POST /x HTTP/1.1\r\nContent-Length: " + std::to_string(size)
           + "\r\n\r\n" + std::string(size, 'c');
  };
  CHECK(begins(world.told(content(4096)), "HTTP/1.1 200 "));
  CHECK(begins(world.told(content(4097)), "HTTP/1.1 413 "));
  CHECK(begins(world.told(content(1'000'000)), "HTTP/1.1 413 "));
  CHECK(begins(world.told("nonsense\r\n\r\n"), "HTTP/1.1 400 "));
  for (const auto& odd :
       {std::string{"\r\n\r\n"}, std::string{"GET\r\n\r\n"},
        std::string(9, '\0') + "\r\n\r\n",
        std::string{"POST / HTTP/1.1\r\nTransfer-Encoding: "
                    "chunked\r\n\r\nzz\r\n"},
        "GET /" + std::string(100'000, 'a') + " HTTP/1.1\r\n\r\n"}) {
    const raw_connection connection{world.server.port()};
    connection.send(odd);
    CHECK(connection.is_closed_by_other());
  }
  CHECK(begins(world.told(get), "HTTP/1.1 200 "));
}

TEST_CASE("a connection is used for one request, whatever follows it") {
  const answering world;
  const std::string end = "\r\n\r\nGET /x";
  auto ends = [&](const std::string& text) {
    return begins(text, "HTTP/1.1 200 ")
           && text.find(end) == text.size() - end.size();
  };
  CHECK(ends(world.told(get + get + get)));
  CHECK(ends(world.told(get + std::string(1'000'000, 'x'))));
  CHECK(ends(world.told(get, true)));
  CHECK(ends(world.told("GET /x HTTP/1.0\r\n\r\n")));
}

TEST_CASE("a client receives all of a reply, whatever it sends meanwhile") {
  const answering world;
  const std::string asked = "GET /large HTTP/1.1\r\n\r\n";
  auto told = world.told(asked + std::string(100'000, 'x'));
  CHECK(told.size() - told.find("\r\n\r\n") == large + 4);
}

TEST_CASE("the answer to HEAD has the headers of the answer to GET, and no "
          "content") {
  answering world;
  auto head = world.told("HEAD /large HTTP/1.1\r\n\r\n");
  CHECK(begins(head, "HTTP/1.1 200 "));
  CHECK(head.find("Content-Length: " + std::to_string(large))
        != std::string::npos);
  CHECK(head.rfind("\r\n\r\n") == head.size() - 4);
  CHECK(world.client.Get("/large")->body == std::string(large, 'x'));
}

TEST_CASE("with the maximum of connections open, the next client is answered "
          "when one of them ends") {
  answering world{2};
  std::optional<raw_connection> first;
  first.emplace(world.server.port());
  const raw_connection second{world.server.port()};
  const raw_connection third{world.server.port()};
  third.send(get);
  pollfd asked{third.socket(), POLLIN, 0};
  CHECK(::poll(&asked, 1, 100) == 0);
  first->send(get);
  CHECK(begins(first->rest(), "HTTP/1.1 200 "));
  first.reset();
  CHECK(begins(third.rest(), "HTTP/1.1 200 "));
}

TEST_CASE("programs that the process starts inherit no socket of a server") {
  const answering world;
  const raw_connection client{world.server.port()};
  client.send("GET /large HTTP/1.1\r\n\r\n");
  std::array<char, 1> byte{};
  REQUIRE(::recv(client.socket(), byte.data(), 1, 0) == 1);
  auto found = 0;
  for (auto each = 0; each < 1024; ++each) {
    sockaddr_in at{};
    socklen_t size = sizeof(at);
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
    if (::getsockname(each, reinterpret_cast<sockaddr*>(&at), &size) == 0
        && ntohs(at.sin_port) == world.server.port()) {
      ++found;
      CHECK((::fcntl(each, F_GETFD) & FD_CLOEXEC) != 0);
    }
  }
  CHECK(found == 2);
}
