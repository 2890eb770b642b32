/// The gather of examples/median_of_five.cpp, on a virtual clock. All numbers
/// are derived by hand; times are in ms.

#include "median_of_five.hpp"

#include "poolsim/reading.hpp"
#include "poolsim/simulation.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <string>

namespace poolsim_own_gather_tests {

namespace {

using namespace std::chrono_literals;

using poolsim::message_fate;

poolsim::message_books simulated(const std::string& scenario,
                                 libpool::duration patience = 10ms) {
  auto read = poolsim::read_scenario(scenario);
  read.gather = std::make_shared<median_of_five>(patience);
  return *poolsim::simulate(read).messages;
}

} // namespace

TEST_CASE("the user-defined gather median_of_five waits for all five answers "
          "if they arrive within its time limit") {
  auto all = simulated(R"({"workers": [{"count": 5}], "tasks": [
    {"service": ["1ms", "2ms", "3ms", "4ms", "9ms"]}]})");
  REQUIRE(all.rows.size() == 1);
  CHECK(all.rows[0].tasks.size() == 5);
  CHECK(all.rows[0].is == message_fate::answered);
  CHECK(all.rows[0].finished == 9ms);
}

TEST_CASE(
  "three answers are enough for the median when its patience has ended") {
  auto all = simulated(R"({"workers": [{"count": 5}], "tasks": [
    {"service": ["1ms", "2ms", "3ms", "40ms", "90ms"]}]})");
  CHECK(all.rows[0].finished == 10ms);
}

TEST_CASE(
  "median_of_five answers at the third result if its patience has ended") {
  auto all = simulated(R"({"workers": [{"count": 5}], "tasks": [
    {"service": ["1ms", "2ms", "30ms", "40ms", "90ms"]}]})");
  CHECK(all.rows[0].finished == 30ms);
}

TEST_CASE("the user-defined gather median_of_five fails when three of its five "
          "workers have crashed") {
  auto all = simulated(R"({"workers": [{"count": 2},
    {"count": 3, "crash": ["1ms", "3ms", "2ms"]}],
    "tasks": [{"service": "5ms"}]})");
  CHECK(all.rows[0].is == message_fate::failed);
  CHECK(all.rows[0].why == libpool::errc::too_few_answers);
  CHECK(all.rows[0].finished == 3ms);
}

TEST_CASE("the user-defined gather median_of_five refuses a message if the "
          "pool has only two workers") {
  auto all =
    simulated(R"({"workers": [{"count": 2}], "tasks": [{"service": "5ms"}]})");
  CHECK(all.rows[0].is == message_fate::refused);
  CHECK(all.rows[0].why == libpool::errc::too_few_workers);
}

} // namespace poolsim_own_gather_tests
