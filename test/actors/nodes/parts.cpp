/// The parts of a node's agent that are no actors.

#include "libpool/actors/caf/packing.hpp"
#include "libpool/actors/error.hpp"
#include "libpool/actors/nodes/boot_clock.hpp"
#include "libpool/actors/nodes/task_result.hpp"
#include "libpool/nodes/backoff.hpp"
#include "support/hand_cranked.hpp"
#include "support/port/message_types.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <variant>

namespace node_parts_tests {

struct unwritable {
  int text = 0;
};

} // namespace node_parts_tests

LIBPOOL_TEST_MESSAGE_TYPE(2, node_parts_tests::unwritable)

namespace node_parts_tests {

using libpool::backoff;
using libpool::errc;
using test::hand_cranked;
using namespace std::chrono_literals;

TEST_CASE("pauses double from 100 ms to 5 s, and each pause is shortened at "
          "random by up to a half") {
  backoff pauses{1};
  for (auto most : {100ms, 200ms, 400ms, 800ms, 1'600ms, 3'200ms, 5'000ms,
                    5'000ms, 5'000ms}) {
    auto pause = pauses.failed();
    CHECK(pause <= most);
    CHECK(pause > most / 2);
  }
  pauses.succeeded();
  CHECK(pauses.failed() <= 100ms);
}

TEST_CASE("two agents that fail together pause differently unless their seeds "
          "are equal") {
  backoff one{1};
  backoff other{2};
  backoff again{1};
  auto pause = one.failed();
  CHECK(pause != other.failed());
  CHECK(pause == again.failed());
}

TEST_CASE("the boot-time clock does not go backwards") {
  auto before = libpool::boot_time();
  CHECK(before > libpool::instant{});
  CHECK(libpool::boot_time() >= before);
}

TEST_CASE_FIXTURE(hand_cranked, "an answer can be read from its bytes") {
  auto bytes = libpool::bytes_of_answer(system(), caf::make_message(42));
  CHECK(bytes.at(0) == 0);
  auto read = libpool::read_result(system(), bytes);
  REQUIRE(std::holds_alternative<caf::message>(read));
  CHECK(std::get<caf::message>(read).get_as<int>(0) == 42);
}

TEST_CASE_FIXTURE(hand_cranked, "an empty answer can be read from its bytes") {
  auto bytes = libpool::bytes_of_answer(system(), caf::message{});
  auto read = libpool::read_result(system(), bytes);
  REQUIRE(std::holds_alternative<caf::message>(read));
  CHECK(std::get<caf::message>(read).empty());
}

TEST_CASE_FIXTURE(hand_cranked, "an error can be read from its bytes") {
  auto bytes = libpool::bytes_of_error(
    system(), caf::make_error(caf::sec::bad_function_call));
  CHECK(bytes.at(0) == 1);
  auto read = libpool::read_result(system(), bytes);
  REQUIRE(std::holds_alternative<caf::error>(read));
  CHECK(std::get<caf::error>(read) == caf::sec::bad_function_call);
}

TEST_CASE_FIXTURE(hand_cranked, "bytes that are not a result are unreadable") {
  auto answer = libpool::bytes_of_answer(system(), caf::make_message(42));
  auto not_an_error = answer;
  not_an_error[0] = 1;
  auto of_no_kind = answer;
  of_no_kind[0] = 2;
  for (const auto& bytes :
       {std::string{}, not_an_error, of_no_kind, answer.substr(0, 2)}) {
    auto read = libpool::read_result(system(), bytes);
    REQUIRE(std::holds_alternative<caf::error>(read));
    CHECK(std::get<caf::error>(read) == errc::unreadable);
  }
}

TEST_CASE_FIXTURE(hand_cranked,
                  "an answer that cannot be serialised is read as an error") {
  for (const auto& bytes :
       {libpool::bytes_of_answer(system(), caf::make_message(unwritable{})),
        libpool::bytes_of_error(
          system(), caf::make_error(caf::sec::runtime_error, unwritable{}))}) {
    auto read = libpool::read_result(system(), bytes);
    REQUIRE(std::holds_alternative<caf::error>(read));
    CHECK(std::get<caf::error>(read) == errc::not_serializable);
  }
}

} // namespace node_parts_tests
