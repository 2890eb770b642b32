/// Rules for batches, and the messages that they make.

#include "support/crew_world.hpp"
#include "support/port/actors.hpp"

#include <caf/typed_actor.hpp>

#include <chrono>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace batch_options_tests {

using namespace std::chrono_literals;

using libpool::actor_pool;
using libpool::batch_of;
using libpool::managed_options;
using test::crew_world;
using test::numbers;

namespace {

using contents = std::vector<const libpool::message_content*>;

managed_options with(const libpool::batching& rule) {
  managed_options result;
  result.batch = rule;
  return result;
}

std::size_t twice(const int& x) {
  return static_cast<std::size_t>(2 * x);
}

} // namespace

// -- types of messages --------------------------------------------------------

TEST_CASE("a batch has the contents of messages of its type, in order") {
  const auto rule = batch_of<int, int>({}, twice);
  const auto one = caf::make_message(1);
  const auto two = caf::make_message(2);
  CHECK(rule.type->takes(libpool::elements_of(one)));
  CHECK_FALSE(rule.type->takes(
    libpool::elements_of(caf::make_message(std::string{"one"}))));
  CHECK_FALSE(rule.type->takes(libpool::elements_of(caf::make_message(1, 2))));
  CHECK(rule.type->size_of(libpool::elements_of(two)) == 4);
  CHECK(batch_of<int>().type->size_of(libpool::elements_of(two)) == 0);
  auto batch = rule.type->compose(
    contents{&libpool::elements_of(two), &libpool::elements_of(one)});
  REQUIRE(batch.match_elements<numbers>());
  CHECK(batch.get_as<numbers>(0) == numbers{2, 1});
  CHECK(two.get_as<int>(0) == 2);
}

TEST_CASE("the answer to a batch has one result for each message") {
  const auto rule = batch_of<int, int>();
  auto answer = caf::make_message(numbers{4, 2});
  auto results = rule.type->divide(answer, 2);
  REQUIRE(results.size() == 2);
  CHECK(results[0].get_as<int>(0) == 4);
  CHECK(results[1].get_as<int>(0) == 2);
  CHECK_THROWS_WITH_AS(rule.type->divide(answer, 3),
                       "the worker has answered a batch of 3 messages with 2 "
                       "results",
                       libpool::user_function_failed);
  auto other = caf::make_message(std::string{"4"});
  CHECK_THROWS_AS(rule.type->divide(other, 1), libpool::user_function_failed);
}

TEST_CASE("the answer to a batch whose messages are not answered is empty") {
  const auto rule = batch_of<int>();
  caf::message nothing;
  auto results = rule.type->divide(nothing, 3);
  REQUIRE(results.size() == 3);
  CHECK(results[2].empty());
  auto other = caf::make_message(std::string{"4"});
  CHECK_THROWS_AS(rule.type->divide(other, 1), libpool::user_function_failed);
}

// -- rules --------------------------------------------------------------------

TEST_CASE("a rule for batches out of bounds is refused, and the error names "
          "the member and the bound") {
  auto complaint = [](const libpool::batching& rule) {
    return test::complaint([&] { actor_pool::shared_queue(with(rule)); });
  };
  const std::string name = "libpool: managed_options: batch: ";
  CHECK(complaint(batch_of<int>({0}))
        == name + "most must be at least 1, got 0");
  CHECK(complaint(batch_of<int>({1, -1ns}))
        == name + "wait must be at least 0, got -1 ns");
  CHECK(complaint(batch_of<int>({1, 0ns, 0}, twice))
        == name + "bytes must be at least 1, got 0");
  CHECK(complaint(batch_of<int>({1, 0ns, 5}))
        == name
             + "bytes must be unlimited if batch_of has no size function, got "
               "5");
  CHECK(complaint({}) == name + "type must be that of batch_of, got none");
  CHECK_NOTHROW(
    actor_pool::shared_queue(with(batch_of<int>({1, 0ns, 1}, twice))));
}

TEST_CASE("a pool has batches, or shares the runs of messages") {
  auto options = with(batch_of<int>());
  options.same_as.key_of = [](const libpool::message_content&) {
    return "key";
  };
  CHECK_THROWS_WITH_AS(
    actor_pool::shared_queue(options),
    "libpool: managed_options: batch must be unset if same_as is set",
    std::invalid_argument);
}

TEST_CASE("policies with several tasks for each message, and distributed "
          "pools, refuse batches") {
  const auto queue = actor_pool::shared_queue(with(batch_of<int>()));
  CHECK_THROWS_WITH_AS(actor_pool::first_success(2, queue),
                       "libpool: first_success: batch: must be unset, since "
                       "each message makes several tasks; set it in the pools "
                       "that are the workers",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(actor_pool::distributed({}, queue),
                       "libpool: distributed: batch: must be unset; set it in "
                       "the pools of the nodes",
                       std::invalid_argument);
}

} // namespace batch_options_tests
