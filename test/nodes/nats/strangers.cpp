/// Messages on the subjects of a pool that do not come from a program of
/// libpool, or come again.

#include "nats_world.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>
#include <nats/nats.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

namespace nats_stranger_tests {

using test::comes_true;
using test::nats_world;

namespace {

/// A message as the server passes it on.
struct passed {
  std::string subject;
  std::string bytes;
};

/// A program without libpool that publishes, and listens to all messages.
class stranger {
public:
  explicit stranger(const test::nats_server& server) {
    require(natsConnection_ConnectTo(&connection_, server.url().c_str()));
    require(natsConnection_SubscribeSync(&all_, connection_, ">"));
    require(natsConnection_Flush(connection_));
  }

  stranger(const stranger&) = delete;
  stranger& operator=(const stranger&) = delete;

  ~stranger() {
    natsSubscription_Destroy(all_);
    natsConnection_Destroy(connection_);
  }

  void publish(const std::string& subject, const std::string& bytes) {
    require(natsConnection_Publish(connection_, subject.c_str(), bytes.data(),
                                   static_cast<int>(bytes.size())));
  }

  /// Returns the messages that have come, once the server has handled all that
  /// was published.
  std::vector<passed> heard() {
    require(natsConnection_Flush(connection_));
    std::vector<passed> result;
    natsMsg* next = nullptr;
    while (natsSubscription_NextMsg(&next, all_, 1) == NATS_OK) {
      result.push_back(
        {natsMsg_GetSubject(next),
         {natsMsg_GetData(next),
          static_cast<std::size_t>(natsMsg_GetDataLength(next))}});
      natsMsg_Destroy(next);
    }
    return result;
  }

private:
  static void require(natsStatus status) {
    REQUIRE(status == NATS_OK);
  }

  natsConnection* connection_ = nullptr;
  natsSubscription* all_ = nullptr;
};

/// The subjects of all messages that pass while a request is answered.
std::vector<std::string> subjects_of(nats_world& world) {
  stranger listener{world.server};
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
  CHECK(comes_true([&] { return tasks_of(pool).completed == 40; }));
  CHECK(comes_true([&] { return tasks_of(remote).completed == 40; }));
  CHECK(libpool::agent_stats(agent).done == 40);
}

} // namespace nats_stranger_tests
