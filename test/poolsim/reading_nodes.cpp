/// Nodes in scenarios, good and bad ones.

#include "poolsim/reading.hpp"
#include "poolsim/refusals.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <vector>

namespace poolsim_reading_nodes_tests {

namespace {

using poolsim::duration;
using poolsim::node_loss;
using poolsim::read_scenario;
using test::check_refused;
using test::with;

constexpr duration ms{1'000'000};

/// This is its second group of nodes.
std::string with_node(const std::string& group) {
  return with(R"("nodes": [{}, )" + group + "]");
}

std::string with_loss(const std::string& loss) {
  return with_node(R"({"losses": [)" + loss + "]}");
}

std::string with_task(const std::string& members) {
  return with(R"("nodes": [{}], "tasks": [{"service": 1, )" + members + "}]");
}

} // namespace

TEST_CASE("a group of nodes is read with its number of slots, its network link "
          "and its losses") {
  auto read = read_scenario(with(R"("window": 7,
    "terms": {"lease": "2s", "portion": 3, "credit": 4096},
    "nodes": [{"join": 5}, {"count": 2, "slots": 3, "speed": 2,
      "latency": "4ms", "bandwidth": 1e6, "leave": "9s",
      "losses": [{"is": "killed", "at": "1ms", "for": "2ms"},
                 {"is": "cut", "every": "3ms", "for": "4ms"},
                 {"is": "stands_still", "at": 0}]}])"));
  REQUIRE(read.nodes);
  CHECK(read.nodes->terms.lease == 2000 * ms);
  CHECK(read.nodes->terms.portion == 3);
  CHECK(read.nodes->terms.credit == 4096);
  CHECK(read.nodes->terms.most_in_flight == 7);
  CHECK(read.nodes->group_of == std::vector<std::size_t>{1, 1, 0});
  CHECK(read.workers[0].seats == 3);
  CHECK(read.workers[0].speed == 2);
  CHECK(read.workers[0].leave == 9000 * ms);
  CHECK(read.workers[2].seats == 1);
  const auto& group = read.nodes->groups[1];
  CHECK(group.latency.fixed == 4 * ms);
  CHECK(group.bandwidth == 1e6);
  REQUIRE(group.losses.size() == 3);
  CHECK(group.losses[0].is == node_loss::kind::killed);
  CHECK(group.losses[0].at == 1 * ms);
  CHECK(group.losses[0].lasts == 2 * ms);
  CHECK(group.losses[1].is == node_loss::kind::cut);
  CHECK(!group.losses[1].at);
  CHECK(group.losses[1].every.fixed == 3 * ms);
  CHECK(group.losses[2].is == node_loss::kind::stands);
  CHECK(!group.losses[2].lasts);
}

TEST_CASE("options of nodes that a scenario leaves out have the default values "
          "of the library") {
  auto read = read_scenario(with(R"("nodes": [{}])"));
  CHECK(read.nodes->terms.lease == libpool::node_terms{}.lease);
  CHECK(read.nodes->terms.most_in_flight == 1024);
  CHECK(read.nodes->groups[0].bandwidth
        == std::numeric_limits<double>::infinity());
  CHECK(read.nodes->groups[0].losses.empty());
  CHECK(!read_scenario("{}").nodes);
}

TEST_CASE(
  "the size of a content or of a result is a number or a distribution") {
  auto read = read_scenario(with_task(R"("bytes": 5,
    "result_bytes": {"distribution": "uniform", "low": 2, "high": 4})"));
  CHECK(read.tasks[0].bytes.fixed == 5);
  REQUIRE(read.tasks[0].result_bytes.draws);
  CHECK(read.tasks[0].result_bytes.draws->least_room() == duration{4});
}

TEST_CASE("an invalid group of nodes is rejected") {
  check_refused(with(R"("nodes": [])"), "/nodes: must not be empty");
  check_refused(with_node(R"({"seats": 2})"), "/nodes/1/seats: unknown key");
  check_refused(with_node(R"({"count": 0})"),
                "/nodes/1/count: must be at least 1");
  check_refused(with_node(R"({"slots": 0})"),
                "/nodes/1/slots: must be at least 1");
  check_refused(with_node(R"({"latency": "-1ms"})"),
                "/nodes/1/latency: must be at least 0, got ");
  check_refused(with_node(R"({"latency": {"distribution": "normal"}})"),
                "/nodes/1/latency/distribution: unknown name 'normal'");
  check_refused(with_node(R"({"bandwidth": 0})"),
                "/nodes/1/bandwidth: must be above 0");
  check_refused(with_node(R"({"join": 2, "leave": 1})"),
                "/nodes/1/leave: must not be before join");
  check_refused(with_node(R"({"count": 1000000})"),
                "/nodes: must have at most 1000000 nodes");
}

TEST_CASE("an invalid entry in the list of losses of a node is rejected") {
  check_refused(with_loss(R"({"at": 1})"), "/nodes/1/losses/0/is: ");
  check_refused(with_loss(R"({"is": "lost", "at": 1})"),
                "/nodes/1/losses/0/is: unknown name 'lost', choose from: "
                "killed, stands_still, cut");
  check_refused(with_loss(R"({"is": "cut"})"),
                "/nodes/1/losses/0/at: is missing: one of the members at and "
                "every is required");
  check_refused(
    with_loss(R"({"is": "cut", "at": 1, "every": 1})"),
    "/nodes/1/losses/0/every: must not be given with the member at");
  check_refused(
    with_loss(R"({"is": "cut", "every": 1})"),
    "/nodes/1/losses/0/for: is missing: required with the member every");
  check_refused(with_loss(R"({"is": "cut", "every": 0, "for": 1})"),
                "/nodes/1/losses/0/every: must be above 0");
  check_refused(with_loss(R"({"is": "cut", "at": 1, "for": 0})"),
                "/nodes/1/losses/0/for: must be above 0");
}

TEST_CASE("an invalid value in the member 'terms' of a scenario is rejected") {
  auto with_terms = [](const std::string& terms) {
    return with(R"("nodes": [{}], "terms": {)" + terms + "}");
  };
  check_refused(with(R"("terms": {})"),
                "/terms: must not be given without nodes");
  check_refused(with_terms(R"("lease": "999us")"),
                "/terms/lease: must be at least 1ms");
  check_refused(with_terms(R"("portion": 0)"),
                "/terms/portion: must be at least 1");
  check_refused(with_terms(R"("credit": 1023)"),
                "/terms/credit: must be at least 1024");
  check_refused(with_terms(R"("window": 3)"), "/terms/window: unknown key");
}

TEST_CASE("a size that is not a number of bytes is rejected") {
  check_refused(with_task(R"("bytes": -1)"),
                "/tasks/0/bytes: must be at least 0");
  check_refused(with_task(R"("bytes": "1ms")"),
                "/tasks/0/bytes: must be an integer");
  check_refused(
    with_task(R"("bytes": {"distribution": "exponential", "mean": "1ms"})"),
    "/tasks/0/bytes/mean: must be an integer");
  check_refused(with(R"("tasks": [{"service": 1, "result_bytes": 3}])"),
                "/tasks/0/result_bytes: must not be given without nodes");
}

TEST_CASE(
  "members of a scenario that cannot be combined with nodes are rejected") {
  for (const char* each : {R"("workers": [{}])", R"("gather": "broadcast_all")",
                           R"("leases": true)", R"("deadline": 5)"}) {
    const std::string member{each};
    auto key = member.substr(1, member.find('"', 1) - 1);
    check_refused(with(member + R"(, "nodes": [{}])"),
                  "/" + key + ": must not be given with nodes");
  }
  for (const char* each :
       {R"("home": 0)", R"("only": [0])", R"("loose": true)", R"("move": 1)",
        R"("width": 2)", R"("deadline": 1)"}) {
    const std::string member{each};
    auto key = member.substr(1, member.find('"', 1) - 1);
    check_refused(with_task(member),
                  "/tasks/0/" + key + ": must not be given with nodes");
  }
  check_refused(
    with(R"("nodes": [{}], "clients": [{"service": 1, "think": -1}])"),
    "/clients/0/think: must be at least 0 with nodes, got ");
}

} // namespace poolsim_reading_nodes_tests
