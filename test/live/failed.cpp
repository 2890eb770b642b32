/// Failed messages of durable queues, at the addresses of a live view.

#include "support/failed_world.hpp"

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

using nlohmann::json;
using test::failed_world;

namespace live_failed_tests {

namespace {

const httplib::Headers control{{"Authorization", "Bearer secret"}};

std::vector<int> numbers_in(const httplib::Response& answer) {
  std::vector<int> result;
  const auto all = json::parse(answer.body);
  for (const auto& each : all["failed"])
    result.push_back(each["number"]);
  return result;
}

} // namespace

TEST_CASE("a view lists the failed messages of a durable queue, at most 100, "
          "from any number, and says how many there are") {
  failed_world world;
  auto& client = world.served.client;
  CHECK(client.pool()["failed_messages"] == 2);
  auto answer = client.get("/api/v1/failed");
  CHECK(answer.status == 200);
  CHECK(answer.get_header_value("Content-Type") == "application/json");
  CHECK(numbers_in(answer) == std::vector<int>{3, 5});
  CHECK(json::parse(answer.body)["failed"][0]
        == json{{"number", 3},
                {"time", "2023-11-14T22:13:23Z"},
                {"client", "shop"},
                {"id", "order 3"},
                {"kind", "order"},
                {"trace", "t7"},
                {"bytes", 42},
                {"attempts", 2},
                {"node", "node1"},
                {"error", "node_lost"},
                {"reason", "libpool: node1 was lost"}});
  CHECK(numbers_in(client.get("/api/v1/failed?pool=pool&from=4"))
        == std::vector<int>{5});
  CHECK(numbers_in(client.get("/api/v1/failed?n=3")) == std::vector<int>{3});
  CHECK(client.get("/api/v1/failed?n=4").status == 404);
  CHECK(client.get("/api/v1/failed?n=x").status == 400);
  CHECK(client.get("/api/v1/failed?pool=x").status == 404);
  std::vector<std::uint64_t> many(120);
  std::iota(many.begin(), many.end(), 1);
  failed_world large{many};
  CHECK(numbers_in(large.served.client.get("/api/v1/failed")).size() == 100);
}

TEST_CASE("a viewer with the control token submits and removes failed "
          "messages, and no other viewer does") {
  failed_world world;
  auto& client = world.served.client;
  const std::string submit = "/api/v1/pools/pool/again_failed?n=3";
  const std::string drop = "/api/v1/pools/pool/drop_failed?n=5";
  CHECK(client.post(submit).status == 403);
  CHECK(client.post(drop).status == 403);
  CHECK(world.queue.submitted_again.empty());
  auto answer = client.post(submit, control);
  CHECK(answer.status == 202);
  CHECK(answer.body == "failed message 3 of pool is submitted\n");
  CHECK(world.queue.submitted_again == std::vector<std::uint64_t>{3});
  answer = client.post(drop, control);
  CHECK(answer.status == 202);
  CHECK(answer.body == "failed message 5 of pool is removed\n");
  answer = client.post(drop, control);
  CHECK(answer.status == 404);
  CHECK(answer.body == "pool has no failed message 5\n");
  CHECK(client.post("/api/v1/pools/pool/drop_failed", control).status == 400);
  CHECK(client.get(drop).status == 405);
}

TEST_CASE("a view says that the servers of a durable queue do not answer") {
  failed_world world;
  world.queue.is_silent = true;
  auto& client = world.served.client;
  for (const auto& answer :
       {client.get("/api/v1/failed"),
        client.post("/api/v1/pools/pool/drop_failed?n=3", control)}) {
    CHECK(answer.status == 503);
    CHECK(answer.body == "the NATS servers do not answer\n");
  }
}

TEST_CASE("a pool without a durable queue has no failed messages to show") {
  test::served_world world{1, failed_world::with_control()};
  CHECK(world.client.pool()["failed_messages"].is_null());
  CHECK(world.client.get("/api/v1/failed").status == 409);
  CHECK(world.client.post("/api/v1/pools/pool/drop_failed?n=3", control).status
        == 409);
}

} // namespace live_failed_tests
