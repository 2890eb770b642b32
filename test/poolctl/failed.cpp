/// The commands of poolctl for failed messages, with a live view.

#include "run_poolctl.hpp"
#include "support/failed_world.hpp"

namespace poolctl_failed_tests {

using nlohmann::json;

namespace {

struct poolctl_world : test::failed_world {
  test::ended_poolctl run(std::vector<const char*> arguments) const {
    arguments.insert(arguments.begin(),
                     {"--token", "secret", url.c_str(), "failed"});
    return test::run_poolctl(std::move(arguments));
  }

  const std::string url = served.view.url();
};

} // namespace

TEST_CASE("poolctl lists failed messages, and shows one") {
  poolctl_world world;
  world.queue.failed[5].node.clear();
  CHECK(world.run({"list"}).out
        == "  number  time                  client  id       attempts  node   "
           "kind   bytes  error\n"
           "       3  2023-11-14T22:13:23Z  shop    order 3         2  node1  "
           "order     42  node_lost\n"
           "       5  2023-11-14T22:13:25Z  shop    order 5         2  -      "
           "order     42  node_lost\n");
  CHECK(world.run({"show", "3"}).out
        == "  number    3\n"
           "  time      2023-11-14T22:13:23Z\n"
           "  client    shop\n"
           "  id        order 3\n"
           "  kind      order\n"
           "  trace     t7\n"
           "  bytes     42\n"
           "  attempts  2\n"
           "  node      node1\n"
           "  error     node_lost\n"
           "  reason    libpool: node1 was lost\n");
  const auto rest = world.run({"--json", "list", "--from", "4"});
  CHECK(rest.code == 0);
  CHECK(json::parse(rest.out).at(0)["id"] == "order 5");
  CHECK(world.run({"list", "--from", "6"}).out == "no failed messages\n");
}

TEST_CASE("poolctl submits failed messages again and removes them") {
  poolctl_world world;
  CHECK(world.run({"again", "3"}).out
        == "failed message 3 of pool is submitted\n");
  CHECK(world.queue.submitted_again == std::vector<std::uint64_t>{3});
  CHECK(world.run({"drop", "5"}).out
        == "failed message 5 of pool is removed\n");
  CHECK(world.queue.failed.count(5) == 0);
  for (const auto* command : {"show", "again", "drop"}) {
    CAPTURE(command);
    const auto ended = world.run({command, "5"});
    CHECK(ended.code == 1);
    CHECK(test::has(ended.err, "pool has no failed message 5"));
  }
}

TEST_CASE("poolctl refuses a command for failed messages without a command or "
          "a number") {
  const poolctl_world world;
  for (const auto& each : std::vector<std::vector<const char*>>{
         {}, {"show"}, {"again"}, {"drop"}, {"drop", "x"}, {"list", "3"}}) {
    const auto ended = world.run(each);
    CAPTURE(ended.err);
    CHECK(ended.code == 2);
  }
  CHECK(world.queue.failed.size() == 2);
}

} // namespace poolctl_failed_tests
