/// The order in which messages reach workers, and the view of their handlers.

#include "support/managed_world.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace managed_order_tests {

using test::managed_world;
using test::scripted;

namespace {

using numbers = std::vector<int>;

struct world : managed_world {
  using managed_world::managed_world;

  std::shared_ptr<numbers> seen = std::make_shared<numbers>();

  void send_urgent(int x) {
    caf::actor_cast<caf::abstract_actor*>(pool)->enqueue(
      libpool::make_element(
        client.pointer(), caf::make_message_id(caf::message_priority::high), x),
      nullptr);
  }
};

/// A message of these elements in words.
template <class... Ts>
std::string words_of(Ts&&... xs) {
  return to_string(caf::make_message(std::forward<Ts>(xs)...));
}

/// The view of one handler.
struct sight {
  caf::strong_actor_ptr sender;
  caf::message_id id;
  std::string content;
  std::string copy;
  bool sees_itself = false;
};

scripted::script looking(const std::shared_ptr<std::vector<sight>>& at) {
  return [at](scripted& self) -> caf::behavior {
    auto look = [at, &self] {
      auto& element = *self.current_mailbox_element();
      sight sight;
      sight.sender = self.current_sender();
      sight.sees_itself = element.sender == sight.sender;
      sight.id = self.current_message_id();
      sight.content = test::text_of_content(element);
      sight.copy = to_string(test::copy_of_content(element));
      at->push_back(std::move(sight));
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

/// Sends the messages to `to`; returns the views of the handlers.
std::vector<sight> show(world& w, const caf::actor& to,
                        const std::shared_ptr<std::vector<sight>>& seen) {
  auto& receiver = *caf::actor_cast<caf::abstract_actor*>(to);
  auto enqueue = [&](caf::message_id id, caf::message content) {
    receiver.enqueue(
      libpool::make_element(w.client.pointer(), id, std::move(content)),
      nullptr);
    w.run();
  };
  using caf::message_priority;
  enqueue(caf::make_message_id(), caf::make_message(1));
  enqueue(caf::make_message_id(7), caf::make_message(2));
  enqueue(caf::make_message_id(message_priority::high), caf::make_message(3));
  enqueue(caf::make_message_id(8).with_high_priority(),
          caf::make_message(std::string{"four"}, 4.0));
  receiver.enqueue(libpool::make_element(nullptr, caf::make_message_id(), 5),
                   nullptr);
  w.run();
  return std::exchange(*seen, {});
}

} // namespace

TEST_CASE("messages of one sender reach one worker in order") {
  for (auto seed = 1U; seed <= 50; ++seed) {
    CAPTURE(seed);
    world w{seed};
    w.options.window = 1 + seed % 5;
    w.populate(1, test::doubling(w.seen));
    for (auto i = 0; i < 20; ++i) {
      w.client.send(w.pool, i);
      if (i % 3 == 0)
        w.step();
    }
    w.run();
    numbers expected;
    for (auto i = 0; i < 20; ++i)
      expected.push_back(i);
    CHECK(*w.seen == expected);
  }
}

TEST_CASE("each worker handles its messages in the order of sending") {
  for (auto seed = 1U; seed <= 50; ++seed) {
    CAPTURE(seed);
    world w{seed};
    w.options.window = 1 + seed % 4;
    std::vector<std::shared_ptr<numbers>> seen;
    w.populate_by(3, [&] {
      seen.push_back(std::make_shared<numbers>());
      return w.system().spawn<scripted>(test::doubling(seen.back()));
    });
    for (auto i = 0; i < 60; ++i) {
      w.client.send(w.pool, i);
      if (i % 2 == 0)
        w.step();
    }
    w.run();
    std::size_t total = 0;
    for (auto& each : seen) {
      CHECK(std::is_sorted(each->begin(), each->end()));
      total += each->size();
    }
    CHECK(total == 60);
  }
}

TEST_CASE_FIXTURE(
  world, "a message goes to the worker that has been idle for longest") {
  std::vector<std::shared_ptr<numbers>> seen_by;
  populate_by(3, [&] {
    seen_by.push_back(std::make_shared<numbers>());
    return system().spawn<scripted>(test::doubling(seen_by.back()));
  });
  for (auto i = 0; i < 9; ++i) {
    client.send(pool, i);
    run();
  }
  for (auto i = 0; i < 3; ++i)
    CHECK(*seen_by[static_cast<std::size_t>(i)] == numbers{i, i + 3, i + 6});
}

TEST_CASE_FIXTURE(world, "urgent messages go first in the queue of the pool") {
  populate(1, test::doubling(seen));
  for (auto i = 0; i < 3; ++i)
    client.send(pool, i);
  send_urgent(100);
  send_urgent(101);
  run();
  CHECK(*seen == numbers{0, 100, 101, 1, 2}); // 0 was in the mailbox
}

TEST_CASE_FIXTURE(
  world, "urgent messages that were sent to a worker keep their order") {
  options.window = 8;
  populate(1, test::doubling(seen));
  for (auto i = 0; i < 3; ++i)
    client.send(pool, i);
  send_urgent(100);
  send_urgent(101);
  run();
  CHECK(*seen == numbers{0, 1, 2, 100, 101});
}

TEST_CASE_FIXTURE(world, "a handler in a pool sees the same sender, id and "
                         "content as without a pool") {
  auto seen_by = std::make_shared<std::vector<sight>>();
  populate(1, looking(seen_by));
  auto alone = system().spawn<scripted>(looking(seen_by));
  auto expected = show(*this, alone, seen_by);
  client->inbox.clear();
  auto actual = show(*this, pool, seen_by);
  REQUIRE(expected.size() == 5);
  REQUIRE(actual.size() == 5);
  for (std::size_t i = 0; i < 5; ++i) {
    CAPTURE(i);
    CHECK(actual[i].sender == expected[i].sender);
    CHECK(actual[i].sees_itself);
    CHECK(actual[i].id == expected[i].id);
    CHECK(actual[i].content == expected[i].content);
    CHECK(actual[i].copy == expected[i].copy);
  }
  CHECK(actual[1].id.is_request());
  CHECK(actual[3].id.is_urgent_message());
  CHECK(actual[3].copy == words_of(std::string{"four"}, 4.0));
  kill(alone);
}

TEST_CASE_FIXTURE(
  world, "a handler sees the content of its message if on_crash is retry") {
  options.on_crash = libpool::retry{1};
  auto seen_by = std::make_shared<std::vector<sight>>();
  populate(1, looking(seen_by));
  client.send(pool, std::string{"four"}, 4.0);
  auto number = client.request(pool, 2);
  run();
  REQUIRE(seen_by->size() == 2);
  CHECK(seen_by->at(0).sender == client.pointer());
  CHECK(seen_by->at(0).copy == words_of(std::string{"four"}, 4.0));
  CHECK(seen_by->at(1).sender != client.pointer()); // intercepted
  CHECK(seen_by->at(1).sender != nullptr);
  CHECK(seen_by->at(1).id.is_request());
  CHECK(seen_by->at(1).copy == words_of(2));
  CHECK(client.answer_to(number).get<int>() == 4);
  seen_by->clear();
}

TEST_CASE_FIXTURE(world, "a handler may move the content out of its message") {
  auto moved = std::make_shared<std::vector<std::string>>();
  populate(1, [moved](scripted& self) -> caf::behavior {
    return {[moved, &self](int) {
      moved->push_back(
        to_string(libpool::take_content(*self.current_mailbox_element())));
    }};
  });
  client.send(pool, 3);
  run();
  CHECK(*moved == std::vector<std::string>{words_of(3)});
}

TEST_CASE_FIXTURE(world, "a response that is sent to the pool is discarded") {
  populate(1, test::doubling(seen));
  caf::actor_cast<caf::abstract_actor*>(pool)->enqueue(
    libpool::make_element(client.pointer(),
                          caf::make_message_id(3).response_id(), 1),
    nullptr);
  run();
  CHECK(seen->empty());
  CHECK(client.received() == 0);
  CHECK(books().accepted == 0);
}

} // namespace managed_order_tests
