#include "libpool/actors/caf/packing.hpp"

#include "libpool/pool.hpp"
#include "port/network.hpp"
#include "support/config.hpp"
#include "support/port/bytes.hpp"

#include <caf/actor_registry.hpp>
#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <set>
#include <variant>

namespace packing_tests {

/// Cannot be written.
struct private_note {
  int text = 0;
};

} // namespace packing_tests

LIBPOOL_TEST_MESSAGE_TYPE(7, packing_tests::private_note)

namespace packing_tests {

using caf::make_message;
using caf::message;
using libpool::errc;
using libpool::make_error;

namespace {

struct configuration : test::config {
  explicit configuration(bool has_network) : test::config(1) {
    if (has_network)
      port::load_network(*this);
  }
};

/// A system that knows of other nodes, or not.
struct world {
  explicit world(bool has_network = true) : config{has_network} {
    // nop
  }

  std::string bytes_of(const message& content) {
    auto result = libpool::pack(system, content);
    REQUIRE(std::holds_alternative<std::string>(result));
    return std::get<std::string>(std::move(result));
  }

  /// The bytes that come before a message inside of another one.
  std::string bytes_of_beginning() {
    auto inner = bytes_of(message{});
    auto bytes = bytes_of(make_message(true, message{}));
    REQUIRE(bytes.substr(bytes.size() - inner.size()) == inner);
    return bytes.substr(0, bytes.size() - inner.size());
  }

  message travelled(const message& content) {
    auto result = libpool::unpack(system, bytes_of(content));
    REQUIRE(std::holds_alternative<message>(result));
    return std::get<message>(std::move(result));
  }

  /// In words why the content cannot be packed; otherwise empty.
  std::string refusal(const message& content) {
    return words(libpool::pack(system, content), errc::not_serializable);
  }

  /// In words why the bytes cannot be read; otherwise empty.
  std::string damage(std::string_view bytes) {
    return words(libpool::unpack(system, bytes), errc::unreadable);
  }

  bool is_registered(const caf::actor& actor) {
    return system.registry().get(actor.id()) != nullptr;
  }

  /// A message with elements of many kinds.
  static message rich() {
    return make_message(
      std::int32_t{-7}, std::uint64_t{1} << 63U, 2.5, std::string{"text"},
      libpool::stats_atom{}, std::set<std::string>{"", "a"},
      make_error(errc::too_few_answers, "2 of 3", {errc::worker_crashed}),
      make_message(std::string{"inner"}, make_message()), std::u16string{u"x"},
      caf::strong_actor_ptr{});
  }

  configuration config;
  caf::actor_system system{config};

private:
  template <class T>
  std::string words(const std::variant<T, caf::error>& result, errc expected) {
    auto* error = std::get_if<caf::error>(&result);
    if (error == nullptr)
      return {};
    CHECK(*error == expected);
    return libpool::render(*error, system);
  }
};

/// It has an actor, which ends with it.
struct world_with_actor : world {
  ~world_with_actor() {
    caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
  }

  caf::actor actor = system.spawn(
    [](caf::event_based_actor*) { return caf::behavior{[](int) {}}; });
};

bool contains(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("selections and scopes are read as they were written") {
  world here;
  auto copy_of = [&](const auto& x) {
    using type = std::decay_t<decltype(x)>;
    auto read = libpool::unpack(here.system, here.bytes_of(make_message(x)));
    return std::get<message>(read).template get_as<type>(0);
  };
  using libpool::pause_scope;
  using libpool::selection;
  for (const auto& each :
       {pause_scope::of_pool(), pause_scope::of_flow(""),
        pause_scope::of_flow("a"), pause_scope::of_node("b")})
    CHECK(copy_of(each) == each);
  for (const auto& each : {selection::of_all(), selection::of_flow(""),
                           selection::of_flow("a"), selection::of_id("b")}) {
    auto copy = copy_of(each);
    CHECK(copy.all == each.all);
    CHECK(copy.flow == each.flow);
    CHECK(copy.id == each.id);
  }
}

TEST_CASE_FIXTURE(world, "the content of a message is the same after "
                         "serialisation and deserialisation") {
  auto there = travelled(rich());
  CHECK(caf::to_string(there) == caf::to_string(rich()));
  const auto& seen = std::as_const(there);
  CHECK(seen.get_as<std::int32_t>(0) == -7);
  CHECK(seen.get_as<std::string>(3) == "text");
  CHECK(seen.get_as<std::set<std::string>>(5).size() == 2);
  const auto& error = seen.get_as<caf::error>(6);
  CHECK(error == errc::too_few_answers);
  CHECK(libpool::errors_in(error).at(0) == errc::worker_crashed);
  CHECK(seen.get_as<message>(7).get_as<std::string>(0) == "inner");
  CHECK(travelled(message{}).empty());
  // Handles of no actor are no obstacle.
  auto null = travelled(make_message(caf::actor_addr{}, 7));
  CHECK(std::as_const(null).get_as<int>(1) == 7);
}

TEST_CASE("the content of a message can be serialised in an actor system "
          "without network") {
  world without{false};
  CHECK(caf::to_string(without.travelled(world::rich()))
        == caf::to_string(world::rich()));
}

TEST_CASE_FIXTURE(world, "serialising message content of an unsupported type "
                         "fails with an error that names the type") {
  CHECK(contains(refusal(make_message(private_note{})), "private_note"));
  CHECK(contains(refusal(make_message(1, private_note{})), "private_note"));
  auto hidden = make_message(private_note{});
  CHECK(!refusal(make_message(std::string{"x"}, hidden)).empty());
  CHECK(!refusal(make_message(caf::make_error(caf::sec::runtime_error, hidden)))
           .empty());
}

// -- handles of actors --------------------------------------------------------

TEST_CASE_FIXTURE(world_with_actor,
                  "message content with an actor handle is refused, and the "
                  "actor is not registered") {
  libpool::pool_stats stats;
  stats.members.resize(1);
  stats.members[0].worker = actor;
  std::vector<message> all{
    make_message(actor),
    make_message(actor.address()),
    make_message(caf::actor_cast<caf::strong_actor_ptr>(actor)),
    make_message(caf::actor_cast<caf::weak_actor_ptr>(actor)),
    make_message(1, std::vector<caf::actor>{actor}),
    make_message(make_message(actor)),
    make_message(stats),
    make_message(caf::down_msg{actor.address(), caf::exit_reason::kill}),
  };
  for (const auto& each : all) {
    CAPTURE(caf::to_string(each));
    CHECK(contains(refusal(each), "handles of actors"));
    CHECK(!is_registered(actor));
  }
}

TEST_CASE_FIXTURE(world_with_actor,
                  "bytes with the handle of an actor of the node, or of "
                  "another node, are unreadable") {
  world_with_actor other;
  for (world_with_actor* from :
       {static_cast<world_with_actor*>(this), &other}) {
    auto bytes = test::written_by_caf(from->system, make_message(from->actor));
    CHECK(from->is_registered(from->actor)); // so it could be found
    CHECK(contains(damage(bytes), "handles of actors"));
    from->system.registry().erase(from->actor.id());
  }
}

// -- damaged bytes ------------------------------------------------------------

TEST_CASE_FIXTURE(world,
                  "message content of too few or too many bytes, with an "
                  "unknown type or a damaged message inside is unreadable") {
  auto bytes = bytes_of(rich());
  for (std::size_t size = 0; size < bytes.size(); ++size)
    CHECK(!damage(std::string_view{bytes}.substr(0, size)).empty());
  CHECK(!damage(bytes + 'x').empty());
  CHECK(!damage(bytes_of(message{}) + 'x').empty());
  CHECK(!damage(test::bytes_of_unknown_type()).empty());
  auto begin = bytes_of_beginning();
  CHECK(damage(begin + bytes_of(message{})).empty());
  CHECK(!damage(begin + test::bytes_of_unknown_type()).empty());
}

TEST_CASE_FIXTURE(world, "bytes of message content with a changed byte are "
                         "deserialised to other content or cause an error") {
  const auto bytes = bytes_of(rich());
  for (std::size_t at = 0; at < bytes.size(); ++at)
    for (auto value = 0; value < 256; value += 3) {
      auto changed = bytes;
      changed[at] = static_cast<char>(value ^ bytes[at]);
      damage(changed); // checks that it is one of both
    }
}

TEST_CASE_FIXTURE(world,
                  "a list is not longer than the bytes behind its size") {
  using namespace std::string_literals;
  CHECK(test::reads_size(system, "\x03"
                                 "abc"));
  CHECK(!test::reads_size(system, "\x20"
                                  "abc"));
  CHECK(!test::reads_size(system, "\xff\xff\xff\xff\x0f"
                                  "abc"));
  CHECK(!test::reads_size(system, "\x83\x80\x80\x80\x80\0abc"s));
}

TEST_CASE_FIXTURE(world,
                  "message content that claims a huge size is unreadable") {
  const std::vector<std::string> claims{
    "\xff\xff\xff\xff\x0f", "\xff\xff\xff\xff\x7f", "\x80\x80\x80\x80\x80\x01",
    "\xff\xff\xff\x7f"};
  std::vector<message> all{make_message(std::string{"\x01"}),
                           make_message(std::set<std::string>{""}),
                           make_message(std::u16string{u"\x01"}),
                           make_message(std::u32string{U"\x01"})};
  for (const auto& each : all) {
    auto bytes = bytes_of(each);
    auto size_at = bytes.find_last_of('\x01', bytes.rfind('\x01') - 1);
    if (each.match_elements<std::set<std::string>>())
      size_at = bytes.rfind('\x01');
    for (const auto& claim : claims)
      CHECK(!damage(std::string{bytes}.replace(size_at, 1, claim)).empty());
  }
}

TEST_CASE_FIXTURE(world,
                  "message content that is nested too deeply is unreadable") {
  auto begin = bytes_of_beginning();
  auto nested = [&](std::size_t depth) {
    std::string result;
    for (std::size_t i = 0; i < depth; ++i)
      result += begin;
    return result + bytes_of(message{});
  };
  CHECK(damage(nested(20)).empty());
  CHECK(!damage(nested(100'000)).empty());
}

} // namespace packing_tests
