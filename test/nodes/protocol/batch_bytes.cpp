#include "libpool/nodes/protocol/batch_bytes.hpp"

#include "support/allocations.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
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
using namespace std::chrono_literals;
using namespace std::string_literals;

namespace {

constexpr worker_number first{1};

// -- drawn batches ------------------------------------------------------------

/// Draws a small number, or a number that can need all 64 bits.
template <class Number = std::uint64_t>
Number drawn() {
  return static_cast<Number>(*rc::gen::oneOf(
    rc::gen::inRange<std::uint64_t>(0, 300),
    rc::gen::arbitrary<std::uint64_t>(), rc::gen::just(~std::uint64_t{0})));
}

duration drawn_time() {
  return duration{drawn<duration::rep>()};
}

template <class T>
T any() {
  return *rc::gen::arbitrary<T>();
}

std::vector<task_number> drawn_tasks() {
  std::vector<task_number> result(*rc::gen::inRange<std::size_t>(0, 5));
  for (auto& each : result)
    each = drawn<task_number>();
  return result;
}

libpool::introduction drawn_introduction() {
  using numbers = std::vector<std::uint64_t>;
  return {{drawn<std::uint32_t>(), drawn<std::uint32_t>()},
          any<std::string>(),
          any<std::vector<std::string>>(),
          any<numbers>()};
}

batch_to_pool drawn_batch_to_pool() {
  auto session = drawn<worker_number>();
  switch (*rc::gen::inRange(0, 11)) {
    case 0:
      return {{},
              libpool::hello{drawn<libpool::incarnation>(), drawn(), drawn()}};
    case 1:
      return {session, libpool::ready{session}};
    case 2:
      return {session,
              libpool::beat{session, instant{drawn_time()}, drawn_time()}};
    case 3:
      return {session, libpool::bye{session}};
    case 4: {
      libpool::tasks_done done;
      for (auto each : drawn_tasks())
        done.ends.push_back(
          {each, any<bool>() ? ending::completed : ending::crashed});
      return {session, done};
    }
    case 5:
      return {session, libpool::given_back{any<bool>(), drawn_tasks()}};
    case 6:
      return {session, libpool::resend{}};
    case 7:
      return {session,
              libpool::demand{drawn<std::size_t>(), drawn<std::size_t>(),
                              drawn_time(), drawn_time()}};
    case 8:
      return {session,
              libpool::unread{drawn<task_number>(), any<std::string>()}};
    case 9: {
      libpool::begun told;
      for (auto each : drawn_tasks())
        told.tasks.push_back({each, drawn_time()});
      return {session, told};
    }
    default:
      return {session, libpool::receipt{drawn()}};
  }
}

std::vector<libpool::sent_facts> drawn_facts(std::size_t count) {
  std::vector<libpool::sent_facts> result;
  while (result.size() < count)
    result.push_back({drawn(), drawn<std::uint32_t>(), drawn_time(),
                      any<std::string>(), any<std::string>()});
  return result;
}

batch_to_node drawn_batch_to_node() {
  using numbers = std::vector<std::uint64_t>;
  auto session = drawn<worker_number>();
  switch (*rc::gen::inRange(0, 12)) {
    case 0:
      return {session,
              libpool::welcome{drawn<libpool::incarnation>(), drawn(), session,
                               duration{*rc::gen::inRange<std::int64_t>(
                                 1, 86'400'000'000'001)}}};
    case 1:
      return {session,
              libpool::beat{session, instant{drawn_time()}, drawn_time()}};
    case 2:
      return {session, libpool::bye{session}};
    case 3: {
      libpool::tasks_sent sent{drawn_tasks(), any<numbers>(), any<numbers>()};
      if (any<bool>())
        sent.facts = drawn_facts(sent.tasks.size());
      return {session, sent};
    }
    case 4:
      return {session, libpool::ask_back{drawn<std::size_t>()}};
    case 5:
      return {session, libpool::take_back_tasks{drawn_tasks()}};
    case 6:
      return {session, libpool::gone{session}};
    case 7:
      return {session, libpool::resend{}};
    case 8:
      return {session, libpool::call{}};
    case 9:
      return {session, libpool::cancel_tasks{drawn_tasks()}};
    case 10:
      return {session, libpool::ask_begun{drawn_tasks()}};
    default:
      return {session, libpool::receipt{drawn()}};
  }
}

/// Draws a content for each task of the batch that has one.
template <class Batch>
std::vector<std::string> drawn_contents(const Batch& batch) {
  std::vector<std::string> result;
  if constexpr (std::is_same_v<Batch, batch_to_node>) {
    if (auto* sent = std::get_if<libpool::tasks_sent>(&batch.content))
      result.resize(sent->tasks.size());
  } else if (auto* done = std::get_if<libpool::tasks_done>(&batch.content)) {
    result.resize(done->ends.size());
  }
  for (auto& each : result)
    each = any<std::string>();
  return result;
}

/// Returns the bytes of a batch with drawn contents.
template <class Batch>
std::string drawn_bytes(const Batch& batch) {
  auto contents = drawn_contents(batch);
  return bytes_of(batch, {contents.begin(), contents.end()});
}

// -- properties ---------------------------------------------------------------

std::string written_again(const libpool::read_by_pool& x) {
  auto* greeting = std::get_if<libpool::hello>(&x.batch.content);
  return greeting != nullptr ? bytes_of(*greeting, x.who)
                             : bytes_of(x.batch, x.contents);
}

std::string written_again(const libpool::read_by_node& x) {
  return x.rejected ? bytes_of(*x.rejected) : bytes_of(x.batch, x.contents);
}

/// Checks bytes that one reader must understand: it reads what was written, and
/// rejects each part of it, the bytes with another byte behind them, and with
/// one byte changed in all ways unless they are another batch.
template <class Reader>
void check_bytes(const std::string& bytes, Reader read) {
  auto whole = read(bytes);
  RC_ASSERT(whole.has_value());
  RC_ASSERT(written_again(*whole) == bytes);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    RC_ASSERT(!read(std::string_view{bytes}.substr(0, size)));
  auto changed = bytes;
  auto at = *rc::gen::inRange<std::size_t>(0, bytes.size());
  for (auto value = 0; value < 256; ++value) {
    changed[at] = static_cast<char>(value);
    if (auto other = read(changed)) {
      auto written = written_again(*other);
      auto again = read(written);
      RC_ASSERT(again.has_value());
      RC_ASSERT(written_again(*again) == written);
    }
  }
}

/// A batch of each kind that pools read, and of each kind that nodes read.
std::vector<std::string> some_of_each_kind() {
  libpool::introduction who;
  who.speaks = {1, 1};
  who.name = "left";
  who.labels = {"gpu", ""};
  who.held = {129};
  who.lost = {130};
  return {
    bytes_of(libpool::hello{libpool::incarnation{300}, 2, 18}, who),
    bytes_of(rejection::protocol),
    bytes_of(batch_to_node{
      first, libpool::welcome{libpool::incarnation{300}, 2, first, 5ns}}),
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
    bytes_of(batch_to_node{first, libpool::take_back_tasks{{task_number{17}}}}),
    bytes_of(batch_to_pool{first, libpool::resend{}}),
    bytes_of(batch_to_node{first, libpool::call{}}),
    bytes_of(batch_to_node{first, libpool::cancel_tasks{{task_number{18}}}}),
    bytes_of(
      batch_to_node{first,
                    libpool::tasks_sent{
                      {task_number{19}}, {}, {}, {{20, 2, 21ns, "d", ""}}}},
      {"e"}),
    bytes_of(batch_to_node{first, libpool::ask_begun{{task_number{22}}}}),
    bytes_of(batch_to_pool{first, libpool::begun{{{task_number{23}, 24ns}}}}),
  };
}

} // namespace

TEST_CASE("each message batch is read as it was written, and is rejected if it "
          "is truncated") {
  CHECK(rc::check([] {
    check_bytes(drawn_bytes(drawn_batch_to_pool()), read_batch_to_pool);
  }));
  CHECK(rc::check([] {
    check_bytes(drawn_bytes(drawn_batch_to_node()), read_batch_to_node);
  }));
  CHECK(rc::check([] {
    libpool::hello greeting{drawn<libpool::incarnation>(), drawn(), drawn()};
    check_bytes(bytes_of(greeting, drawn_introduction()), read_batch_to_pool);
  }));
  for (const auto& bytes : some_of_each_kind())
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      CHECK(!read_batch_to_pool(std::string_view{bytes}.substr(0, size)));
      CHECK(!read_batch_to_node(std::string_view{bytes}.substr(0, size)));
    }
}

TEST_CASE("a message batch with further bytes behind it is rejected") {
  CHECK(rc::check([] {
    RC_ASSERT(!read_batch_to_node(drawn_bytes(drawn_batch_to_node()) + '\0'));
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
  CHECK(to_pool == "x--xxx-x-x-xxx-x----x");
  CHECK(to_node == "-xx-xxx-x-x-x-xxxxxx-");
}

TEST_CASE(
  "the bytes of message batches do not change from version to version") {
  CHECK(
    some_of_each_kind()
    == std::vector<std::string>{
      "\x01\xac\x02\x02\x12\x01\x01\x04left\x02\x03gpu\0\x01\x81\x01\x01\x82\x01"s,
      "\x02\x01",
      "\x03\x01\xac\x02\x02\x05",
      "\x04\x01",
      "\x05\x01\x06\x07",
      "\x06\x01",
      "\x07\x01\x02\x07\x80\x01\x02\0\x13\x01\x14\0\x01\x61\0"s,
      "\x08\x01\x01\x07\x01\x01\x62",
      "\x09\x01\x0a",
      "\x0a\x01\x01\x01\x0b",
      "\x0b\x01",
      "\x0c\x01\x0c\x0d\x0e\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
      "\x0d\x01\x0f",
      "\x0e\x01\x10\x01\x63",
      "\x0f\x01\x01\x11",
      "\x10\x01",
      "\x11\x01",
      "\x12\x01\x01\x12",
      "\x07\x01\x01\x13\0\0\x01\x14\x02\x15\x01\x64\0\x01\x65"s,
      "\x13\x01\x01\x16",
      "\x14\x01\x01\x17\x18",
    });
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
  CHECK(!read_batch_to_node("\x06\x01")->rejected);
  CHECK(!read_batch_to_node("\x02\0"s));
  CHECK(!read_batch_to_node("\x02\x04"));
}

TEST_CASE("facts of tasks are refused unless there are as many as tasks, or "
          "none") {
  auto sent = [](const std::string& facts) {
    return read_batch_to_node("\x07\x01\x01\x07\0\0"s + facts + "\x01x");
  };
  CHECK(sent("\x01\x01\x01\0\0\0"s));
  CHECK(sent("\0"s));
  CHECK(!sent("\x02\x01\x01\0\0\0\x01\x01\0\0\0"s));
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
    return read_batch_to_node(bytes_of(batch_to_node{
                                first, libpool::welcome{{}, 1, first, lease}}))
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
      {"\x12\x01" + claim + "\x01\x01", 0},
      {"\x0a\x01\x01" + claim + "\x01\x01", 0},
      {"\x07\x01\x01\x01" + claim + "\x01\x01", 1},   // takings
      {"\x07\x01\x01\x01\0\0\0"s + claim + "abc", 2}, // a content
      {"\x08\x01\x01\x01\x01" + claim + "abc", 2},
      {"\x07\x01\x01\x01\0\0"s + claim + "abc", 1},       // facts
      {"\x01\x01\x01\x01\x01\x01" + claim + "abc", 0},    // the name
      {"\x01\x01\x01\x01\x01\x01\x01n" + claim + "a", 0}, // labels
      {"\x01\x01\x01\x01\x01\x01\x01n\x01" + claim + "a", 1},
      {"\x01\x01\x01\x01\x01\x01\x01n\0"s + claim + "a", 0}, // held tasks
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
    auto kind = static_cast<char>(*rc::gen::inRange(0, 20));
    auto bytes = kind + *rc::gen::arbitrary<std::string>();
    if (auto batch = read_batch_to_pool(bytes))
      RC_ASSERT(read_batch_to_pool(written_again(*batch)));
    if (auto batch = read_batch_to_node(bytes))
      RC_ASSERT(read_batch_to_node(written_again(*batch)));
  }));
}

} // namespace nodes_batch_bytes_tests
