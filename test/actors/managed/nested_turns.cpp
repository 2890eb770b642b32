/// Inner pools: clients of their own and those of outer pools take turns, and
/// what `split` does not take is refused.

#include "support/managed_world.hpp"
#include "support/numbers.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace managed_nested_turns_tests {

using libpool::actor_pool;
using libpool::errc;
using test::hand_cranked;
using test::scripted;

namespace {

/// One inner pool that is a worker of two outer ones.
struct shared_world : hand_cranked {
  shared_world() {
    for (auto& each : outer)
      each = actor_pool::make(system(), actor_pool::shared_queue());
  }

  ~shared_world() {
    for (auto& each : outer)
      caf::anon_send_exit(each, caf::exit_reason::user_shutdown);
    caf::anon_send_exit(inner, caf::exit_reason::user_shutdown);
    run();
  }

  void join(const libpool::policy& how) {
    inner = actor_pool::make(
      system(), 1,
      [this] {
        return system().spawn<scripted>([this](scripted&) -> caf::behavior {
          return {[this](int x) {
            seen.push_back(x);
            return x;
          }};
        });
      },
      how);
    for (auto& each : outer)
      client.ask(each, caf::sys_atom{}, caf::put_atom{}, inner);
  }

  std::size_t place_of(int x) const {
    return static_cast<std::size_t>(std::find(seen.begin(), seen.end(), x)
                                    - seen.begin());
  }

  test::probe client{*this};
  std::vector<caf::actor> outer{2};
  caf::actor inner;
  std::vector<int> seen;
};

/// An outer pool of one that splits.
struct split_world : hand_cranked {
  split_world() {
    auto append = [](int& sum, caf::message& part) {
      sum += part.match_elements<int>() ? part.get_as<int>(0) : 0;
    };
    auto split = [](caf::message& content) -> libpool::message_parts {
      auto all = content.get_as<test::numbers>(0);
      if (!all.empty() && all.front() < 0)
        throw std::runtime_error{"no negative numbers"};
      libpool::message_parts result;
      for (auto each : all)
        result.push_back(caf::make_message(each));
      return result;
    };
    inner = actor_pool::make(
      system(), 2,
      [this] {
        return system().spawn<scripted>(
          [](scripted&) -> caf::behavior { return {[](int x) { return x; }}; });
      },
      actor_pool::managed_split_join<int>(append, split));
    outer = actor_pool::make(system(), actor_pool::shared_queue(options));
    client.ask(outer, caf::sys_atom{}, caf::put_atom{}, inner);
  }

  ~split_world() {
    caf::anon_send_exit(outer, caf::exit_reason::user_shutdown);
    caf::anon_send_exit(inner, caf::exit_reason::user_shutdown);
    run();
  }

  test::probe client{*this};
  libpool::managed_options options;
  caf::actor inner;
  caf::actor outer;
};

} // namespace

TEST_CASE_FIXTURE(shared_world,
                  "a message that a client sends to an inner pool goes before "
                  "later messages of the outer pools") {
  SUBCASE("with messages in the order of arrival") {
    join(actor_pool::shared_queue());
  }
  SUBCASE("with a flow for each client") {
    join(actor_pool::fair_queuing());
  }
  constexpr auto flood = 300;
  for (auto x = 0; x < flood; ++x)
    client.send(outer[static_cast<std::size_t>(x % 2)], x);
  for (auto i = 0; i < 20; ++i)
    step();
  test::probe direct{*this};
  auto before = seen.size();
  REQUIRE(before > 0);
  auto number = direct.request(inner, 1000);
  run();
  CHECK(seen.size() == flood + 1);
  CHECK(place_of(1000) <= before + 4);
  CHECK(direct.answer_to(number).get<int>() == 1000);
}

TEST_CASE_FIXTURE(
  shared_world,
  "an urgent message of an outer pool goes before messages in an inner pool") {
  join(actor_pool::shared_queue());
  for (auto x = 0; x < 100; ++x)
    client.send(inner, x);
  caf::actor_cast<caf::abstract_actor*>(outer[0])->enqueue(
    libpool::make_element(
      nullptr, caf::make_message_id(caf::message_priority::high), 1000),
    nullptr);
  run();
  CHECK(place_of(1000) <= 2);
}

TEST_CASE_FIXTURE(
  split_world,
  "only the message that an inner pool cannot split fails, and only once") {
  auto send_all = [this](const caf::message&) {
    return std::vector<std::uint64_t>{
      client.request(outer, test::numbers{-1}), // throws
      client.request(outer, test::numbers{}),   // no parts
      client.request(outer, std::string{"?"}),  // another type
      client.request(outer, test::numbers{1, 2})};
  };
  auto sent = send_all({});
  client.send(outer, test::numbers{-1});
  client.send(outer, test::numbers{});
  client.send(outer, std::string{"?"});
  run();
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(client.answer_to(sent[i]).count == 1);
    CHECK(client.answer_to(sent[i]).error() == errc::policy_failed);
  }
  CHECK(client.answer_to(sent[3]).get<int>() == 3);
  auto books = actor_pool::stats(outer).tasks;
  CHECK(books.balances());
  CHECK(books.open() == 0);
  CHECK(books.completed == 1);
  CHECK(books.cancelled == 6);
}

} // namespace managed_nested_turns_tests
