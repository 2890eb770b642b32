#include "libpool/nodes/batch_bytes.hpp"

#include "support/allocations.hpp"
#include "support/batch_equality.hpp"
#include "support/drawn_batches.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace nodes_batch_bytes_tests {

using libpool::batch_to_node;
using libpool::batch_to_pool;
using libpool::bytes_of;
using libpool::duration;
using libpool::ending;
using libpool::instant;
using libpool::read_batch_to_node;
using libpool::read_batch_to_pool;
using libpool::rejection;
using libpool::task_number;
using libpool::worker_number;
using test::equal;
using namespace std::chrono_literals;
using namespace std::string_literals;

namespace {

constexpr worker_number first{1};

auto read(const batch_to_pool&, std::string_view bytes) {
  return read_batch_to_pool(bytes);
}

auto read(const batch_to_node&, std::string_view bytes) {
  return read_batch_to_node(bytes);
}

template <class Batch>
void check_round_trip(const Batch& batch) {
  auto contents = test::drawn_contents(batch);
  auto bytes = bytes_of(batch, test::views(contents));
  auto result = read(batch, bytes);
  RC_ASSERT(result.has_value());
  RC_ASSERT(equal(result->batch, batch));
  RC_ASSERT(result->contents == test::views(contents));
}

template <class Batch>
void check_prefixes(const Batch& batch) {
  auto bytes = bytes_of(batch, test::views(test::drawn_contents(batch)));
  for (std::size_t size = 0; size < bytes.size(); ++size)
    RC_ASSERT(!read(batch, std::string_view{bytes}.substr(0, size)));
}

std::string written_again(const libpool::read_by_pool& x) {
  auto* greeting = std::get_if<libpool::hello>(&x.batch.content);
  return greeting != nullptr ? bytes_of(*greeting, x.who)
                             : bytes_of(x.batch, x.contents);
}

std::string written_again(const libpool::read_by_node& x) {
  return x.rejected ? bytes_of(*x.rejected) : bytes_of(x.batch, x.contents);
}

/// Changes one byte, in all ways.
template <class Batch>
void check_changes(const Batch& batch) {
  auto bytes = bytes_of(batch, test::views(test::drawn_contents(batch)));
  auto at = *rc::gen::inRange<std::size_t>(0, bytes.size());
  for (auto value = 0; value < 256; ++value) {
    bytes[at] = static_cast<char>(value);
    if (auto result = read(batch, bytes)) {
      auto copy = read(batch, written_again(*result));
      RC_ASSERT(copy.has_value());
      RC_ASSERT(equal(copy->batch, result->batch));
    }
  }
}

/// A batch of each kind that pools read, and of each kind that nodes read.
std::vector<std::string> some_of_each_kind() {
  libpool::introduction who;
  who.name = "left";
  who.labels = {"gpu", ""};
  who.held = {129};
  who.turn = 18;
  return {
    bytes_of(libpool::hello{libpool::incarnation{300}, 2}, who),
    bytes_of(rejection::protocol),
    bytes_of(batch_to_node{first, libpool::welcome{2, first, 5ns}}),
    bytes_of(batch_to_pool{first, libpool::ready{first}}),
    bytes_of(batch_to_pool{first, libpool::beat{first, instant{6ns}, 7ns}}),
    bytes_of(batch_to_pool{first, libpool::bye{first}}),
    bytes_of(
      batch_to_node{
        first,
        libpool::tasks_sent{{task_number{7}, task_number{128}}, {0, 19}, {20}}},
      {"a", ""}),
    bytes_of(batch_to_pool{first, libpool::tasks_done{{{task_number{7},
                                                        ending::crashed}}}},
             {"b"}),
    bytes_of(batch_to_node{first, libpool::ask_back{10}}),
    bytes_of(
      batch_to_pool{first, libpool::given_back{true, {task_number{11}}}}),
    bytes_of(batch_to_node{first, libpool::gone{first}}),
    bytes_of(batch_to_pool{first, libpool::demand{12, 13, 14ns, -1ns}}),
    bytes_of(batch_to_node{first, libpool::receipt{15}}),
    bytes_of(batch_to_pool{first, libpool::unread{task_number{16}, "c"}}),
    bytes_of(batch_to_node{first, libpool::forget{{task_number{17}}}}),
    bytes_of(batch_to_pool{first, libpool::resend{}}),
    bytes_of(batch_to_node{first, libpool::call{}}),
  };
}

} // namespace

TEST_CASE("each message batch to a pool is read as it was written") {
  CHECK(rc::check([] { check_round_trip(test::drawn_batch_to_pool()); }));
}

TEST_CASE("each message batch to a node is read as it was written") {
  CHECK(rc::check([] { check_round_trip(test::drawn_batch_to_node()); }));
}

TEST_CASE("a hello is read with its introduction") {
  CHECK(rc::check([] {
    batch_to_pool batch{{}, test::drawn_hello()};
    auto who = test::drawn_introduction();
    auto result = read_batch_to_pool(
      bytes_of(std::get<libpool::hello>(batch.content), who));
    RC_ASSERT(result.has_value());
    RC_ASSERT(equal(result->batch, batch));
    RC_ASSERT(equal(result->who, who));
  }));
}

TEST_CASE("a truncated message batch is rejected") {
  CHECK(rc::check([] { check_prefixes(test::drawn_batch_to_pool()); }));
  CHECK(rc::check([] { check_prefixes(test::drawn_batch_to_node()); }));
  for (const auto& bytes : some_of_each_kind())
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      CHECK(!read_batch_to_pool(std::string_view{bytes}.substr(0, size)));
      CHECK(!read_batch_to_node(std::string_view{bytes}.substr(0, size)));
    }
}

TEST_CASE("a message batch with a changed byte is another message batch, or is "
          "rejected") {
  CHECK(rc::check([] { check_changes(test::drawn_batch_to_pool()); }));
  CHECK(rc::check([] { check_changes(test::drawn_batch_to_node()); }));
}

TEST_CASE("a message batch with further bytes behind it is rejected") {
  CHECK(rc::check([] {
    auto batch = test::drawn_batch_to_node();
    auto contents = test::drawn_contents(batch);
    auto bytes = bytes_of(batch, test::views(contents));
    RC_ASSERT(!read_batch_to_node(bytes + '\0'));
  }));
}

TEST_CASE("a message batch is valid only for its own direction, unless both "
          "ends send it") {
  auto all = some_of_each_kind();
  std::string to_pool;
  std::string to_node;
  for (const auto& each : all) {
    to_pool += read_batch_to_pool(each) ? 'x' : '-';
    to_node += read_batch_to_node(each) ? 'x' : '-';
  }
  CHECK(to_pool == "x--xxx-x-x-xxx-x-");
  CHECK(to_node == "-xx-xxx-x-x-x-xxx");
}

TEST_CASE(
  "the bytes of message batches do not change from version to version") {
  auto all = some_of_each_kind();
  auto next = all.begin();
  CHECK(*next++
        == "\x01\xac\x02\x02\x01\x01\x04left\x02\x03gpu\0\x01\x81\x01\x12"s);
  CHECK(*next++ == "\x02\x01");
  CHECK(*next++ == "\x03\x01\x02\x05");
  CHECK(*next++ == "\x04\x01");
  CHECK(*next++ == "\x05\x01\x06\x07");
  CHECK(*next++ == "\x06\x01");
  CHECK(*next++ == "\x07\x01\x02\x07\x80\x01\x02\0\x13\x01\x14\x01\x61\0"s);
  CHECK(*next++ == "\x08\x01\x01\x07\x01\x01\x62");
  CHECK(*next++ == "\x09\x01\x0a");
  CHECK(*next++ == "\x0a\x01\x01\x01\x0b");
  CHECK(*next++ == "\x0b\x01");
  CHECK(*next++
        == "\x0c\x01\x0c\x0d\x0e\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
  CHECK(*next++ == "\x0d\x01\x0f");
  CHECK(*next++ == "\x0e\x01\x10\x01\x63");
  CHECK(*next++ == "\x0f\x01\x01\x11");
  CHECK(*next++ == "\x10\x01");
  CHECK(*next++ == "\x11\x01");
  CHECK(next == all.end());
}

TEST_CASE(
  "a hello of a later version is read even if further bytes follow it") {
  libpool::introduction who;
  who.speaks = {7, 9};
  who.name = "of tomorrow";
  auto bytes = bytes_of(libpool::hello{libpool::incarnation{3}, 4}, who);
  auto result = read_batch_to_pool(bytes + "and more\0"s);
  REQUIRE(result);
  CHECK(result->who.speaks.newest == 9);
  CHECK(result->who.name == "of tomorrow");
}

TEST_CASE(
  "a rejection is read as it was written, even if further bytes follow it") {
  auto result = read_batch_to_node(bytes_of(rejection::protocol) + "because"s);
  REQUIRE(result);
  CHECK(result->rejected == rejection::protocol);
  CHECK(!read_batch_to_node("\x02\0"s));
  CHECK(!read_batch_to_node("\x02\x04"));
}

TEST_CASE(
  "a message batch that is not a rejection is not read as a rejection") {
  auto result = read_batch_to_node("\x06\x01");
  REQUIRE(result);
  CHECK(!result->rejected);
}

TEST_CASE("an ending other than completed and crashed is refused") {
  CHECK(read_batch_to_pool("\x08\x01\x01\x07\0\0"s));
  CHECK(read_batch_to_pool("\x08\x01\x01\x07\x01\0"s));
  CHECK(!read_batch_to_pool("\x08\x01\x01\x07\x02\0"s));
  CHECK(!read_batch_to_pool("\x08\x01\x01\x07\x80\x02\0"s)); // 256
}

TEST_CASE("a given_back whose flag is neither 0 nor 1 is refused") {
  CHECK(read_batch_to_pool("\x0a\x01\x01\0"s));
  CHECK(read_batch_to_pool("\x0a\x01\0\0"s));
  CHECK(!read_batch_to_pool("\x0a\x01\x02\0"s));
}

TEST_CASE(
  "a welcome with a lease that is zero, negative or above a day is refused") {
  auto is_read = [](duration lease) {
    return read_batch_to_node(
             bytes_of(batch_to_node{first, libpool::welcome{1, first, lease}}))
      .has_value();
  };
  CHECK(is_read(1ns));
  CHECK(is_read(24h));
  CHECK(!is_read(0ns));
  CHECK(!is_read(-1ns));
  CHECK(!is_read(24h + 1ns));
  CHECK(!is_read(duration::max()));
}

TEST_CASE("a number that needs more than 64 bits is refused") {
  auto nines = "\x0d\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff"s;
  CHECK(read_batch_to_node(nines + "\x01"));
  CHECK(!read_batch_to_node(nines + "\x02"));
  CHECK(!read_batch_to_node(nines + "\x81\0"s));
}

TEST_CASE("a version that needs more than 32 bits is refused") {
  auto with_newest = [](const std::string& newest) {
    return "\x01\x01\x01\x01"s + newest + "\0\0\0\0\0"s;
  };
  CHECK(read_batch_to_pool(with_newest("\xff\xff\xff\xff\x0f")));
  CHECK(!read_batch_to_pool(with_newest("\x80\x80\x80\x80\x10")));
}

TEST_CASE(
  "claims of huge sizes are refused before memory is allocated for them") {
  auto huge = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"s;
  auto large = "\xff\xff\xff\x07"s; // 16 million
  for (const auto& claim : {huge, large}) {
    // Beside each, how many lists that are as long as they claim come before.
    const std::vector<std::pair<std::string, std::size_t>> all{
      {"\x07\x01" + claim + "\x01\x01", 0}, // tasks
      {"\x08\x01" + claim + "\x01\x01", 0},
      {"\x0a\x01\x01" + claim + "\x01\x01", 0},
      {"\x07\x01\x01\x01" + claim + "\x01\x01", 1}, // submissions
      {"\x07\x01\x01\x01\0\0"s + claim + "abc", 2}, // a content
      {"\x08\x01\x01\x01\x01" + claim + "abc", 2},
      {"\x01\x01\x01\x01\x01" + claim + "abc", 0},    // the name
      {"\x01\x01\x01\x01\x01\x01n" + claim + "a", 0}, // labels
      {"\x01\x01\x01\x01\x01\x01n\x01" + claim + "a", 1},
      {"\x01\x01\x01\x01\x01\x01n\0"s + claim + "a", 0}, // held tasks
    };
    for (const auto& [bytes, lists] : all) {
      auto before = test::allocations();
      auto is_read = read_batch_to_pool(bytes) || read_batch_to_node(bytes);
      auto allocated = test::allocations() - before;
      CHECK(!is_read);
      CHECK(allocated == lists);
    }
  }
}

TEST_CASE(
  "any bytes are rejected, or are a message batch that can be written again") {
  CHECK(rc::check([] {
    auto kind = static_cast<char>(*rc::gen::inRange(0, 18));
    auto bytes = kind + *rc::gen::arbitrary<std::string>();
    if (auto batch = read_batch_to_pool(bytes))
      RC_ASSERT(read_batch_to_pool(written_again(*batch)));
    if (auto batch = read_batch_to_node(bytes))
      RC_ASSERT(read_batch_to_node(written_again(*batch)));
  }));
}

} // namespace nodes_batch_bytes_tests
