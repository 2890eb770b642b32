/// Messages on the subjects of a pool that do not come from a program of
/// libpool, or come again.

#include "support/nats_world.hpp"
#include "support/raw_connection.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace nats_stranger_tests {

using libpool::errc;
using test::comes_true;
using test::nats_world;
using test::patience;

namespace {

/// A message as the server passes it on.
struct passed {
  std::string subject;
  std::string bytes;
};

/// A program that speaks the protocol of the NATS server by itself.
class stranger {
public:
  explicit stranger(const test::nats_server& server)
    : connection_(server.port()) {
    connection_.send("CONNECT {\"verbose\":false,\"echo\":false}\r\n");
  }

  void publish(const std::string& subject, const std::string& bytes) {
    connection_.send("PUB " + subject + " " + std::to_string(bytes.size())
                     + "\r\n" + bytes + "\r\n");
  }

  /// Listens to all messages from now on.
  void listen() {
    connection_.send("SUB > 1\r\n");
    heard();
  }

  /// Returns the messages that have come, once the server has handled all that
  /// was published.
  std::vector<passed> heard() {
    connection_.send("PING\r\n");
    std::vector<passed> result;
    for (;;) {
      auto line = read_line();
      if (line == "PONG")
        return result;
      if (line == "PING")
        connection_.send("PONG\r\n");
      if (line.rfind("MSG ", 0) != 0)
        continue;
      auto subject = line.substr(4, line.find(' ', 4) - 4);
      auto size = std::stoul(line.substr(line.rfind(' ') + 1));
      result.push_back({subject, read(size)});
      read(2);
    }
  }

private:
  void receive() {
    std::array<char, 65536> part{};
    auto n = ::recv(connection_.socket(), part.data(), part.size(), 0);
    if (n <= 0)
      throw std::runtime_error{"the server has closed the connection"};
    pending_.append(part.data(), static_cast<std::size_t>(n));
  }

  std::string read(std::size_t size) {
    while (pending_.size() < size)
      receive();
    auto result = pending_.substr(0, size);
    pending_.erase(0, size);
    return result;
  }

  std::string read_line() {
    while (pending_.find("\r\n") == std::string::npos)
      receive();
    auto result = read(pending_.find("\r\n"));
    read(2);
    return result;
  }

  test::raw_connection connection_;
  std::string pending_;
};

/// The subjects of all messages that pass while a request is answered.
std::vector<std::string> subjects_of(nats_world& world) {
  stranger listener{world.server};
  listener.listen();
  world.begin();
  REQUIRE(world.ask(7) == 49);
  std::vector<std::string> result;
  for (const auto& each : listener.heard())
    if (std::find(result.begin(), result.end(), each.subject) == result.end())
      result.push_back(each.subject);
  // The node and the client, in both directions, and the call of the client.
  REQUIRE(result.size() >= 4);
  return result;
}

} // namespace

TEST_CASE_FIXTURE(nats_world, "messages that cannot be read have no effect") {
  auto subjects = subjects_of(*this);
  stranger other{server};
  std::mt19937 generator{42};
  for (auto i = 0; i < 300; ++i) {
    std::string bytes(generator() % 200, '\0');
    for (auto& each : bytes)
      each = static_cast<char>(generator());
    for (const auto& each : subjects)
      other.publish(each, bytes);
    other.publish("libpool.squares.front.stranger.0", bytes);
    other.publish("libpool.squares.submit.stranger.0", bytes);
    other.publish("libpool.squares.front", bytes);
  }
  other.heard();
  for (auto i = 1; i <= 20; ++i)
    REQUIRE(ask(i) == i * i);
  CHECK(libpool::nodes_of(pool).nodes.size() == 1);
  CHECK(libpool::nodes_of(pool).strays > 0);
  CHECK(libpool::agent_stats(agent).strays > 0);
}

TEST_CASE_FIXTURE(nats_world,
                  "messages that come again have no effect, damaged or not") {
  stranger listener{server};
  listener.listen();
  begin();
  for (auto i = 1; i <= 20; ++i)
    REQUIRE(ask(i) == i * i);
  auto all = listener.heard();
  stranger other{server};
  std::mt19937 generator{42};
  auto is_damaged = false;
  SUBCASE("not damaged") {}
  SUBCASE("damaged") {
    is_damaged = true;
  }
  for (auto& each : all) {
    if (is_damaged && !each.bytes.empty())
      each.bytes.resize(generator() % each.bytes.size());
    other.publish(each.subject, each.bytes);
  }
  other.heard();
  for (auto i = 1; i <= 20; ++i)
    REQUIRE(ask(i) == i * i);
  CHECK(comes_true(
    [&] { return libpool::actor_pool::stats(pool).tasks.completed == 40; }));
  CHECK(comes_true(
    [&] { return libpool::actor_pool::stats(remote).tasks.completed == 40; }));
  CHECK(libpool::agent_stats(agent).done == 40);
}

} // namespace nats_stranger_tests
