/// Answers of streams to messages that are published to them.

#include "libpool/remote/stream_line.hpp"

#include <doctest/doctest.h>

#include <string>

namespace nats_stream_answer_tests {

namespace {

libpool::stream_answer read(const std::string& json) {
  REQUIRE(nats_Open(-1) == NATS_OK); // a test before may not have called it
  natsMsg* made = nullptr;
  REQUIRE(natsMsg_Create(&made, "answer", nullptr, json.data(),
                         static_cast<int>(json.size()))
          == NATS_OK);
  const libpool::message_owner owner{made};
  return libpool::stream_answer_in(made);
}

} // namespace

TEST_CASE("an answer states whether the message is stored, and whether a "
          "message with the same id was stored before") {
  auto first = read(R"({"stream":"work", "seq":7})");
  CHECK(first.is_stored);
  CHECK(!first.is_repeated);
  auto second = read(R"({"stream":"work", "seq":7,"duplicate": true})");
  CHECK(second.is_stored);
  CHECK(second.is_repeated);
  auto refused =
    read(R"({"error":{"code":400,"description":"too large"},"stream":"work"})");
  CHECK(!refused.is_stored);
  CHECK(refused.why == "the NATS server refuses: too large");
}

} // namespace nats_stream_answer_tests
