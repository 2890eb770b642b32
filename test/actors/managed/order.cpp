/// The order in which messages reach workers, and the view of their handlers.

#include "support/managed_world.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>

namespace managed_order_tests {

using namespace std::chrono_literals;

using test::scripted;
using numbers = std::vector<int>;
using views = std::vector<std::string>;
using world = test::managed_world;

namespace {

/// A worker that notes its view of each message.
scripted::script looking(views& seen_by) {
  return [&seen_by](scripted& self) -> caf::behavior {
    auto look = [&] {
      auto& element = *self.current_mailbox_element();
      CHECK(element.sender == self.current_sender());
      seen_by.push_back(
        to_string(element.sender) + ' '
        + std::to_string(self.current_message_id().integer_value()) + ' '
        + test::text_of_content(element) + ' '
        + to_string(test::copy_of_content(element)));
    };
    return {[look](int x) {
              look();
              return 2 * x;
            },
            [look](const std::string& x, double) {
              look();
              return x;
            }};
  };
}

} // namespace

TEST_CASE("each worker handles its messages in the order of sending") {
  for (auto seed = 1U; seed <= 60; ++seed) {
    CAPTURE(seed);
    world w{seed};
    w.options.window = 1 + seed % 5;
    std::map<caf::actor_id, numbers> seen_by;
    w.populate(1 + seed % 3, [&](scripted& self) -> caf::behavior {
      return {[&](int x) { seen_by[self.id()].push_back(x); }};
    });
    for (auto i = 0; i < 60; ++i) {
      w.client.send(w.pool, i);
      if (i % 2 == 0)
        w.step();
    }
    w.run();
    std::size_t total = 0;
    for (const auto& [worker, seen] : seen_by) {
      CHECK(std::is_sorted(seen.begin(), seen.end()));
      total += seen.size();
    }
    CHECK(total == 60);
  }
}

TEST_CASE_FIXTURE(world, "urgent messages go first in the queue of the pool, "
                         "and keep their order at a worker") {
  numbers expected{0, 100, 101, 1, 2}; // 0 was in the mailbox
  SUBCASE("in the queue") {}
  SUBCASE("at a worker") {
    options.window = 8;
    expected = {0, 1, 2, 100, 101};
  }
  populate(1, doubling());
  for (auto i = 0; i < 3; ++i)
    client.send(pool, i);
  for (auto i : {100, 101})
    caf::anon_send<caf::message_priority::high>(pool, i);
  run();
  CHECK(doubled == expected);
}

TEST_CASE_FIXTURE(world, "a handler in a pool sees the same sender, id and "
                         "content as without a pool") {
  views seen_by;
  auto show = [&](const caf::actor& to) {
    auto enqueue = [&](caf::strong_actor_ptr sender, caf::message_id id,
                       caf::message content) {
      caf::actor_cast<caf::abstract_actor*>(to)->enqueue(
        libpool::make_element(std::move(sender), id, std::move(content)),
        nullptr);
      run();
    };
    auto from = client.pointer();
    auto urgent = caf::make_message_id(caf::message_priority::high);
    enqueue(from, caf::make_message_id(), caf::make_message(1));
    enqueue(from, caf::make_message_id(7), caf::make_message(2));
    enqueue(from, urgent, caf::make_message(3));
    enqueue(from, caf::make_message_id(8).with_high_priority(),
            caf::make_message(std::string{"four"}, 4.0));
    enqueue(nullptr, caf::make_message_id(), caf::make_message(5));
    return std::exchange(seen_by, {});
  };
  populate(1, looking(seen_by));
  auto alone = system().spawn<scripted>(looking(seen_by));
  auto expected = show(alone);
  CHECK(expected.size() == 5);
  CHECK(show(pool) == expected);
  CHECK(expected[3].find("four") != std::string::npos);
  kill(alone);
}

TEST_CASE_FIXTURE(
  world, "a handler sees the content of its message if on_crash is retry") {
  options.on_crash = libpool::retry{1};
  views seen_by;
  populate(1, looking(seen_by));
  auto number = request(std::string{"four"}, 4.0);
  CHECK(result_of<std::string>(number) == "four");
  REQUIRE(seen_by.size() == 1);
  auto from = to_string(client.pointer());
  CHECK(seen_by[0].find(from) == std::string::npos); // intercepted
  CHECK(seen_by[0].find(to_string(caf::make_message(std::string{"four"}, 4.0)))
        != std::string::npos);
}

TEST_CASE_FIXTURE(world, "a response that is sent to the pool is discarded") {
  populate(1, doubling());
  caf::actor_cast<caf::abstract_actor*>(pool)->enqueue(
    libpool::make_element(client.pointer(),
                          caf::make_message_id(3).response_id(), 1),
    nullptr);
  run();
  CHECK(doubled.empty());
  CHECK(client.received() == 0);
  CHECK(books().accepted == 0);
}

TEST_CASE_FIXTURE(world,
                  "a message that is retried after a crash keeps its place, "
                  "unless its retry has to wait") {
  numbers expected{0, 0, 1, 2};
  restart(1, 1ms); // by then, the message has come back
  options.on_crash = libpool::retry{1};
  SUBCASE("at once") {}
  SUBCASE("after a time") {
    options.backoff = libpool::retry_backoff{10ms, 1, 10ms};
    expected = {0, 1, 2, 0};
  }
  populate(1, [this](scripted&) -> caf::behavior {
    return {[this](int x) {
      doubled.push_back(x);
      if (x == 0 && doubled.size() == 1)
        test::crash();
      return 2 * x;
    }};
  });
  for (auto i = 0; i < 3; ++i)
    client.send(pool, i);
  run();
  advance(1ms);
  advance(10ms);
  CHECK(doubled == expected);
}

TEST_CASE_FIXTURE(world,
                  "an urgent message goes before the messages of its key "
                  "that have not been sent to the worker") {
  libpool::key_options keys;
  keys.key_of = [](const libpool::message_content&) {
    return std::optional<std::uint64_t>{7};
  };
  pool = libpool::spawn_pool(
    system(), 2, libpool::actor_pool::consistent_hash(keys, options),
    [this] { return system().spawn<scripted>(doubling()); });
  for (auto i = 0; i < 3; ++i)
    client.send(pool, i);
  caf::anon_send<caf::message_priority::high>(pool, 100);
  run();
  CHECK(doubled == numbers{0, 100, 1, 2});
}

} // namespace managed_order_tests
