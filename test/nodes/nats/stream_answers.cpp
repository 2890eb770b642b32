/// Answers of streams to messages that are published to them.

#include "libpool/nodes/nats/stream_line.hpp"

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

TEST_CASE("an answer states whether another message of the subject is stored") {
  for (auto code : {"10071", "10164"}) {
    auto taken = read(R"({"error":{"code":400,"err_code":)" + std::string{code}
                      + R"(,"description":"wrong last sequence"}})");
    CHECK(!taken.is_stored);
    CHECK(taken.is_taken);
  }
  CHECK(!read(R"({"error":{"code":503,"err_code":10077}})").is_taken);
}

TEST_CASE("an answer that cannot be read stores nothing, and says so") {
  for (auto* bytes :
       {"", "{", "[]", "7", R"({"error":7})", R"({"duplicate":"yes"})",
        R"({"error":{"err_code":""}})"}) {
    CAPTURE(bytes);
    auto answer = read(bytes);
    CHECK(!answer.is_stored);
    CHECK(!answer.is_taken);
    CHECK(answer.why.find("cannot be read") != std::string::npos);
  }
}

} // namespace nats_stream_answer_tests
